#pragma once
// What happens around the threads while they run.

#include <functional>

#include "config/options.h"
#include "pipeline/report/stats.h"
#include "pipeline/session/run_parts.h"
#include "pipeline/session/stop_requests.h"

namespace vfilter {

/// Waits until the threads have ended, and ends the run from outside if RunGuard says so. `tick` is called a few times
/// a second. `hung` becomes true, before anything is thrown, if a thread is still at work and will not return: then
/// nothing in `parts` may be destroyed. Throws Error, for example about a stage without progress.
void wait_for_end(const Options& options, const Stats& stats, const RunParts& parts, StopRequests& stop,
                  const std::function<void()>& tick, bool& hung);

}  // namespace vfilter
