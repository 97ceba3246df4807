#pragma once
// A clock for timeouts that does not count the time during which the process was stopped.

#include <algorithm>
#include <chrono>
#include <utility>

namespace vfilter {

/// How much time has passed, for a caller that checks several times a second. Between two checks at most one second
/// counts: while a process was stopped (Ctrl-Z, a frozen container) or a machine was suspended, nobody could have done
/// anything. One thread.
class AttendedClock {
public:
    using Clock = std::chrono::steady_clock;

    explicit AttendedClock(Clock::time_point now = Clock::now()) : looked_(now) {}

    /// The time since construction.
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
