#pragma once
// System calls on file descriptors, which a signal may interrupt before they have done anything, or all of it.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace vfilter {

/// The result of a system call, which is repeated as long as a signal interrupts it. Not for waits that a signal is
/// meant to end.
template <typename Call>
auto uninterrupted(const Call& call) {
    for (;;) {
        if (const auto result = call(); result != -1 || errno != EINTR) {
            return result;
        }
    }
}

/// Reads from a position in a file until `to` is full. Returns how many bytes were read; if fewer, errno says why, and
/// is 0 at the end of the file.
std::size_t read_whole(int descriptor, std::int64_t offset, std::span<std::uint8_t> to);
/// Writes everything. Returns how many bytes were written; if fewer, errno says why.
std::size_t write_whole(int descriptor, std::span<const std::uint8_t> bytes);
inline std::size_t write_whole(int descriptor, std::string_view text) {
    return write_whole(descriptor, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

}  // namespace vfilter
