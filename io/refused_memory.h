#pragma once

namespace vfilter {

/// Whether the system refused memory since errno was 0, in this thread. To be asked right after the call in question.
[[nodiscard]] bool memory_was_refused();

}  // namespace vfilter
