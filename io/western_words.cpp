#include "io/western_words.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace vfilter {

namespace {

constexpr std::uint16_t no_letter = 0xfffd;
// What Windows-1252 has from 0x80 to 0x9f, where Latin-1 has no letters.
constexpr std::array<std::uint16_t, 32> windows_letters{
    0x20ac, no_letter, 0x201a,    0x0192, 0x201e,    0x2026,    0x2020, 0x2021,    0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152,    no_letter, 0x017d, no_letter, no_letter, 0x2018, 0x2019,    0x201c, 0x201d, 0x2022,
    0x2013, 0x2014,    0x02dc,    0x2122, 0x0161,    0x203a,    0x0153, no_letter, 0x017e, 0x0178};

// RFC 3629, 4: how many bytes follow, and between which the first of them lies.
struct Lead {
    unsigned char from = 0;
    unsigned char to = 0;
    unsigned char more = 0;
    unsigned char least = 0x80;
    unsigned char most = 0xbf;
};
constexpr Lead utf8_leads[] = {{0x00, 0x7f, 0},
                               {0xc2, 0xdf, 1},
                               {0xe0, 0xe0, 2, 0xa0},
                               {0xe1, 0xec, 2},
                               {0xed, 0xed, 2, 0x80, 0x9f},
                               {0xee, 0xef, 2},
                               {0xf0, 0xf0, 3, 0x90},
                               {0xf1, 0xf3, 3},
                               {0xf4, 0xf4, 3, 0x80, 0x8f}};

// Bytes of the letter that a text begins with, 0 if it is none.
std::size_t letter_size(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    for (const Lead& lead : utf8_leads) {
        if (byte(0) < lead.from || byte(0) > lead.to) {
            continue;
        }
        bool whole = text.size() > lead.more;
        for (std::size_t i = 1; whole && i <= lead.more; ++i) {
            whole = byte(i) >= (i == 1 ? lead.least : 0x80) && byte(i) <= (i == 1 ? lead.most : 0xbf);
        }
        return whole ? std::size_t{lead.more} + 1 : 0;
    }
    return 0;
}

}  // namespace

std::string_view without_filling(std::string_view text) {
    return text.substr(0, text.find('\0'));
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = letter_size(text);
        if (size == 0) {
            return false;
        }
        text.remove_prefix(size);
    }
    return true;
}

std::string utf8_of_western(std::string_view text) {
    std::string made;
    for (const char each : text) {
        const auto byte = static_cast<unsigned char>(each);
        const unsigned letter = byte >= 0x80 && byte < 0xa0 ? windows_letters[byte - 0x80U] : byte;
        if (letter < 0x80) {
            made += each;
        } else if (letter < 0x800) {
            made += static_cast<char>(0xc0U | letter >> 6U);
            made += static_cast<char>(0x80U | (letter & 0x3fU));
        } else {
            made += static_cast<char>(0xe0U | letter >> 12U);
            made += static_cast<char>(0x80U | (letter >> 6U & 0x3fU));
            made += static_cast<char>(0x80U | (letter & 0x3fU));
        }
    }
    return made;
}

}  // namespace vfilter
