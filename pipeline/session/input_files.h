#pragma once
// Files appended to the input or added to it: what must match, and what is kept of them.

#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Copied streams become one stream of the output, whose header describes it once. Throws Error(usage) if an appended
/// file has another codec or other parameters than the input.
void check_copied_clips(const RunParts& parts);

/// Reports which files named by --add contribute nothing to the output.
void tell_unused_files(const RunParts& parts, const InputOptions& options);

}  // namespace vfilter
