#pragma once
// Splits packed pixels (RGB24, BGRA, RGB48, ...) into planes and recombines them, with all components in one pass.
// Processing one component after the other would read every pixel several times, and the data between its samples keeps
// compilers from vectorizing that.

#include "io/formats/sample_layout.h"
#include "io/handles.h"

namespace vfilter {

/// `rearrange` for the case that one of the two has pixels of three or four whole words and the other a plane of such
/// words for each component, with the same depth. Otherwise returns false and does nothing.
bool rearrange_packed(const AVFrame& from_frame, const Layout& from, AVFrame& to_frame, const Layout& to);

}  // namespace vfilter
