#pragma once
// What an encoder is told besides the pictures' format.

#include <string_view>
#include <vector>

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/picture_stream.h"
#include "io/handles.h"

namespace vfilter {

/// Adds the settings for an encoder that is not open yet: our defaults, the quality that was asked for, HDR10's static
/// data of the first picture and its stream where libavcodec does not pass them on, and the user's own options. Later
/// ones win; of lists of an encoder library's parameters ("x264-params") their entries do.
void set_encoder_options(const OutputOptions& options, const EncodeTask& task, const PictureStream& stream,
                         const AVFrame& first, AVCodecContext& encoder, Dictionary& settings);

/// Whether the user's options of the encoder say that nothing is to be lost.
bool asks_for_lossless(const OutputOptions& options);

}  // namespace vfilter
