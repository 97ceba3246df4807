#include "io/codec/thread_limit.h"

#include <sched.h>

#include <algorithm>
#include <system_error>
#include <thread>

namespace vfilter {

int usable_cores() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? std::max(1, CPU_COUNT(&set)) : 1;
}

bool refuses_threads() {
    try {
        std::thread([] {}).join();
        return false;
    } catch (const std::system_error&) {
        return true;
    }
}

}  // namespace vfilter
