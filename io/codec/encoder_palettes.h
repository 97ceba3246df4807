#pragma once
// Encoders of 256 colours, which are chosen for the pictures.

#include <memory>

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/palette.h"
#include "io/codec/picture_stream.h"

namespace vfilter {

/// What makes the pictures of an encoder that takes 256 colours, which is told of their format; null for any other, and
/// for what the encoder takes as it is: gray, and pixels that were made for it. `encoder` is set up and not open yet;
/// `first` and `kept` as for Encoder. Tells what becomes of the colours. Throws Error.
std::unique_ptr<Palettes> palettes_for(const OutputOptions& options, const EncodeTask& task,
                                       const AVOutputFormat& container, const PictureStream& stream,
                                       const AVFrame& first, AVPixelFormat kept, AVCodecContext& encoder);

}  // namespace vfilter
