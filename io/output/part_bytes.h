#pragma once
// The bytes of the index of an unfinished file, value by value, in the machine's representation: only the machine that
// wrote them reads them.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "config/error.h"

namespace vfilter {

template <class T>
void append(std::vector<std::uint8_t>& to, const T& value) {
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&value);
    to.insert(to.end(), bytes, bytes + sizeof(value));
}

/// Bytes of any length, preceded by their number.
inline void append_counted(std::vector<std::uint8_t>& to, std::span<const std::uint8_t> bytes) {
    append(to, static_cast<std::uint32_t>(bytes.size()));
    to.insert(to.end(), bytes.begin(), bytes.end());
}

/// Takes values from the front of bytes. Throws Error(input) if there are too few.
struct PartReader {
    const std::string& path;
    std::span<const std::uint8_t> bytes;

    std::span<const std::uint8_t> take(std::size_t size) {
        if (bytes.size() < size) {
            throw Error(ExitCode::input, fmt::format("{}: is no index of an unfinished file", path));
        }
        const auto taken = bytes.first(size);
        bytes = bytes.subspan(size);
        return taken;
    }
    template <class T>
    T value() {
        T result{};
        std::memcpy(&result, take(sizeof(result)).data(), sizeof(result));
        return result;
    }
    std::span<const std::uint8_t> counted() { return take(value<std::uint32_t>()); }
    std::string text() {
        const auto letters = counted();
        return {letters.begin(), letters.end()};
    }
};

}  // namespace vfilter
