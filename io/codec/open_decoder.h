#pragma once
// Opening libavcodec's decoders.

#include <cstdint>

#include "io/handles.h"

namespace vfilter {

/// Before it is opened: makes it accept no more pixels than that, and check the checksums that lossless codecs carry.
void limit_decoder(AVCodecContext& context, std::int64_t max_pixels);

/// Before it is opened: removes SEI messages from its header, which it gets with its first packet instead: see
/// DecoderPackets.
void leave_out_messages(AVCodecContext& context);

/// Uses one thread if the system refuses more. Throws Error(input) if the decoder refuses the stream.
void open_codec(AVCodecContext& context, const AVCodec& codec);

}  // namespace vfilter
