#pragma once
// What is looked at when a file is written, before it gets its name.

#include <string>
#include <vector>

#include "pipeline/session/run_parts.h"
#include "pipeline/session/stop_requests.h"

namespace vfilter {

/// Reads the file of `parts` again and compares it with what was sent; of a sequence the first picture's, for what it
/// does not hold. Nothing of that after a signal, which waits for
/// nothing and says by its code that it did not. Returns what the container does not hold of tags and the like, told in
/// a line: lost_labels(). Throws Error.
std::vector<std::string> check_output(const AVOutputFormat& container, const RunParts& parts, const StopRequests& stop);

}  // namespace vfilter
