#include "pipeline/session/run_guard.h"

#include <fmt/format.h>

#include <ctime>
#include <utility>

namespace vfilter {

namespace {

// One that has not begun does not work.
bool is_working(const StageStats& stage) {
    return stage.beats() > 0 && stage.activity() == Activity::working;
}

}  // namespace

std::int64_t RunGuard::beats() const {
    std::int64_t sum = 0;
    stats_.for_each([&](auto, const std::string&, const StageStats& stage) { sum += stage.beats(); });
    return sum;
}

// Whether everybody waits for a silent input, which --timeout is for, or for a window whose user has paused it.
bool RunGuard::only_waits() const {
    bool working = false;
    stats_.for_each([&](auto, const std::string&, const StageStats& stage) { working = working || is_working(stage); });
    return !working;
}

// Whether nobody but filters works, and these use processor time: a twentieth of a core's at least, as others may have
// most of it.
bool RunGuard::only_filters_reckon(Clock::duration passed) {
    if (!filters_reckon_) {
        return false;
    }
    bool only = true;
    stats_.for_each([&](std::optional<StageId> id, const std::string&, const StageStats& stage) {
        only = only && !(id && *id != StageId::filter && is_working(stage));
    });
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    const std::chrono::nanoseconds total = std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
    const std::chrono::nanoseconds spent = total - std::exchange(used_, total);
    return only && 20 * spent > passed;
}

bool RunGuard::output_stalls(Clock::duration attended) {
    const StageStats& write = stats_[StageId::write];
    if (!taken_) {
        return false;
    }
    if (const std::int64_t taken = write.beats() + taken_(); taken != last_taken_ || !is_working(write)) {
        last_taken_ = taken;
        last_taking_ = attended;
    }
    return std::chrono::duration<double>(attended - last_taking_).count() > stall_timeout_;
}

std::string RunGuard::describe(bool output_alone) const {
    std::string stuck;
    std::string all;
    stats_.for_each([&](auto, const std::string& name, const StageStats& stage) {
        if (stage.beats() == 0) {
            return;
        }
        if (is_working(stage) && (!output_alone || &stage == &stats_[StageId::write])) {
            stuck += fmt::format("{}{}", stuck.empty() ? "" : ", ", name);
        }
        all += fmt::format("{}{} {} after {}", all.empty() ? "" : ", ", name,
                           activity_names[static_cast<std::size_t>(stage.activity())], stage.items());
    });
    return fmt::format("{}: no progress for {:g} s, which {} sets ({})", stuck, stall_timeout_, limit_, all);
}

RunGuard::Verdict RunGuard::look(Clock::time_point now) {
    const Clock::duration attended = attended_.look(now);
    const bool reckons = only_filters_reckon(attended - std::exchange(looked_, attended));
    if (const std::int64_t seen = beats(); seen != last_beats_ || reckons) {
        last_beats_ = seen;
        last_progress_ = attended;
    }
    if (signal_.load(std::memory_order_relaxed) != 0) {
        stopped_ = stopped_.value_or(now);
    }
    if (!abandoned_) {
        const bool all_stall =
            !only_waits() && std::chrono::duration<double>(attended - last_progress_).count() > stall_timeout_;
        const bool output_alone = output_stalls(attended) && !all_stall;
        const bool stalled = stall_timeout_ > 0 && !stopped_ && (all_stall || output_alone);
        if (stalled) {
            stall_ = describe(output_alone);
        }
        if (stalled || (stopped_ && now - *stopped_ > patience)) {
            abandoned_ = now;
            return Verdict::abandon;
        }
        return Verdict::go_on;
    }
    return now - *abandoned_ > grace ? Verdict::leave : Verdict::abandon;
}

}  // namespace vfilter
