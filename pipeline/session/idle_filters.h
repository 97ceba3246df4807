#pragma once
// Filters that were requested and have done nothing.

#include <string>
#include <vector>

#include "filters/filters.h"
#include "pipeline/engine/filter_engine.h"

namespace vfilter {

/// What a run that has seen all pictures has to report about filters that changed none of them, and about tracks and
/// times of `enable` that contain none: a mistyped number leaves visible what was to be hidden. One sentence each,
/// without the final period. `counts` belong to `filters`.
std::vector<std::string> idle_filters(const std::vector<FilterSpec>& filters, const std::vector<StepCount>& counts);

/// A filter's chroma arguments if the pictures have no chroma: a sentence, or "".
std::string idle_chroma(const FilterSpec& filter, const PictureFormat& format);
/// The border argument of a filter that reads no sample outside the picture: a sentence, or "".
std::string idle_border(const FilterSpec& filter);
/// Reports both for all filters.
void tell_idle_arguments(const std::vector<FilterSpec>& filters, const PictureFormat& format);

}  // namespace vfilter
