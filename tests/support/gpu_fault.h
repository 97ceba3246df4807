#pragma once

namespace vfilter::testing {

/// Leaves the process' context on the current GPU in the state of a lost one: every later call fails.
void break_gpu();

}  // namespace vfilter::testing
