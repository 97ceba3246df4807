#pragma once
// Opens encoders: what is tried if one refuses, what is reported about that, and others like one that is open.

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/encoder_pass.h"
#include "io/codec/part_encoders.h"
#include "io/codec/picture_stream.h"
#include "io/handles.h"

namespace vfilter {

/// How an encoder was opened: everything that is needed to open another one like it.
struct EncoderRecipe {
    Dictionary settings{};       ///< of libavcodec and of the encoder
    EncoderParts parts{};        ///< how the video is divided among such encoders
    CodecContextPtr set_up{};    ///< the context as it was before it was opened; null if there is only one
    bool removes_notes = false;  ///< removes from headers what encoders say about themselves
};

/// Opens `encoder`, which is set up and has its format, as the options and the task ask for; if it refuses, in one
/// thread or without fields, which is reported. Sets up `pass` if the task is one of two passes. Throws Error(encoder)
/// if the encoder refuses, Error(usage) for an option it does not know, and as EncoderPass::set_up() and parts_for().
EncoderRecipe open_encoder(const OutputOptions& options, const EncodeTask& task, const PictureStream& stream,
                           const AVFrame& first, AVCodecContext& encoder, EncoderPass& pass);

/// Opens another encoder like `first`, which was opened with this recipe, one for several encoders. Thread-safe. Throws
/// Error(encoder).
CodecContextPtr open_like(const EncoderRecipe& recipe, const AVCodecContext& first);

}  // namespace vfilter
