#pragma once
// The number of a run's first picture in the input.

#include <cstdint>
#include <functional>
#include <map>

#include "io/input/input_request.h"

namespace vfilter {

/// Opens a file separately and counts, for each filtered video, the pictures before `start` (microseconds on the
/// input's clock), up to which it reads. Empty if that is impossible: for inputs that can be read only once or continue
/// by themselves, and for fields in separate packets. Reports nothing; throws only std::bad_alloc.
std::map<int, std::int64_t> count_pictures_before(const InputRequest& input, std::int64_t start,
                                                  const std::function<bool()>& interrupted);

}  // namespace vfilter
