#pragma once
// SVG, which is drawn: its size is what it says, and what drawing it takes is not.

#include <string>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

class InputBytes;

/// Why an input that was opened is not drawn, "" if it is, or is no SVG: nobody has said that it is one, or an image in
/// it is too large. Call it before anything is decoded. `bytes` is null where FFmpeg opened the input by its name; of a
/// pipe all is read, and it stands at the beginning again.
std::string why_not_drawn(const InputOptions& options, const AVFormatContext& format, const InputBytes* bytes);

}  // namespace vfilter
