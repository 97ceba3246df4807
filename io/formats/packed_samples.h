#pragma once
// Packed pixels (RGB24, BGRA, RGB48, ...) taken apart into planes and put together again, all components in one pass:
// one component after the other reads every pixel each time, and what is between its samples keeps compilers from
// making vector code of it.

#include "io/formats/sample_layout.h"
#include "io/handles.h"

namespace vfilter {

/// `rearrange` where one of both has pixels of three or four whole words and the other a plane of such words for each
/// component, as many bits deep. False, and nothing done, where that is not so.
bool rearrange_packed(const AVFrame& from_frame, const Layout& from, AVFrame& to_frame, const Layout& to);

}  // namespace vfilter
