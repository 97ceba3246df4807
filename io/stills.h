#pragma once
// Outputs that are pictures: one file, or one file per picture.

#include <optional>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/picture_names.h"

namespace vfilter {

/// How pictures are written.
struct Stills {
    const AVCodec* codec = nullptr;             ///< null if this FFmpeg has no encoder for them
    const AVOutputFormat* container = nullptr;  ///< that accepts the encoder's output, one picture after another
    std::optional<PictureNames> names{};        ///< of a sequence; otherwise everything goes to the one name
};

/// Empty if the output is a video: according to --format, otherwise to the file extension. A sequence is requested by a
/// name that contains a number (frames_%04d.png); with the extension of a video format such a name is an ordinary one.
std::optional<Stills> stills_of(const OutputOptions& options);

/// Whether its pictures are JPEG files, which readers assume to be full range whatever they are marked as.
bool is_full_range_still(const OutputOptions& options);

}  // namespace vfilter
