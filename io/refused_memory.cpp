#include "io/refused_memory.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace vfilter {

// A thread for which glibc finds no room for an arena asks for one again with each allocation, and then takes pages of
// their own: errno says ENOMEM of memory that was had. Such a thread shows it when asked for more.
bool memory_was_refused() {
    if (errno != ENOMEM) {
        return false;
    }
    constexpr std::size_t large = std::size_t{1} << 20;
    errno = 0;
    void* volatile more = std::malloc(large);
    const bool works = more != nullptr && errno == ENOMEM;
    std::free(more);
    errno = works ? 0 : ENOMEM;
    return !works;
}

}  // namespace vfilter
