#pragma once
// Where a benchmark ran.

#include <string>
#include <vector>

#include "bench/report.h"

namespace vfilter::bench {

/// Processor, memory, system, versions, commit; and GPU `gpu` unless it is negative.
std::vector<Fact> machine_facts(int gpu);

/// Whether CUDA can use a GPU of this number; false in a program without CUDA. If not, `why` says it in words.
bool gpu_is_there(int gpu, std::string& why);

/// Now, in UTC: "2026-11-21T12:00:00Z".
std::string date_now();

}  // namespace vfilter::bench
