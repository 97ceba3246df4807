#pragma once
// Matrices whose weights do not sum to one, on chroma.

#include <vector>

#include "filters/filters.h"
#include "pipeline/engine/filter_engine.h"

namespace vfilter {

/// Warns about each matrix that would tint grey in YUV pictures of that format, unless the user has said how to treat
/// chroma: the middle of its range stands for no colour.
void tell_coloured_grey(const std::vector<FilterSpec>& filters, const PictureFormat& format);

}  // namespace vfilter
