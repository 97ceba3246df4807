#pragma once
// The number of a run's first picture in the input.

#include <cstdint>
#include <functional>
#include <map>

#include "config/io_options.h"

namespace vfilter {

/// Opens a file by itself and counts, of each video that is filtered, the pictures before `start` (microseconds on the
/// input's clock), which it reads up to there. Empty where it cannot: of what comes once or goes on by itself, and of
/// fields that are packets of their own. Says nothing; throws nothing but std::bad_alloc.
std::map<int, std::int64_t> count_pictures_before(const InputOptions& input, std::int64_t start,
                                                  const std::function<bool()>& interrupted);

}  // namespace vfilter
