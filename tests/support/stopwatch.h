#pragma once
// Time in which something had to be done, on machines that stand still now and then.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace vfilter::test {

/// Runs from its beginning on, but not while the machine stands still: virtual machines do so for seconds, and what a
/// test waits for stands still with them. A thread that wants to sleep a hundredth of a second finds out.
class Stopwatch {
public:
    using Clock = std::chrono::steady_clock;

    Stopwatch() : begin_(Clock::now()), seen_(begin_), sleeper_([this] { sleep(); }) {}
    ~Stopwatch() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        end_.notify_one();
        sleeper_.join();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

    /// Since the beginning, without what stolen() is.
    [[nodiscard]] double seconds() const {
        const std::lock_guard lock(mutex_);
        const auto now = Clock::now();
        return std::chrono::duration<double>(now - begin_ - stolen_by(now)).count();
    }
    /// Seconds for which the machine stood still.
    [[nodiscard]] double stolen() const {
        const std::lock_guard lock(mutex_);
        return std::chrono::duration<double>(stolen_by(Clock::now())).count();
    }
    /// Whether it stood still for so long that what has a second on a clock cannot have kept to it.
    [[nodiscard]] bool disturbed() const { return stolen() > 0.4; }

private:
    static constexpr std::chrono::milliseconds nap{10};
    static constexpr std::chrono::milliseconds usual{30};  // that a nap takes longer on a machine with much to do

    // What is behind the last nap may belong to a standstill that its thread has not seen.
    [[nodiscard]] Clock::duration stolen_by(Clock::time_point now) const {
        const Clock::duration late = now - seen_ - nap;
        return stolen_ + (late > usual ? late : Clock::duration::zero());
    }
    void sleep() {
        std::unique_lock lock(mutex_);
        while (!ended_) {
            end_.wait_for(lock, nap);
            const auto now = Clock::now();
            stolen_ = stolen_by(now);
            seen_ = now;
        }
    }

    mutable std::mutex mutex_;
    std::condition_variable end_;
    Clock::time_point begin_;
    Clock::time_point seen_;
    Clock::duration stolen_{0};
    bool ended_ = false;
    std::thread sleeper_;
};

}  // namespace vfilter::test
