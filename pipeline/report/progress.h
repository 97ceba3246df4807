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
/// The last one, of whatever came of the run.
std::string progress_end(const Outcome& outcome);

/// "0:08", "1:02:03"
std::string clock_text(double seconds);

/// One thread.
class ProgressLine {
public:
    /// `automatic` is a bar on a terminal and plain lines elsewhere.
    ProgressLine(Progress kind, bool terminal);

    /// `json` is the line of --progress json, "" for none.
    void show(const std::string& text, const std::string& json);
    /// The last line of --progress json; nothing of other kinds.
    void end(const std::string& json) const;
    /// Removes the bar, so that other lines can follow.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    Progress kind_;
    Clock::time_point last_ = Clock::now();
    bool shown_ = false;
};

}  // namespace vfilter
