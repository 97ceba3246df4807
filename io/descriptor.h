#pragma once
// System calls on descriptors, which a signal may interrupt before they have done anything, or all.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace vfilter {

/// What a system call gives, which is made again for as long as a signal interrupts it. Not for waits that a signal is
/// to end.
template <typename Call>
auto uninterrupted(const Call& call) {
    for (;;) {
        if (const auto result = call(); result != -1 || errno != EINTR) {
            return result;
        }
    }
}

/// Reads from a place of a file until `to` is full. Returns how many bytes there were; if fewer, errno says why, and is
/// 0 where the file ends.
std::size_t read_whole(int descriptor, std::int64_t offset, std::span<std::uint8_t> to);
/// Writes all of it. Returns how many bytes went; if fewer, errno says why.
std::size_t write_whole(int descriptor, std::span<const std::uint8_t> bytes);
inline std::size_t write_whole(int descriptor, std::string_view text) {
    return write_whole(descriptor, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

}  // namespace vfilter
