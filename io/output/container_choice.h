#pragma once
// The container of an output.

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// The container that the options ask for: --format, else by the name, else Matroska for "-". Throws Error(usage).
const AVOutputFormat& choose_container(const OutputOptions& options);

}  // namespace vfilter
