#pragma once
// What an encoder is told besides the pictures' format.

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// Adds the settings for an encoder that is not open yet: our defaults, the quality that was asked for, the user's own
/// options, and HDR10's static data of the first picture and its stream where libavcodec does not pass them on. Later
/// ones win.
void set_encoder_options(const OutputOptions& options, bool live, const AVStream& stream, const AVFrame& first,
                         AVCodecContext& encoder, Dictionary& settings);

}  // namespace vfilter
