#pragma once
// What happens around the preview's window while the threads run.

#include <functional>

#include "config/options.h"
#include "pipeline/report/outcome.h"
#include "pipeline/report/stats.h"
#include "pipeline/session/run_parts.h"
#include "pipeline/session/stop_requests.h"

namespace vfilter {

/// The preview's requests to the session. Both are called from the watching thread.
struct PreviewCalls {
    std::function<void()> tick;  ///< a few times a second
    /// Ends the threads and starts them again with these options, which differ in input and filters.
    std::function<void(const Options&)> begin_anew;
};

/// Shows pictures until no more come, or the user ends the preview and `stop.quit` is set. Filters that the user
/// changes are stored in the outcome. Call it in the program's first thread. Throws Error.
void watch_preview(const Options& options, Stats& stats, const RunParts& parts, StopRequests& stop,
                   const PreviewCalls& calls, RunSetup& setup);

/// What the window needs to know about the first video. Its `begin` and `end` are those of the part for which `parts`
/// was opened.
PreviewedVideo previewed_video(const Options& options, const RunParts& parts);

}  // namespace vfilter
