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

}  // namespace vfilter
