#pragma once
// The filter chain on the CPU: SIMD code over bands of rows on all cores.

#include <memory>
#include <optional>

#include "kernels/cpu/plane_filter.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/planes.h"

namespace vfilter {

class CpuEngine : public FilterEngine {
public:
    CpuEngine(const std::vector<FilterSpec>& filters, const PictureFormat& format, FramePool& pool, int threads);

    void submit(Frame frame) override;
    Frame take() override;
    [[nodiscard]] std::size_t in_flight() const override { return result_ ? 1 : 0; }
    [[nodiscard]] std::size_t slots() const override { return 1; }
    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::vector<StepCount> step_counts() const override;

private:
    struct Step {
        FilterStep filter;
        std::vector<std::optional<PlaneFilter>> planes;  ///< as layouts_; empty where a plane is left alone
    };

    [[nodiscard]] FramePtr run(const Step& step, const AVFrame& from, const std::vector<PlaneWeights>* weights) const;

    PictureFormat format_;
    FramePool& pool_;
    int threads_;
    std::vector<PlaneLayout> layouts_;
    std::vector<Step> steps_;
    std::optional<Frame> result_;
};

class CpuDevice : public FilterDevice {
public:
    explicit CpuDevice(int threads, std::string note = {}) : threads_(threads), note_(std::move(note)) {}
    [[nodiscard]] PictureAllocator allocator() const override { return allocate_picture; }
    [[nodiscard]] std::unique_ptr<FilterEngine> make_engine(const std::vector<FilterSpec>& filters,
                                                            const PictureFormat& format, FramePool& pool,
                                                            Trace* trace) const override;
    [[nodiscard]] std::string note() const override { return note_; }

private:
    int threads_;
    std::string note_;
};

}  // namespace vfilter
