#pragma once
// What FFmpeg's WebP muxer does not say about the pictures of an animation.

#include "io/output/output_file.h"

namespace vfilter {

/// For a finished file with complete pictures: each replaces the previous one. The muxer marks them as blended, so that
/// earlier ones would show through transparent parts. Throws Error(output).
void replace_pictures(OutputFile& file);

}  // namespace vfilter
