#pragma once
// What the input says about its pictures and the output cannot say.

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/handles.h"
#include "pipeline/session/run_parts.h"

namespace vfilter {

/// A change of sample values that makes what the output says about their range true.
enum class RangeChange { none, to_limited, to_full };

/// What the input says about its pictures must be said by the output, too. Where that is impossible, values must be
/// changed so that the statement is true, or the loss is reported. The output is tested only for properties that few
/// formats can store. Throws Error.
RangeChange needed_change(const VideoRun& video, const OutputOptions& output, const EncodeTask& task,
                          const AVOutputFormat& container, const RunParts& parts);

}  // namespace vfilter
