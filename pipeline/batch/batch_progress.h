#pragma once
// How far a batch is.

#include <cstddef>
#include <cstdint>
#include <string>

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

}  // namespace vfilter
