#pragma once
// How the process that ran one file of a batch ended, and what that means for the file.

#include "pipeline/batch/batch_report.h"

namespace vfilter {

/// Fills in the result: `status` is waitpid()'s, and `result.report` what the child has sent, "" if nothing. A child
/// that has given the reason why it ends has already reported it: returns whether somebody else has to.
bool take_end(int status, BatchResult& result);

}  // namespace vfilter
