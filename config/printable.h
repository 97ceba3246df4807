#pragma once
// Untrusted text (tags, file names, messages of libraries) made safe for a terminal and for one line of a log.

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace vfilter {

namespace printable_detail {

/// Length in bytes and code point of the UTF-8 character at the front; length 0 if it is none.
struct Character {
    std::size_t length = 0;
    char32_t number = 0;
};

inline Character decode(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xC2 && first < 0xE0 ? 2
                               : first >= 0xE0 && first < 0xF0 ? 3
                               : first >= 0xF0 && first < 0xF5 ? 4
                                                               : 0;
    if (length == 0 || length > text.size()) {
        return {};
    }
    constexpr std::array<unsigned, 5> masks{0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t number = first & masks[length];
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) {
            return {};
        }
        number = (number << 6) | (byte(i) & 0x3FU);
    }
    const bool overlong = (length == 3 && number < 0x800) || (length == 4 && number < 0x10000);
    return overlong || number > 0x10FFFF || (number >= 0xD800 && number < 0xE000) ? Character{}
                                                                                  : Character{length, number};
}

/// Control characters (C0 and C1), line and paragraph separators, and marks that change the direction of writing.
inline bool steers(char32_t number) {
    return number < 0x20 || (number >= 0x7F && number < 0xA0) || (number >= 0x2028 && number <= 0x202E) ||
           (number >= 0x2066 && number <= 0x2069) || number == 0x200E || number == 0x200F || number == 0xFEFF;
}

}  // namespace printable_detail

namespace printable_detail {

/// No more than `most` bytes of it, its beginning and its end.
inline std::string shortened(std::string_view text, std::size_t most) {
    const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
    std::size_t head = most * 2 / 3;
    std::size_t tail = text.size() - most / 3;
    while (head > 0 && inside(head)) {
        --head;
    }
    while (tail < text.size() && inside(tail)) {
        ++tail;
    }
    return std::string(text.substr(0, head)) + "\u2026" + std::string(text.substr(tail));
}

}  // namespace printable_detail

/// One line: bytes that control a terminal, end the line or are no UTF-8 become \xNN, tabs become spaces.
inline std::string printable(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        const printable_detail::Character character = printable_detail::decode(text);
        const std::size_t length = character.length == 0 ? 1 : character.length;
        if (character.length == 0 || printable_detail::steers(character.number)) {
            for (std::size_t i = 0; i < length; ++i) {
                if (text[i] == '\t') {
                    shown += ' ';
                    continue;
                }
                std::array<char, 5> code{};
                std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned char>(text[i]));
                shown += code.data();
            }
        } else {
            shown += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return shown;
}

/// Valid UTF-8 with characters from U+007F that would control a terminal as \uXXXX, which JSON's and TOML's strings
/// take: those below stand escaped there already.
inline std::string with_escapes(std::string_view text) {
    std::string escaped;
    escaped.reserve(text.size());
    while (!text.empty()) {
        const printable_detail::Character character = printable_detail::decode(text);
        const std::size_t length = character.length == 0 ? 1 : character.length;
        if ((length > 1 || character.number == 0x7F) && printable_detail::steers(character.number)) {
            std::array<char, 7> code{};
            std::snprintf(code.data(), code.size(), "\\u%04X", static_cast<unsigned>(character.number));
            escaped += code.data();
        } else {
            escaped += text.substr(0, length);
        }
        text.remove_prefix(length);
    }
    return escaped;
}

/// The same as printable() for a message, with the middle left out of what is longer than any name, or than anybody
/// reads: arguments and texts in files may have any length.
inline std::string printable_message(std::string_view text) {
    constexpr std::size_t longest_name = 4096;
    constexpr std::size_t shown_of_word = 240;
    constexpr std::size_t longest = 16384;
    constexpr std::size_t shown_of_message = 2048;
    std::string message = printable(text);
    for (std::size_t begin = 0; begin < message.size();) {
        const std::size_t end = std::min(message.find(' ', begin), message.size());
        if (end - begin > longest_name) {
            const std::string word =
                printable_detail::shortened(std::string_view(message).substr(begin, end - begin), shown_of_word);
            message.replace(begin, end - begin, word);
            begin += word.size();
        } else {
            begin = end + 1;
        }
    }
    return message.size() > longest ? printable_detail::shortened(message, shown_of_message) : message;
}

}  // namespace vfilter
