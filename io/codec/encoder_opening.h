#pragma once
// Opens encoders: what is tried where one refuses, what is said of that, and others like one that is open.

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/encoder_pass.h"
#include "io/codec/part_encoders.h"
#include "io/codec/picture_stream.h"
#include "io/handles.h"

namespace vfilter {

/// How an encoder was opened: all that it takes to open another one alike.
struct EncoderRecipe {
    Dictionary settings{};       ///< libavcodec's and the encoder's own
    EncoderParts parts{};        ///< how the video is dealt to encoders like this
    CodecContextPtr set_up{};    ///< as it was before it was opened; null with a single one
    bool removes_notes = false;  ///< what encoders say of themselves is not to be in their headers
};

/// Opens `encoder`, which is set up and has its format: as the options and the task ask for, or else in one thread, or
/// without fields. Tells what becomes of the pictures then. `pass` is set up where the task is one of two. Throws
/// Error(encoder) if it refuses, Error(usage) for an option that it does not know, and as EncoderPass::set_up() and
/// parts_for().
EncoderRecipe open_encoder(const OutputOptions& options, const EncodeTask& task, const PictureStream& stream,
                           const AVFrame& first, AVCodecContext& encoder, EncoderPass& pass);

/// Another one like `first`, which was opened by this recipe for several. Thread-safe. Throws Error(encoder).
CodecContextPtr open_like(const EncoderRecipe& recipe, const AVCodecContext& first);

}  // namespace vfilter
