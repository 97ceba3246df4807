#pragma once
// What is checked when a file has been written, before it gets its name.

#include <string>
#include <vector>

#include "pipeline/session/run_parts.h"
#include "pipeline/session/stop_requests.h"

namespace vfilter {

/// Reads the file of `parts` again and compares it with what was sent; for a sequence, checks what the first picture's
/// file does not hold. Skipped after a signal, which waits for nothing, and whose exit code says so. Returns tags and
/// the like that the container does not hold, which it also reports: lost_labels(). Throws Error.
std::vector<std::string> check_output(const AVOutputFormat& container, const RunParts& parts, const StopRequests& stop);

}  // namespace vfilter
