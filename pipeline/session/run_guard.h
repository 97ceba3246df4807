#pragma once
// When a run must be ended from outside: after a signal, and if a stage makes no progress.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/attended_clock.h"
#include "pipeline/report/stats.h"

namespace vfilter {

/// Checks a run a few times a second. One thread.
class RunGuard {
public:
    using Clock = StageStats::Clock;

    /// What to do with the run.
    enum class Verdict {
        go_on,
        abandon,  ///< nothing is waited for except the muxer
        leave,    ///< nothing is waited for
    };

    /// `signal` is 0 until one arrives. `stall_timeout`: seconds of an AttendedClock without progress, 0 for ever. With
    /// `filters_reckon`, filters use this process's own processor time, and one picture may take them longer than that.
    RunGuard(const Stats& stats, const std::atomic<int>& signal, double stall_timeout, bool filters_reckon = false,
             Clock::time_point now = Clock::now())
        : stats_(stats),
          signal_(signal),
          stall_timeout_(stall_timeout),
          filters_reckon_(filters_reckon),
          attended_(now) {}

    /// The output is judged by itself, too, since the others go on without it: a live run whose reader takes nothing.
    /// `taken` is called by look(): the number of bytes that the reader has taken.
    void judge_output(std::function<std::int64_t()> taken) { taken_ = std::move(taken); }
    /// The option that sets the limit, for the message.
    void name_limit(std::string_view option) { limit_ = option; }

    Verdict look(Clock::time_point now = Clock::now());
    /// After abandon or leave: the message about stages that made no progress, "" if it was a signal.
    [[nodiscard]] const std::string& stall() const { return stall_; }

private:
    [[nodiscard]] std::int64_t beats() const;
    [[nodiscard]] bool only_waits() const;
    [[nodiscard]] bool only_filters_reckon(Clock::duration passed);
    [[nodiscard]] bool output_stalls(Clock::duration attended);
    [[nodiscard]] std::string describe(bool output_alone) const;

    // Together less than the two seconds within which a signal ends a run.
    static constexpr std::chrono::milliseconds patience{1000};  // for codecs to return what they hold
    static constexpr std::chrono::milliseconds grace{500};      // for the muxer to finish the file

    const Stats& stats_;
    const std::atomic<int>& signal_;
    double stall_timeout_;
    bool filters_reckon_;
    AttendedClock attended_;
    Clock::duration looked_{};                  // by that clock
    std::chrono::nanoseconds used_{0};          // processor time by then
    std::optional<Clock::time_point> stopped_;  // when the signal was seen
    std::optional<Clock::time_point> abandoned_;
    std::int64_t last_beats_ = -1;
    Clock::duration last_progress_{};
    std::string stall_;
    std::function<std::int64_t()> taken_;  // empty where the output is not judged by itself
    std::int64_t last_taken_ = -1;
    Clock::duration last_taking_{};
    std::string_view limit_ = "--stall-timeout";
};

}  // namespace vfilter
