#pragma once
// Filters that were asked for and have done nothing.

#include <string>
#include <vector>

#include "filters/filters.h"
#include "pipeline/engine/filter_engine.h"

namespace vfilter {

/// What a run that has seen all pictures has to tell of filters that changed none of them, and of tracks and times of
/// `enable` in which none is: a mistyped number leaves bare what was to be covered. A sentence for each, without the
/// end of a sentence. `counts` are those of `filters`.
std::vector<std::string> idle_filters(const std::vector<FilterSpec>& filters, const std::vector<StepCount>& counts);

/// Arguments of a filter that are about chroma, of pictures that have none: a sentence, or "".
std::string idle_chroma(const FilterSpec& filter, const PictureFormat& format);
/// That of a filter which looks at no sample outside of the picture: a sentence, or "".
std::string idle_border(const FilterSpec& filter);
/// Tells both of all filters.
void tell_idle_arguments(const std::vector<FilterSpec>& filters, const PictureFormat& format);

}  // namespace vfilter
