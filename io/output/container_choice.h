#pragma once
// The container of an output.

#include <string>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// The container that the options request: by --format, otherwise by the name, otherwise Matroska for "-". Throws
/// Error(usage).
const AVOutputFormat& choose_container(const OutputOptions& options);

/// For --list formats: those that can be written.
std::string container_list();

}  // namespace vfilter
