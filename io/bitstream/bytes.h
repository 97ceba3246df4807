#pragma once
// Numbers and marks in unchecked bytes: anything beyond their end reads as zero.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace vfilter {

using Bytes = std::span<const std::uint8_t>;
/// Reads bytes from an offset on and returns how many there were; fewer than requested at the end.
using ReadBytes = std::function<std::size_t(std::int64_t offset, std::span<std::uint8_t> to)>;

/// `count` bytes, at most 8, with the most significant first.
inline std::uint64_t big_endian(Bytes bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        value = value << 8 | (at < bytes.size() && i < bytes.size() - at ? bytes[at + i] : 0U);
    }
    return value;
}

/// `count` bytes, at most 8, with the least significant first.
inline std::uint64_t little_endian(Bytes bytes, std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) {
        value = value << 8 | (at < bytes.size() && i < bytes.size() - at ? bytes[at + i] : 0U);
    }
    return value;
}

inline std::int64_t signed_value(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

/// The part of `bytes` that begins at `at`, at most `count` long.
inline Bytes part(Bytes bytes, std::size_t at, std::size_t count = SIZE_MAX) {
    return at >= bytes.size() ? Bytes{} : bytes.subspan(at, std::min(count, bytes.size() - at));
}

inline std::string_view text(Bytes bytes, std::size_t at = 0, std::size_t count = SIZE_MAX) {
    const Bytes wanted = part(bytes, at, count);
    return {reinterpret_cast<const char*>(wanted.data()), wanted.size()};
}

constexpr std::uint32_t mark(std::string_view four) {
    std::uint32_t value = 0;
    for (const char letter : four) {
        value = value << 8 | static_cast<std::uint8_t>(letter);
    }
    return value;
}

inline bool printable(std::uint32_t four) {
    for (int shift = 0; shift < 32; shift += 8) {
        const std::uint32_t letter = four >> shift & 0xFF;
        if (letter < 0x20 || letter > 0x7E) {
            return false;
        }
    }
    return true;
}

/// Whether exactly one of the four bytes differs.
constexpr bool one_byte_apart(std::uint32_t one, std::uint32_t other) {
    int different = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        different += (one >> shift & 0xFF) != (other >> shift & 0xFF) ? 1 : 0;
    }
    return different == 1;
}

inline bool all_zero(Bytes bytes) {
    return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

/// Where the first of several four-byte marks begins.
inline std::optional<std::size_t> find_mark(Bytes bytes, std::span<const std::uint32_t> marks) {
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        last = last << 8 | bytes[i];
        if (i >= 3 && std::ranges::find(marks, last) != marks.end()) {
            return i - 3;
        }
    }
    return std::nullopt;
}

/// "'moof'", or "0x006D0066" if it is not printable.
inline std::string shown_mark(std::uint32_t four) {
    std::string shown;
    if (printable(four)) {
        shown += '\'';
        for (int shift = 24; shift >= 0; shift -= 8) {
            shown += static_cast<char>(four >> shift & 0xFF);
        }
        shown += '\'';
    } else {
        shown += "0x";
        for (int shift = 28; shift >= 0; shift -= 4) {
            shown += "0123456789ABCDEF"[four >> shift & 0xF];
        }
    }
    return shown;
}

}  // namespace vfilter
