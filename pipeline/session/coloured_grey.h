#pragma once
// Matrices that are no averages, on chroma.

#include <vector>

#include "filters/filters.h"
#include "pipeline/engine/filter_engine.h"

namespace vfilter {

/// Tells of each matrix that makes another colour of grey in YUV pictures of that format, where the user has not said
/// what is to become of chroma: the middle of its range stands for no colour.
void tell_coloured_grey(const std::vector<FilterSpec>& filters, const PictureFormat& format);

}  // namespace vfilter
