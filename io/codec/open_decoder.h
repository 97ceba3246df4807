#pragma once
// The opening of libavcodec's decoders.

#include "io/handles.h"

namespace vfilter {

/// In one thread where the system refuses more. Throws Error(input) if the decoder refuses the stream.
void open_codec(AVCodecContext& context, const AVCodec& codec);

}  // namespace vfilter
