// The part of CudaEngine that is about steps with time.

#include "pipeline/engine/cuda_engine.h"

namespace vfilter {

CudaEngine::Steps CudaEngine::leg(std::size_t number) const {
    return {number == 0 ? 0 : windowed_[number - 1], number == windows() ? steps_.size() : windowed_[number]};
}

// The slot's last picture is looked at by those that came after it, whose results may be on their way.
void CudaEngine::wait_for_readers(CudaSlot& slot, std::int64_t picture) {
    const std::int64_t last = picture - std::ssize(slots_);
    for (std::int64_t reader = last + 1; last >= 0 && reader <= last + legs_.longest_memory(); ++reader) {
        run_check(cudaStreamWaitEvent(slot.stream.get(), slot_of(reader).computed.get(), 0), "cudaStreamWaitEvent");
    }
}

void CudaEngine::keep_for_window(CudaSlot& slot, std::size_t window) const {
    std::vector<PlaneAt>& kept = slot.windowed[window];
    kept.clear();
    for (std::size_t n = 0; n < active_.size(); ++n) {
        CudaSlot::Plane& plane = slot.planes[n];
        kept.push_back(plane.at);
        if (steps_[windowed_[window]].filters(active_[n])) {
            plane.kept |= 1U << plane.image;
        }
    }
}

void CudaEngine::pass_on_ready() {
    while (const std::optional<WindowLegs::Turn> turn = legs_.next()) {
        CudaSlot& slot = slot_of(turn->picture);
        for (const std::int64_t neighbour : turn->neighbours) {
            if (neighbour != turn->picture) {
                run_check(cudaStreamWaitEvent(slot.stream.get(), slot_of(neighbour).ready[turn->leg].get(), 0),
                          "cudaStreamWaitEvent");
            }
        }
        take_turns(slot, leg(turn->leg + 1));
        pass(slot, turn->leg + 1, &*turn);
    }
}

void CudaEngine::finish() {
    if (windows() > 0) {
        run_check(cudaSetDevice(device_), "cudaSetDevice");
        legs_.end();
        pass_on_ready();
    }
}

}  // namespace vfilter
