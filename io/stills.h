#pragma once
// Outputs that are pictures: one file, or a file for each.

#include <optional>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/picture_names.h"

namespace vfilter {

/// What an output of pictures is made of.
struct Stills {
    const AVCodec* codec = nullptr;             ///< null if this FFmpeg has no encoder for them
    const AVOutputFormat* container = nullptr;  ///< that takes what the encoder makes, one picture after another
    std::optional<PictureNames> names{};        ///< of a sequence; else all goes to the one name
};

/// Nothing where the output is a video: by --format, else by the name's ending. A sequence is asked for by a name with
/// a number in it (frames_%04d.png); with the ending of a format of videos such a name is just one.
std::optional<Stills> stills_of(const OutputOptions& options);

/// Whether its pictures are JPEG files, which readers take for full range whatever is said of them.
bool is_full_range_still(const OutputOptions& options);

}  // namespace vfilter
