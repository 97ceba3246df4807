#include "config/toml_nesting.h"

#include <fmt/format.h>

namespace vfilter {

namespace {

/// Walks a text by what can be told without the grammar: strings, comments, brackets, dots.
class Walk {
public:
    explicit Walk(std::string_view text) : text_(text) {}

    std::optional<TomlNesting> run() {
        while (at_ < text_.size()) {
            const char letter = text_[at_];
            if (letter == '"' || letter == '\'') {
                skip_string(letter);
                continue;
            }
            if (letter == '#') {
                skip_comment();
                continue;
            }
            if (letter == '[' || letter == '{') {
                if (++depth_ > max_toml_depth) {
                    return found(fmt::format("brackets and braces are nested more than {} deep", max_toml_depth));
                }
            } else if ((letter == ']' || letter == '}') && depth_ > 0) {
                --depth_;
            }
            if (letter == '.') {
                if (++dots_ >= max_key_parts) {
                    return found(fmt::format("a key has more than {} parts", max_key_parts));
                }
            } else if (std::string_view("\n=,[]{}").find(letter) != std::string_view::npos) {
                dots_ = 0;  // another key may follow
            }
            step();
        }
        return std::nullopt;
    }

private:
    void step() {
        const auto byte = static_cast<unsigned char>(text_[at_++]);
        if (byte == '\n') {
            ++line_;
            column_ = 1;
        } else if ((byte & 0xC0U) != 0x80U) {  // not inside a UTF-8 character
            ++column_;
        }
    }

    void step(std::size_t count) {
        for (std::size_t i = 0; i < count && at_ < text_.size(); ++i) {
            step();
        }
    }

    // A one-line string ends with its line at the latest: one that does not is an error, and must not hide brackets.
    void skip_string(char quote) {
        const std::string three(3, quote);
        const bool several_lines = text_.substr(at_).starts_with(three);
        step(several_lines ? 3 : 1);
        while (at_ < text_.size()) {
            if (quote == '"' && text_[at_] == '\\') {
                step(2);
            } else if (several_lines ? text_.substr(at_).starts_with(three) : text_[at_] == quote) {
                step(several_lines ? 3 : 1);
                // Up to two quotes right before the closing ones belong to the string.
                for (int i = 0; several_lines && i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) {
                    step();
                }
                return;
            } else if (!several_lines && text_[at_] == '\n') {
                return;
            } else {
                step();
            }
        }
    }

    void skip_comment() {
        while (at_ < text_.size() && text_[at_] != '\n') {
            step();
        }
    }

    [[nodiscard]] TomlNesting found(std::string what) const { return {line_, column_, std::move(what)}; }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t column_ = 1;
    int depth_ = 0;
    int dots_ = 0;  // since the last place where a key may begin
};

}  // namespace

std::optional<TomlNesting> find_deep_nesting(std::string_view text) {
    return Walk(text).run();
}

}  // namespace vfilter
