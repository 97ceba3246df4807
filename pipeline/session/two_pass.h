#pragma once
// A run whose encoder sees all pictures twice.

#include <functional>
#include <string>

#include "config/options.h"
#include "io/codec/encode_task.h"
#include "pipeline/report/outcome.h"

namespace vfilter {

/// Whether it is the name of a file, or of pictures, that a run may open more than once.
bool is_read_again(const std::string& path);

/// Whether a run reads its input twice: --two-pass, and GIF, whose palette is computed from the whole clip if it can be
/// read again.
bool runs_twice(const Options& options);

/// Removes what first passes that were killed have left in a folder, and returns how many there were.
int remove_left_passes(const std::string& folder);

/// Runs twice: first writing only the encoder's statistics, then the output. `run` performs one run with the options
/// and the task that it is given; EncodeTask::pass identifies the first. Does not throw: what cannot work in two passes
/// is an Outcome with its error.
Outcome run_twice(const Options& options, const std::function<Outcome(const Options&, const EncodeTask&)>& run);

}  // namespace vfilter
