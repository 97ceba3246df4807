#pragma once
// What the input says of its pictures, and the output cannot say.

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/handles.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// Of the values of samples, so that what the output says of their range is true.
enum class RangeChange { none, to_limited, to_full };

/// What the input says of its pictures has to be said by the output as well: where it cannot, values are to be changed
/// so that what is said is true, or what is lost is told. An output is tried only for what few can say. Throws Error.
RangeChange needed_change(const VideoRun& video, const OutputOptions& output, const EncodeTask& task,
                          const AVOutputFormat& container, const RunParts& parts);

}  // namespace vfilter
