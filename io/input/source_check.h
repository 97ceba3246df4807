#pragma once

#include "io/input/input_request.h"
// Whether options match the kind of input.

namespace vfilter {

/// Throws Error(usage) if the options contradict the kind of input: a network that was not allowed, a filter graph that
/// accesses files, a size for something other than a camera, and so on. Opens nothing.
void check_source(const InputRequest& options);

}  // namespace vfilter
