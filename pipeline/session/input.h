#pragma once
// The input of a run, opened while the device starts up.

#include <functional>

#include "config/options.h"
#include "io/input/input_request.h"
#include "pipeline/session/opening.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// The options, where "webcam" is the first camera, unless there is a file of that name. Throws Error(input) if there
/// is no camera.
Options with_implied_options(Options options);

/// What a run with these options asks of its input.
InputRequest request_of(const Options& options);

/// Checks what can be checked before anything is opened: the kind of input, file names, masks. Throws Error.
void check_request(const Options& options);

/// Creates the device and the demuxer of `parts`, and examines the first pictures unless the input is live.
/// `interrupted` is called while waiting for the input, and must be valid as long as the demuxer exists; whatever
/// `opening` leaves behind uses it, `options` and `parts`. Throws Error: errors of the device take precedence over
/// errors of the input.
void open_input(const Options& options, const std::function<bool()>& interrupted, Opening& opening, RunParts& parts);

/// The filters adapted to a live input: those with a window in time read no later picture unless they were told to
/// (after=0). Reports what that means, and how long pictures wait. Other filters stay as they are.
std::vector<FilterSpec> with_live_windows(std::vector<FilterSpec> filters, double frame_rate);

/// If filters depend on picture numbers and the run begins at --start: reads the file up to that point once more, as
/// times determine numbers only if the rate is constant.
void number_pictures(const Options& options, const std::function<bool()>& interrupted, RunParts& parts);

/// Reports if the clock of MPEG-TS or MPEG-PS begins late and `container`, whose own clock begins at 0, keeps its
/// times.
void tell_late_clock(const AVOutputFormat& container, const Demuxer& input);

/// Once the input is open: adapts the filters of the run, and of its preview, to that input.
void fit_filters(Options& options, RunParts& parts);

}  // namespace vfilter
