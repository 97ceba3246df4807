#include "config/stream_choice.h"

#include <fmt/format.h>

#include <cctype>

#include "config/option_values.h"

namespace vfilter {

StreamChoice parse_stream_choice(std::string_view option, unsigned kind, std::string text) {
    constexpr int most = 999;
    const bool optional = text.ends_with('?');
    text.erase(text.size() - (optional ? 1 : 0));
    const auto is_letter = [](unsigned char letter) { return std::isalpha(letter) != 0; };
    if (kind != kind::video && text.size() > 1 && is_letter(static_cast<unsigned char>(text.front()))) {
        return {.kind = kind, .number = -1, .language = text, .optional = optional};
    }
    return {.kind = kind, .number = ranged<int>(option, text, 0, most), .language = "", .optional = optional};
}

std::string show_stream_choice(const StreamChoice& choice) {
    return fmt::format("{}{}", choice.number < 0 ? choice.language : fmt::format("{}", choice.number),
                       choice.optional ? "?" : "");
}

}  // namespace vfilter
