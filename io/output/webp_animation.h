#pragma once
// What FFmpeg's muxer of WebP does not say of the pictures of an animation.

#include "io/output/output_file.h"

namespace vfilter {

/// Of a finished file whose pictures are whole ones: each takes the place of the one before. The muxer says that they
/// are blended, so that where one is transparent the former ones would be seen. Throws Error(output).
void replace_pictures(OutputFile& file);

}  // namespace vfilter
