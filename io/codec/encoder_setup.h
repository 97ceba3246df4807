#pragma once
// An encoder before it is opened: which one it is, and what libavcodec's own fields tell it about the pictures.

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/picture_stream.h"
#include "io/handles.h"

namespace vfilter {

/// With these flags an encoder encodes the two fields of a picture separately.
inline constexpr int field_coding = AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;

/// A context of the encoder that the options or else the container ask for, with size, clock, colours and flags for
/// pictures like `first`. It is not open, and has no pixel format and no range yet. Throws as choose_codec(), and
/// std::bad_alloc.
CodecContextPtr set_up_encoder(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                               const PictureStream& stream, const AVFrame& first);

/// For an open encoder: sets the field order that the container is to state. Some encoders must not know it.
void set_containers_field_order(const AVStream& stream, const AVFrame& first, AVCodecContext& encoder);

}  // namespace vfilter
