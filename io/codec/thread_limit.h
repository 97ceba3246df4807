#pragma once
// How many threads are useful, and whether the system provides more: codecs only report that they cannot be opened.

namespace vfilter {

/// Number of processors on which this process may run, at least 1. Thread-safe. (From glibc 2.35 on,
/// std::thread::hardware_concurrency() returns all processors of the machine.)
int usable_cores();

/// Tries to start one thread. Thread-safe.
bool refuses_threads();

}  // namespace vfilter
