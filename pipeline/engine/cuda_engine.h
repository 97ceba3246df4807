#pragma once
// The filter chain on an NVIDIA GPU: a ring of slots, each with a stream of its own, so that uploads, kernels and
// downloads of different pictures run at the same time.

#include <cuda_runtime_api.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "pipeline/engine/cuda_device.h"
#include "pipeline/engine/cuda_stage.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/planes.h"

namespace vfilter {

struct CudaDelete {
    void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
    void operator()(void* memory) const { cudaFree(memory); }
};
using CudaStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, CudaDelete>;
using CudaEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, CudaDelete>;
using DeviceMemory = std::unique_ptr<void, CudaDelete>;

/// Pictures go in and out in order by construction: slot after slot. Errors of CUDA while it runs are
/// Error(device_lost): a context that has failed once does not recover.
class CudaEngine : public FilterEngine {
public:
    /// Throws Error(device), with the memory that is needed, if the GPU does not have it even for half of the streams.
    CudaEngine(const std::vector<FilterSpec>& filters, const PictureFormat& format, FramePool& pool, int device,
               int streams, Trace* trace);
    ~CudaEngine() override;
    CudaEngine(const CudaEngine&) = delete;
    CudaEngine& operator=(const CudaEngine&) = delete;

    void submit(Frame frame) override;
    Frame take() override;
    [[nodiscard]] std::size_t in_flight() const override { return in_flight_; }
    [[nodiscard]] std::size_t slots() const override { return slots_.size(); }
    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::vector<std::string> kernels() const override;
    [[nodiscard]] EngineCounters counters() const override;

private:
    struct Slot {
        CudaStream stream;
        CudaEvent begun;
        CudaEvent uploaded;
        CudaEvent computed;
        CudaEvent done;
        DeviceMemory images[2];  ///< one is filtered into the other
        FramePtr source;         ///< null once its upload has ended
        Frame frame;             ///< the result, its samples still on their way
        int trace_lane = 0;
    };
    /// Where a picture's planes lie in an image on the device.
    struct DeviceLayout {
        std::vector<std::ptrdiff_t> offsets;
        std::vector<std::ptrdiff_t> pitches;
        std::size_t span = 0;          ///< bytes from the first plane to the end of the last, if `whole`
        bool whole = false;            ///< the host's layout, so that one copy takes all planes
        std::uint8_t* host = nullptr;  ///< where that copy begins
    };

    void make_stages(const std::vector<FilterSpec>& filters);
    void make_slots(int streams);
    [[nodiscard]] Slot make_slot();
    void warm_up();
    [[nodiscard]] DeviceLayout layout_of(const AVFrame& picture) const;
    [[nodiscard]] DeviceLayout packed_layout() const;
    [[nodiscard]] FramePtr make_result(const AVFrame& from) const;
    void upload(Slot& slot, const AVFrame& from, const DeviceLayout& layout);
    void download(Slot& slot, AVFrame& to, const DeviceLayout& layout, const std::vector<int>& images);
    [[nodiscard]] std::vector<int> launch(Slot& slot, const DeviceLayout& from, const DeviceLayout& to, int fields);
    void release_sources();
    static void wait(const CudaEvent& event);
    void trace_slot(const Slot& slot);

    PictureFormat format_;
    FramePool& pool_;
    int device_;
    std::string device_name_;
    Trace* trace_;
    std::vector<PlaneLayout> layouts_;
    std::vector<int> active_;        ///< indices into layouts_ of the planes that any stage filters
    std::vector<CudaStage> stages_;  ///< those that filter anything
    std::size_t image_bytes_ = 0;
    std::vector<Slot> slots_;
    std::size_t next_ = 0;  ///< slot of the next picture
    std::size_t in_flight_ = 0;
    std::unordered_set<const void*> known_pinned_;  ///< beginnings of pictures: the pool's are few
    EngineCounters counters_;
    CudaEvent clock_;  ///< an event whose time is known on the host's clock
    CudaEvent next_clock_;
    std::chrono::steady_clock::time_point clock_time_;
};

}  // namespace vfilter
