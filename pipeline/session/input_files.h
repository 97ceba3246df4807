#pragma once
// Files behind the input and beside it: what has to be alike, and what is kept of them.

#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Streams that are copied are one stream of the output, whose header says once what they are like. Throws
/// Error(usage) where an appended file has another codec or other parameters than the input.
void check_copied_clips(const RunParts& parts);

/// Says of which files that --add names nothing is in the output.
void tell_unused_files(const RunParts& parts, const InputOptions& options);

}  // namespace vfilter
