#pragma once
// The preview's screenshots: filtered, original and both, as PNG in the working directory.

#include <string>

#include "pipeline/frame.h"
#include "pipeline/live/preview_picture.h"
#include "pipeline/live/preview_view.h"

namespace vfilter {

/// Saves the picture without anything drawn over it, in its own size, rotated as displayed. In the file with both, the
/// line is in the middle if there is none, and pictures of different shapes are side by side. Returns the common start
/// of the three names, which are new. Throws Error.
std::string save_screenshots(const Frame& frame, const ShownTurns& turns, const PreviewView& view);

}  // namespace vfilter
