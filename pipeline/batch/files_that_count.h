#pragma once
// Files other than the input whose content affects the output.

#include <string>
#include <vector>

#include "config/options.h"

namespace vfilter {

/// Their paths: masks and tracks, and files named by graphs and by options of encoders and inputs. Each picture of a
/// sequence is one.
std::vector<std::string> files_that_count(const Options& options);

}  // namespace vfilter
