#pragma once
// The files that a run reads and writes: no two of them may be one.

#include "config/options.h"

namespace vfilter {

/// Opens nothing. Throws Error(usage) where a run would write over what it reads or over another file that it writes,
/// through links, standard input and output too; Error(input) or Error(output) where a name cannot be one at all, as
/// there is no folder for a report or a trace.
void check_named_files(const Options& options);

}  // namespace vfilter
