#pragma once
// Whether the system gives more threads. Codecs only say that they cannot be opened.

namespace vfilter {

/// Tries to start one thread. Thread-safe.
bool refuses_threads();

}  // namespace vfilter
