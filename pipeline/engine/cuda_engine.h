#pragma once
// The filter chain on an NVIDIA GPU: a ring of slots, each with a stream of its own, so that uploads, kernels and
// downloads of different pictures run at the same time.

#include <cuda_runtime_api.h>

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "pipeline/engine/cuda_device.h"
#include "pipeline/engine/cuda_slot.h"
#include "pipeline/engine/cuda_step.h"
#include "pipeline/engine/cuda_trace.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/image_layout.h"
#include "pipeline/engine/planes.h"
#include "pipeline/engine/window_legs.h"

namespace vfilter {

/// Pictures go in and come out in order by construction: slot after slot. What a window reads of a picture stays in
/// that picture's slot, where the streams of the surrounding pictures read it. CUDA errors while it runs become
/// Error(device_lost): a context that has failed once does not recover.
class CudaEngine : public FilterEngine {
public:
    /// Throws Error(device), stating the memory needed, if the GPU does not have enough even for half of the streams.
    CudaEngine(const std::vector<FilterSpec>& filters, const PictureFormat& format, FramePool& pool, int device,
               int streams, Trace* trace);
    ~CudaEngine() override;
    CudaEngine(const CudaEngine&) = delete;
    CudaEngine& operator=(const CudaEngine&) = delete;

    void submit(Frame frame) override;
    void finish() override;
    Frame take() override;
    [[nodiscard]] std::size_t delay() const override { return legs_.delay(); }
    [[nodiscard]] std::size_t in_flight() const override { return in_flight_; }
    [[nodiscard]] std::size_t slots() const override { return slots_.size(); }
    [[nodiscard]] std::vector<int> gpus() const override {
        return windows() == 0 ? std::vector{device_} : std::vector<int>{};
    }
    /// Planes that are not filtered would be transferred from the other GPU only by its own streams.
    [[nodiscard]] bool takes_from_others() const override { return active_.size() == layouts_.size(); }
    [[nodiscard]] FramePtr on_host(const AVFrame& picture) override;
    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::vector<std::string> kernels() const override;
    [[nodiscard]] EngineCounters counters() const override;
    [[nodiscard]] std::vector<StepCount> step_counts() const override;

private:
    void make_steps(const std::vector<FilterSpec>& filters);
    void make_slots(int streams, bool traced);
    void warm_up();
    /// Index of the slot whose picture comes out next.
    [[nodiscard]] std::size_t oldest() const { return (next_ + slots_.size() - in_flight_) % slots_.size(); }
    [[nodiscard]] FramePtr make_result(const AVFrame& from, cudaStream_t stream);
    void note_host_memory(const ImageLayout& layout);
    /// Steps [first, last).
    struct Steps {
        std::size_t first;
        std::size_t last;
    };
    /// The steps of the leg that begins with that step with a window in time, or those before the first such step.
    [[nodiscard]] Steps leg(std::size_t number) const;
    [[nodiscard]] std::size_t windows() const { return windowed_.size(); }
    [[nodiscard]] CudaSlot& slot_of(std::int64_t picture) {
        return slots_[static_cast<std::size_t>(picture) % slots_.size()];
    }
    bool take_turns(CudaSlot& slot, Steps steps);
    void launch(CudaSlot& slot, Steps steps, const WindowLegs::Turn* turn);
    void begin(CudaSlot& slot);
    [[nodiscard]] ImageLayout on_device(const AVFrame& picture) const;
    /// Whether a picture is read where it is, without a copy.
    [[nodiscard]] bool stays(const AVFrame& picture) const;
    void cross(CudaSlot& slot);
    void bring(CudaSlot& slot, const ImageLayout& from);
    void wait_for_readers(CudaSlot& slot, std::int64_t picture);
    void pass(CudaSlot& slot, std::size_t leg, const WindowLegs::Turn* turn);
    void keep_for_window(CudaSlot& slot, std::size_t window) const;
    void pass_on_ready();
    void complete(CudaSlot& slot);
    void release_sources();
    static void wait(const CudaEvent& event);

    PictureFormat format_;
    FramePool& pool_;
    int device_;
    std::string device_name_;
    std::vector<PlaneLayout> layouts_;
    std::vector<CudaStep> steps_;                      ///< those that filter at least one plane
    std::vector<std::optional<std::size_t>> numbers_;  ///< index in steps_, for each filter of the chain
    std::vector<std::size_t> windowed_;                ///< indices in steps_ of those with a window in time
    WindowLegs legs_{{}};
    std::vector<CudaStep::Turn> turns_;  ///< for the picture whose steps are being launched, as steps_
    std::vector<int> active_;            ///< indices into layouts_ of the planes that any step filters
    ImageLayouts images_{{}};            ///< of the active planes
    std::vector<CudaSlot> slots_;
    std::size_t next_ = 0;        ///< slot of the next picture
    std::int64_t submitted_ = 0;  ///< pictures
    std::size_t in_flight_ = 0;
    std::unordered_set<const void*> known_pinned_;  ///< start addresses of pictures: the pool has only a few
    std::unordered_set<int> near_;                  ///< other GPUs for which direct copies have been checked
    EngineCounters counters_;
    std::optional<CudaTrace> trace_;
};

}  // namespace vfilter
