#pragma once
// Letters of ASCII, whatever the locale is.

#include <algorithm>
#include <string>
#include <string_view>

namespace vfilter {

inline char lower_letter(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

inline std::string lower_case(std::string_view words) {
    std::string lower(words);
    std::ranges::transform(lower, lower.begin(), lower_letter);
    return lower;
}

/// Space, tab, end of line, and the like.
inline bool is_blank(char letter) {
    return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

inline std::string_view without_blanks(std::string_view words) {
    while (!words.empty() && is_blank(words.front())) {
        words.remove_prefix(1);
    }
    while (!words.empty() && is_blank(words.back())) {
        words.remove_suffix(1);
    }
    return words;
}

/// 0 to 15, or -1 for what is no hexadecimal digit.
inline int hexadecimal(char digit) {
    const char lower = lower_letter(digit);
    return digit >= '0' && digit <= '9' ? digit - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace vfilter
