#pragma once
// Options that were given and have nothing to do in this run.

#include <string>
#include <vector>

#include "config/options.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// A sentence for each, without its end: "--timeout changes nothing: ...". `container` is null where nothing is
/// written.
std::vector<std::string> idle_options(const Options& options, const Demuxer& input, const AVOutputFormat* container);
/// A line of the log each.
void tell_idle(const std::vector<std::string>& idle);

}  // namespace vfilter
