#pragma once
// libavcodec's decoder for a stream, opened with what all of ours have in common.

#include <functional>

#include "io/codec/frame_pool.h"
#include "io/input/complaints.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// What a decoder's callbacks reach: where its pictures come from, and what it logs. It must outlive the context and
/// stay where it is.
struct DecoderListener {
    FramePool* pool;  ///< of pictures in ordinary memory
    Complaints complaints{};
    AVPixelFormat format = AV_PIX_FMT_NONE;  ///< of a device's surfaces
};

/// Throws Error(input) if the decoder refuses the stream. `threads`: 0 is one per core. `change` may set more before
/// the context is opened. Of a live input no picture is held back for the sake of speed.
CodecContextPtr open_decoder(const Demuxer& input, int stream, const AVCodec& codec, DecoderListener& listener,
                             int threads, const std::function<void(AVCodecContext&)>& change = {});

/// In one thread where the system refuses more. Throws Error(input) if the decoder refuses the stream.
void open_codec(AVCodecContext& context, const AVCodec& codec);

/// libavcodec's first choice. Throws Error(input).
const AVCodec& decoder_of(const AVStream& stream);

}  // namespace vfilter
