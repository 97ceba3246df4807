#pragma once
// The host's clock around what is measured.

#include <chrono>

namespace vfilter::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// How long `work` takes.
double seconds_of(const auto& work) {
    const auto start = Clock::now();
    work();
    return seconds_since(start);
}

}  // namespace vfilter::bench
