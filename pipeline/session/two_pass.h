#pragma once
// A run whose encoder sees all pictures twice.

#include <functional>
#include <string>

#include "config/options.h"
#include "io/codec/encode_task.h"
#include "pipeline/report/outcome.h"

namespace vfilter {

/// Whether a name is one of a file, or of pictures, that a run may open more than once.
bool is_read_again(const std::string& path);

/// Whether a run looks at its input twice: --two-pass, and GIF, whose palette is made from the whole clip where it can
/// be read again.
bool runs_twice(const Options& options);

/// Removes what first passes that were killed have left in a folder, and says how many there were.
int remove_left_passes(const std::string& folder);

/// Runs twice: first without writing anything but the encoder's statistics, then for good. `run` makes one run of the
/// options that it is given; the first is told apart by EncodeTask::pass. Does not throw: what cannot work in two
/// passes is an Outcome with its error.
Outcome run_twice(const Options& options, const std::function<Outcome(const Options&, const EncodeTask&)>& run);

}  // namespace vfilter
