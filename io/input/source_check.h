#pragma once
// Whether options fit the kind of input that they are for.

#include "config/io_options.h"

namespace vfilter {

/// Throws Error(usage) where the options contradict the kind of input: a network that was not allowed, a graph of
/// filters that reach files, a size for what is no camera, and so on. Opens nothing.
void check_source(const InputOptions& options);

}  // namespace vfilter
