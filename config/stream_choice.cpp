#include "config/stream_choice.h"

#include <fmt/format.h>

#include <cctype>

#include "config/option_values.h"

namespace vfilter {

StreamChoice parse_stream_choice(std::string_view option, unsigned kind, std::string text) {
    constexpr int most = 999;
    const bool optional = text.ends_with('?');
    text.erase(text.size() - (optional ? 1 : 0));
    int file = -1;
    if (kind != kind::video && text.starts_with('@')) {
        const std::size_t point = text.find('.');
        file = ranged<int>(option, text.substr(1, point == std::string::npos ? point : point - 1), 0, most);
        if (point == std::string::npos) {
            return {.kind = kind, .language = "", .optional = optional, .file = file};
        }
        text.erase(0, point + 1);
    }
    const auto is_letter = [](unsigned char letter) { return std::isalpha(letter) != 0; };
    if (kind != kind::video && text.size() > 1 && is_letter(static_cast<unsigned char>(text.front()))) {
        return {.kind = kind, .number = -1, .language = text, .optional = optional, .file = file};
    }
    return {
        .kind = kind, .number = ranged<int>(option, text, 0, most), .language = "", .optional = optional, .file = file};
}

std::string show_stream_choice(const StreamChoice& choice) {
    const std::string which = choice.number < 0 ? choice.language : fmt::format("{}", choice.number);
    const std::string file = choice.file < 0 ? "" : fmt::format("@{}{}", choice.file, which.empty() ? "" : ".");
    return fmt::format("{}{}{}", file, which, choice.optional ? "?" : "");
}

}  // namespace vfilter
