#pragma once
// The preview's screenshots: filtered, original and split, as PNG in the working directory.

#include <string>

#include "pipeline/frame.h"
#include "pipeline/live/preview_view.h"

namespace vfilter {

/// Saves what a picture shows without the text over it, in its own size; the line in the middle where there is none.
/// Returns the beginning of the three names, which are new. Throws Error.
std::string save_screenshots(const Frame& frame, const PreviewView& view);

}  // namespace vfilter
