#pragma once
// The preview's screenshots: filtered, original and both, as PNG in the working directory.

#include <string>

#include "pipeline/frame.h"
#include "pipeline/live/preview_picture.h"
#include "pipeline/live/preview_view.h"

namespace vfilter {

/// Saves what a picture shows without what is drawn over it, in its own size, turned as it is shown; of both the line
/// is in the middle where there is none, and pictures of two shapes stand side by side. Returns the beginning of the
/// three names, which are new. Throws Error.
std::string save_screenshots(const Frame& frame, const ShownTurns& turns, const PreviewView& view);

}  // namespace vfilter
