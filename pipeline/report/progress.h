#pragma once
// How far a run is, on stderr.

#include <chrono>
#include <string>

#include "config/options.h"
#include "pipeline/report/outcome.h"

namespace vfilter {

/// "[ 41.7%]  1234/2960 frames  213 fps  8.9x  ETA 0:08  drop 0"; without the shares where nobody knows how many come.
std::string progress_text(const Outcome& so_far);
/// One line of JSON; docs/report.md describes its keys.
std::string progress_json(const Outcome& so_far);

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

    Progress kind_;
    Clock::time_point last_ = Clock::now();
    bool shown_ = false;
};

}  // namespace vfilter
