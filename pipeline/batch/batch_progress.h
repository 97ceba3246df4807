#pragma once
// How far a batch is, on stderr.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "config/options.h"

namespace vfilter {

struct BatchSoFar {
    std::size_t files = 0;
    std::size_t done = 0;  ///< of them, in whatever way
    double all = 0;        ///< bytes of the inputs that this run works on
    double share = 0;      ///< of them, what is behind it
    std::int64_t frames = 0;
    double seconds = 0;
};

/// "[ 41.7%]  84/200 files  51234 frames  311 fps  ETA 0:08"
std::string batch_progress_text(const BatchSoFar& so_far);

/// One thread.
class BatchProgressLine {
public:
    explicit BatchProgressLine(Progress kind);

    void show(const BatchSoFar& so_far);
    /// Removes the bar, so that other lines can follow.
    void clear();

private:
    using Clock = std::chrono::steady_clock;

    Progress kind_;
    Clock::time_point last_ = Clock::now();
    bool shown_ = false;
};

}  // namespace vfilter
