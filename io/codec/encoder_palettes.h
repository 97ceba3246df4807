#pragma once
// Palettes for encoders of 256 colours, chosen for the pictures.

#include <memory>

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/palette.h"
#include "io/codec/picture_stream.h"

namespace vfilter {

/// Makes the palettes for an encoder of 256 colours, and sets the format and the colours of `encoder`, which is set up
/// and not open. Null for any other encoder, and for pictures that it takes as they are: gray, and pixels made for it.
/// `first` and `kept` as for Encoder. Reports what becomes of the colours. Throws Error.
std::unique_ptr<Palettes> palettes_for(const OutputOptions& options, const EncodeTask& task,
                                       const AVOutputFormat& container, const PictureStream& stream,
                                       const AVFrame& first, AVPixelFormat kept, AVCodecContext& encoder);

}  // namespace vfilter
