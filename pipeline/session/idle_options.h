#pragma once
// Options that were given and have nothing to do in this run.

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// A sentence for each, without its end: "--timeout changes nothing: ...". `container` is null where nothing is
/// written.
std::vector<std::string> idle_options(const Options& options, const Demuxer& input, const AVOutputFormat* container);
/// At the end: that a picture is a video of one picture, where it was to be shown for longer. `made` is how many came
/// out.
void tell_single_picture(const Options& options, const Demuxer& input, std::int64_t made);
/// A line of the log each.
void tell_idle(const std::vector<std::string>& idle);

}  // namespace vfilter
