#include "pipeline/session/run_guard.h"

#include <fmt/format.h>

namespace vfilter {

std::int64_t RunGuard::beats() const {
    std::int64_t sum = 0;
    for (const StageStats& stage : stats_.stages) {
        sum += stage.beats();
    }
    for (const auto& video : stats_.others) {
        for (const StageStats& stage : video) {
            sum += stage.beats();
        }
    }
    return sum;
}

// Whether everybody waits for a silent input, which --timeout is for, or for a window whose user has paused it.
bool RunGuard::only_waits() const {
    const auto working = [](const StageStats& stage) {
        return stage.beats() > 0 && stage.activity() == Activity::working;
    };
    for (const StageStats& stage : stats_.stages) {
        if (working(stage)) {
            return false;
        }
    }
    for (const auto& video : stats_.others) {
        for (const StageStats& stage : video) {
            if (working(stage)) {
                return false;
            }
        }
    }
    return true;
}

std::string RunGuard::describe() const {
    std::string stuck;
    std::string all;
    const auto add = [&](std::string_view name, const StageStats& stage) {
        if (stage.beats() == 0) {
            return;
        }
        if (stage.activity() == Activity::working) {
            stuck += fmt::format("{}{}", stuck.empty() ? "" : ", ", name);
        }
        all += fmt::format("{}{} {} after {}", all.empty() ? "" : ", ", name,
                           activity_names[static_cast<std::size_t>(stage.activity())], stage.items());
    };
    for (std::size_t i = 0; i < stage_names.size(); ++i) {
        add(stage_names[i], stats_.stages[i]);
        for (std::size_t video = 0; video < stats_.others.size(); ++video) {
            add(fmt::format("{} {}", stage_names[i], video + 1), stats_.others[video][i]);
        }
    }
    return fmt::format("{}: no progress for {:g} s, which --stall-timeout sets ({})", stuck, stall_timeout_, all);
}

RunGuard::Verdict RunGuard::look() {
    const auto now = Clock::now();
    if (const std::int64_t seen = beats(); seen != last_beats_) {
        last_beats_ = seen;
        last_progress_ = now;
    }
    if (signal_.load(std::memory_order_relaxed) != 0) {
        stopped_ = stopped_.value_or(now);
    }
    if (!abandoned_) {
        const bool stalled = stall_timeout_ > 0 && !stopped_ && !only_waits() &&
                             std::chrono::duration<double>(now - last_progress_).count() > stall_timeout_;
        if (stalled) {
            stall_ = describe();
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
