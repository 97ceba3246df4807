#pragma once
// Options that were given and have no effect in this run.

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// One sentence each, without the final period: "--timeout changes nothing: ...". `container` is null if nothing is
/// written.
std::vector<std::string> idle_options(const Options& options, const Demuxer& input, const AVOutputFormat* container);
/// At the end: that a picture is a video of one picture if it was meant to be shown for longer. `made` is the number of
/// pictures that came out.
void tell_single_picture(const Options& options, const Demuxer& input, std::int64_t made);
/// Logs a line for each.
void tell_idle(const std::vector<std::string>& idle);

}  // namespace vfilter
