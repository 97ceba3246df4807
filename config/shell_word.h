#pragma once
// Quoting for commands that messages print, to be copied into a shell.

#include <algorithm>
#include <string>
#include <string_view>

namespace vfilter {

/// The text as one word of a POSIX shell: as it is, or in single quotes.
inline std::string shell_word(const std::string& text) {
    const auto plain = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') ||
               std::string_view("_@%+=:,./-").find(letter) != std::string_view::npos;
    };
    if (!text.empty() && std::ranges::all_of(text, plain)) {
        return text;
    }
    std::string quoted = "'";
    for (const char letter : text) {
        quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    }
    return quoted + "'";
}

}  // namespace vfilter
