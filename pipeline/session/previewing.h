#pragma once
// What goes on around the preview's window while the threads run.

#include <functional>

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/report/stats.h"
#include "pipeline/session/run_parts.h"
#include "pipeline/session/stop_requests.h"

namespace vfilter {

/// What the preview asks of the session. Both are called from the thread that watches.
struct PreviewCalls {
    std::function<void()> tick;  ///< a few times a second
    /// Ends the threads and starts them anew with these options, of which input and filters are others.
    std::function<void(const Options&)> begin_anew;
};

/// Shows pictures until nothing more comes, or the user has seen enough and `stop.quit` is set. Filters that the user
/// changes become those of the outcome. The program's first thread. Throws Error.
void watch_preview(const Options& options, Stats& stats, const RunParts& parts, StopRequests& stop,
                   const PreviewCalls& calls, RunSetup& setup);

/// What the window has to know of the first video. `begin` and `end` of it are those of the part that `parts` was
/// opened for.
PreviewedVideo previewed_video(const Options& options, const RunParts& parts);

}  // namespace vfilter
