#pragma once
// Files besides an input on whose content it depends what becomes of it.

#include <string>
#include <vector>

#include "config/options.h"

namespace vfilter {

/// Their paths: of masks and tracks, and those that graphs and options of encoders and inputs name. Each picture of a
/// sequence is one.
std::vector<std::string> files_that_count(const Options& options);

}  // namespace vfilter
