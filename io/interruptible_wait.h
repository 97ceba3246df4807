#pragma once
// A sleep that can be interrupted.

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

namespace vfilter {

/// Whether `interrupted` stayed false until `time`; returns at most 50 ms after it has become true.
inline bool wait_until(std::chrono::steady_clock::time_point time, const std::function<bool()>& interrupted) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds slice{50};
    for (;;) {
        if (interrupted()) {
            return false;
        }
        const auto now = Clock::now();
        if (now >= time) {
            return true;
        }
        std::this_thread::sleep_for(std::min<Clock::duration>(slice, time - now));
    }
}

}  // namespace vfilter
