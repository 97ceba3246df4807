#pragma once
// The input of a run, opened while the device gets up.

#include <functional>

#include "config/options.h"
#include "pipeline/session/opening.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// The options with what follows from names: "webcam" is the first camera, unless there is a file of that name, and an
/// output that is an address is streamed. Throws Error(input) if there is no camera.
Options with_implied_options(Options options);

/// What can be told before anything is opened: the kind of input, the names of files, masks. Throws Error.
void check_request(const Options& options);

/// Makes the device and the demuxer of `parts`, and looks at the first pictures of what is not live. `interrupted` is
/// asked while the input is waited for, and must be valid as long as the demuxer; whatever is left behind of `opening`
/// uses it, `options` and `parts`. Throws Error: what is wrong with the device comes before what is wrong with the
/// input.
void open_input(const Options& options, const std::function<bool()>& interrupted, Opening& opening, RunParts& parts);

/// The filters as a live input needs them: those with time look at no later picture unless they were told to (after=0).
/// Says what that means, and how long pictures wait. Others are left as they are.
std::vector<FilterSpec> with_live_windows(std::vector<FilterSpec> filters, double frame_rate);

/// Where filters go by numbers of pictures and the run begins at --start: has the file read up to there once more, as
/// times tell a number only where the rate is constant.
void number_pictures(const Options& options, const std::function<bool()>& interrupted, RunParts& parts);

/// Says so where the clock of MPEG-TS or MPEG-PS begins late and `container`, whose own begins at 0, keeps its times.
void tell_late_clock(const AVOutputFormat& container, const Demuxer& input);

/// Once the input is open: the filters of the run, and of its preview, as that input needs them.
void fit_filters(Options& options, RunParts& parts);

}  // namespace vfilter
