#pragma once
// The opening of libavcodec's decoders.

#include <string_view>

#include "io/handles.h"

namespace vfilter {

/// What has to be told with pictures without a container.
inline constexpr std::string_view facts_of_raw_pictures =
    "raw pictures say nothing of themselves: --input-format rawvideo --input-option video_size=WIDTHxHEIGHT, and "
    "--input-option pixel_format=NAME --input-option framerate=RATE where they are not yuv420p at 25";

/// In one thread where the system refuses more. Throws Error(input) if the decoder refuses the stream.
void open_codec(AVCodecContext& context, const AVCodec& codec);

}  // namespace vfilter
