#pragma once
// A clock for timeouts that does not count the time in which the process was stopped.

#include <algorithm>
#include <chrono>
#include <utility>

namespace vfilter {

/// How much time has passed for somebody who looks at it several times a second. Of what passes between two looks a
/// second counts at most: a process that was stopped (Ctrl-Z, a frozen container), or a machine that stood still, had
/// nobody who could have done anything. One thread.
class AttendedClock {
public:
    using Clock = std::chrono::steady_clock;

    explicit AttendedClock(Clock::time_point now = Clock::now()) : looked_(now) {}

    /// Since this was made.
    Clock::duration look(Clock::time_point now = Clock::now()) {
        passed_ += std::min<Clock::duration>(now - std::exchange(looked_, now), most_between);
        return passed_;
    }

private:
    static constexpr std::chrono::seconds most_between{1};

    Clock::time_point looked_;
    Clock::duration passed_{};
};

}  // namespace vfilter
