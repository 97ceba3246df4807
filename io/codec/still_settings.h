#pragma once
// What encoders of still pictures must be told so that every reader understands their output.

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// Sets it for an encoder that is not open yet. Options set by the user are kept.
void set_still_options(const OutputOptions& options, const AVFrame& first, AVCodecContext& encoder,
                       Dictionary& settings);

}  // namespace vfilter
