#pragma once
// What the device did and when, on the host's clock, for --trace.

#include <vector>

#include "pipeline/engine/cuda_slot.h"
#include "pipeline/report/trace.h"

namespace vfilter {

/// A lane of the trace for each slot. One thread.
class CudaTrace {
public:
    /// `trace` must outlive it; the slots' events are timed. Throws Error(device).
    CudaTrace(Trace& trace, int device, const std::vector<CudaSlot>& slots);

    /// Adds the upload, kernels and download of the picture that slot `n` has completed. Throws Error(device_lost).
    void show(const CudaSlot& slot, std::size_t n);

private:
    Trace& trace_;
    std::vector<int> lanes_;  // by slot
    CudaEvent clock_;         // an event whose time is known on the host's clock
    CudaEvent next_clock_;
    Trace::Clock::time_point clock_time_;
};

}  // namespace vfilter
