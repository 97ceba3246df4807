#pragma once
// The files that a run reads and writes: no two of them may be the same.

#include "config/options.h"

namespace vfilter {

/// Opens nothing. Throws Error(usage) if a run would overwrite a file that it reads or another file that it writes,
/// also through links, standard input and output; Error(input) or Error(output) if a name is impossible, because a
/// report or a trace has no folder.
void check_named_files(const Options& options);

}  // namespace vfilter
