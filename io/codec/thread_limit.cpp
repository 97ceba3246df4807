#include "io/codec/thread_limit.h"

#include <system_error>
#include <thread>

namespace vfilter {

bool refuses_threads() {
    try {
        std::thread([] {}).join();
        return false;
    } catch (const std::system_error&) {
        return true;
    }
}

}  // namespace vfilter
