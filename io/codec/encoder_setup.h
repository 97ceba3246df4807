#pragma once
// An encoder before it is opened: which one it is, and what libavcodec's own fields tell it of the pictures.

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/picture_stream.h"
#include "io/handles.h"

namespace vfilter {

/// By these flags an encoder keeps the two fields of a picture apart.
inline constexpr int field_coding = AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME;

/// The encoder that the options or else the container ask for, with size, clock, colours and flags for pictures like
/// `first`; it has no pixel format and no range yet, and is not open. Throws as choose_codec(), and std::bad_alloc.
CodecContextPtr set_up_encoder(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                               const PictureStream& stream, const AVFrame& first);

/// Of an encoder that is open: the order of fields that the container is to tell, which not every encoder may know.
void tell_container_of_fields(const AVStream& stream, const AVFrame& first, AVCodecContext& encoder);

}  // namespace vfilter
