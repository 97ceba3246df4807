#include "pipeline/engine/cuda_trace.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "pipeline/engine/cuda_device.h"

namespace vfilter {

namespace {

// Events' times are floats: a fresh reference now and then keeps them exact to a microsecond.
constexpr float max_clock_milliseconds = 4000;

}  // namespace

CudaTrace::CudaTrace(Trace& trace, int device, const std::vector<CudaSlot>& slots)
    : trace_(trace), clock_(make_event(EventUse::sleep)), next_clock_(make_event(EventUse::sleep)) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
        lanes_.push_back(trace.lane(fmt::format("cuda:{} stream {}", device, i)));
    }
    start_check(cudaEventRecord(clock_.get(), slots.front().stream.get()), "cudaEventRecord");
    start_check(cudaEventSynchronize(clock_.get()), "cudaEventSynchronize");
    clock_time_ = Trace::Clock::now();
}

void CudaTrace::show(const CudaSlot& slot, std::size_t n) {
    float last = 0;
    const auto time = [&](const CudaEvent& event) {
        run_check(cudaEventElapsedTime(&last, clock_.get(), event.get()), "cudaEventElapsedTime");
        return clock_time_ + std::chrono::duration_cast<Trace::Clock::duration>(
                                 std::chrono::duration<double, std::milli>(static_cast<double>(last)));
    };
    const auto begun = time(slot.begun);
    const auto uploaded = time(slot.uploaded);
    const auto computed = time(slot.computed);
    const auto done = time(slot.done);
    trace_.span(lanes_[n], "upload", slot.frame.index, begun, uploaded);
    trace_.span(lanes_[n], "kernels", slot.frame.index, uploaded, computed);
    trace_.span(lanes_[n], "download", slot.frame.index, computed, done);
    if (last > max_clock_milliseconds) {
        slot.record(next_clock_);
        run_check(cudaEventSynchronize(next_clock_.get()), "cudaEventSynchronize");
        clock_time_ = time(next_clock_);
        std::swap(clock_, next_clock_);
    }
}

}  // namespace vfilter
