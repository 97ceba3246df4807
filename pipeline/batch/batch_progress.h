#pragma once
// The progress of a batch.

#include <cstddef>
#include <cstdint>
#include <string>

namespace vfilter {

struct BatchSoFar {
    std::size_t files = 0;
    std::size_t done = 0;  ///< files, with whatever result
    double all = 0;        ///< bytes of the inputs that this run processes
    double share = 0;      ///< bytes of these that have been processed
    std::int64_t frames = 0;
    double seconds = 0;
};

/// "[ 41.7%]  84/200 files  51234 frames  311 fps  ETA 0:08"
std::string batch_progress_text(const BatchSoFar& so_far);

}  // namespace vfilter
