#pragma once
// The driver's current context: all that the library's copy of the CUDA runtime shares with a caller's.

namespace vfilter {

/// The calling thread's; null where it has none.
void* current_context();
/// Makes it the calling thread's, or none with null. One that is gone is ignored.
void make_current(void* context);

}  // namespace vfilter
