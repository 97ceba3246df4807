#pragma once
// How far a run is, on stderr.

#include <chrono>
#include <string>

#include "pipeline/session.h"

namespace vfilter {

/// One thread.
class ProgressLine {
public:
    /// `automatic` is a bar on a terminal and plain lines elsewhere.
    ProgressLine(Progress kind, bool terminal);

    void show(const Outcome& so_far);
    /// Removes the bar, so that other lines can follow.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] std::string text(const Outcome& so_far) const;
    [[nodiscard]] static std::string json(const Outcome& so_far);

    Progress kind_;
    Clock::time_point last_ = Clock::now();
    bool shown_ = false;
};

}  // namespace vfilter
