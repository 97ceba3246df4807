#pragma once
// Distinguishes an allocation that the system refused from other FFmpeg errors.

#include <cstddef>

namespace vfilter {

/// Whether the system refused memory since errno was set to 0, in this thread. To be called right after the call in
/// question, which requested about `size` bytes, if that is known.
[[nodiscard]] bool memory_was_refused(std::size_t size = 0);

}  // namespace vfilter
