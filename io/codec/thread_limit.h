#pragma once
// How many threads are worth while, and whether the system gives more: codecs only say that they cannot be opened.

namespace vfilter {

/// Processors that this process may run on, at least 1. Thread-safe. (std::thread::hardware_concurrency() tells all
/// that the machine has, from glibc 2.35 on.)
int usable_cores();

/// Tries to start one thread. Thread-safe.
bool refuses_threads();

}  // namespace vfilter
