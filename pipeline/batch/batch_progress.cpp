#include "pipeline/batch/batch_progress.h"

#include <fmt/format.h>

#include "pipeline/report/progress.h"

namespace vfilter {

std::string batch_progress_text(const BatchSoFar& so_far) {
    const double part = so_far.all > 0 ? so_far.share / so_far.all : 1;
    return fmt::format("[{:5.1f}%]  {}/{} files  {} frames  {:.0f} fps  ETA {}", 100 * part, so_far.done, so_far.files,
                       so_far.frames, so_far.seconds > 0 ? static_cast<double>(so_far.frames) / so_far.seconds : 0,
                       part > 0 ? clock_text(so_far.seconds * (1 - part) / part) : "-");
}

}  // namespace vfilter
