#pragma once
// Further pictures in a file of a photograph (CIPA DC-007, MPF), which parsers take for pictures that follow.

#include <cstdint>

#include "io/input/evidence/bytes.h"

namespace vfilter {

/// How many of those behind the first one, whose bytes these are, belong to it: previews, gain maps, depth. None where
/// some are pictures by themselves: of two cameras, of several angles, of a panorama.
int derived_pictures(Bytes jpeg);

/// Its width and height, with 16 bits each; 0 where no frame is found.
std::uint32_t size_of_jpeg(Bytes jpeg);

/// Whether an mp4 lies behind or between them, as in motion photos.
bool has_movie(Bytes jpeg);

}  // namespace vfilter
