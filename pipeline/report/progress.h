#pragma once
// A run's progress, on stderr.

#include <chrono>
#include <string>

#include "config/options.h"
#include "pipeline/report/outcome.h"

namespace vfilter {

/// "[ 41.7%]  1234/2960 frames  213 fps  8.9x  ETA 0:08  drop 0"; without the shares if the total is unknown.
std::string progress_text(const Outcome& so_far);
/// One line of JSON; docs/report.md describes its keys.
std::string progress_json(const Outcome& so_far);
/// The last line, whatever the result of the run.
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
    /// Prints the last line of --progress json; nothing for other kinds.
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
