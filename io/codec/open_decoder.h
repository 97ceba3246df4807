#pragma once
// The opening of libavcodec's decoders.

#include <cstdint>

#include "io/handles.h"

namespace vfilter {

/// Before it is opened: it is to take no more pixels than that, and to look at checksums that lossless codecs carry.
void limit_decoder(AVCodecContext& context, std::int64_t max_pixels);

/// Before it is opened: what its header has of SEI messages it gets with its first packet: see DecoderPackets.
void leave_out_messages(AVCodecContext& context);

/// In one thread where the system refuses more. Throws Error(input) if the decoder refuses the stream.
void open_codec(AVCodecContext& context, const AVCodec& codec);

}  // namespace vfilter
