#include "io/bitstream/data_urls.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "config/letters.h"
#include "io/bitstream/bytes.h"

namespace vfilter {

namespace {

// What is no letter of it is skipped, and a last group may be incomplete (WHATWG, "forgiving-base64 decode").
std::vector<std::uint8_t> from_base64(std::string_view letters) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    constexpr int bits_of_letter = 6;
    std::vector<std::uint8_t> bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char letter : letters) {
        const std::size_t value = alphabet.find(letter);
        if (value == std::string_view::npos) {
            continue;
        }
        bits = bits << bits_of_letter | static_cast<std::uint32_t>(value);
        count += bits_of_letter;
        if (count >= 8) {
            count -= 8;
            bytes.push_back(static_cast<std::uint8_t>(bits >> count & 0xFF));
        }
    }
    return bytes;
}

std::vector<std::uint8_t> from_percents(std::string_view letters) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(letters.size());
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const bool room = letters[i] == '%' && i + 2 < letters.size();
        const int high = room ? hexadecimal(letters[i + 1]) : -1;
        const int low = room ? hexadecimal(letters[i + 2]) : -1;
        const bool escaped = high >= 0 && low >= 0;
        bytes.push_back(static_cast<std::uint8_t>(escaped ? 16 * high + low : letters[i]));
        i += escaped ? 2 : 0;
    }
    return bytes;
}

bool says_base64(std::string_view head) {
    constexpr std::string_view word = "base64";
    const std::string letters = lower_case(without_blanks(head));
    return letters.ends_with(word) &&
           without_blanks(std::string_view(letters).substr(0, letters.size() - word.size())).ends_with(';');
}

}  // namespace

std::string address_in(std::string_view value) {
    std::string address(value);
    std::erase_if(address, [](char letter) { return letter == '\t' || letter == '\n' || letter == '\r'; });
    constexpr unsigned char last_skipped = 0x20;
    const auto begin =
        std::ranges::find_if(address, [](char letter) { return static_cast<unsigned char>(letter) > last_skipped; });
    address.erase(address.begin(), begin);
    return address;
}

std::optional<std::vector<std::uint8_t>> content_of_data_url(std::string_view address) {
    if (lower_case(address.substr(0, data_scheme.size())) != data_scheme) {
        return std::nullopt;
    }
    const std::string_view value = address.substr(data_scheme.size());
    const std::size_t comma = value.find(',');
    if (comma == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view body = value.substr(comma + 1);
    std::vector<std::uint8_t> bytes = from_percents(body.substr(0, body.find('#')));
    return says_base64(value.substr(0, comma)) ? from_base64(text(bytes)) : std::move(bytes);
}

}  // namespace vfilter
