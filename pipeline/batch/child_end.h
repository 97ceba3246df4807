#pragma once
// How the process that ran one file of a batch has ended, and what that means for the file.

#include "pipeline/batch/batch_report.h"

namespace vfilter {

/// Fills in what came of it: `status` is waitpid()'s, and `result.report` what the child has sent, "" if nothing. A
/// child that has said why it ends has told it itself: gives whether somebody else has to.
bool take_end(int status, BatchResult& result);

}  // namespace vfilter
