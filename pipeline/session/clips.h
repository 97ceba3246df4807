#pragma once
// Files that follow each other, as far as they have to be alike.

#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Streams that are copied are one stream of the output, whose header says once what they are like. Throws
/// Error(usage) where an appended file has another codec or other parameters than the input.
void check_copied_clips(const RunParts& parts);

}  // namespace vfilter
