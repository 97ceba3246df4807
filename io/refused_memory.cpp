#include "io/refused_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace vfilter {

namespace {

// Whether so much is had, but with the errno of memory that is not.
bool is_had_at_second_try(std::size_t size) {
    constexpr std::size_t alignment = 64;  // FFmpeg's
    errno = 0;
    void* more = nullptr;
    const bool had = posix_memalign(&more, alignment, size) == 0;
    const bool second = had && errno == ENOMEM;
    std::free(more);
    return second;
}

}  // namespace

// A thread for which glibc finds no room for an arena, or whose arena is full (glibc gives the heap that it adds to it
// back at once, where the old one's rest is larger than 64 KiB), asks for memory elsewhere with each allocation: errno
// says ENOMEM of memory that was had. Such a thread shows it when asked for as much again. What is larger than the
// largest block that was ever given back has pages of its own, and never shows it.
bool memory_was_refused(std::size_t size) {
    if (errno != ENOMEM) {
        return false;
    }
    constexpr std::size_t least = std::size_t{1} << 20;
    constexpr std::size_t sixteenths[] = {16, 17, 18, 19, 20, 22, 24, 32, 64};
    const std::size_t like = std::max(size, least);
    const bool refused =
        !std::ranges::any_of(sixteenths, [like](std::size_t share) { return is_had_at_second_try(like / 16 * share); });
    errno = refused ? ENOMEM : 0;
    return refused;
}

}  // namespace vfilter
