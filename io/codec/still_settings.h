#pragma once
// What encoders of still pictures have to be told, so that everybody reads what they make.

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// Adds it for an encoder that is not open yet. What the user has set stays.
void set_still_options(const OutputOptions& options, const AVFrame& first, AVCodecContext& encoder,
                       Dictionary& settings);

}  // namespace vfilter
