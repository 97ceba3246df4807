#pragma once
// Tells an allocation that the system refused from other errors of FFmpeg.

#include <cstddef>

namespace vfilter {

/// Whether the system refused memory since errno was 0, in this thread. To be asked right after the call in question,
/// which wanted about `size` bytes, if that is known.
[[nodiscard]] bool memory_was_refused(std::size_t size = 0);

}  // namespace vfilter
