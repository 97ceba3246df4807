#pragma once
// The filter chain on the CPU: SIMD code over bands of rows on all cores. A filter with a window in time keeps that
// window of the pictures that the filters before it produce, so it sees them filtered.

#include <deque>
#include <memory>
#include <optional>
#include <span>

#include "kernels/cpu/plane_filter.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/planes.h"
#include "pipeline/engine/time_window.h"

namespace vfilter {

class CpuEngine : public FilterEngine {
public:
    CpuEngine(const std::vector<FilterSpec>& filters, const PictureFormat& format, FramePool& pool, int threads);

    void submit(Frame frame) override;
    void finish() override;
    Frame take() override;
    [[nodiscard]] std::size_t delay() const override { return delay_; }
    [[nodiscard]] std::size_t in_flight() const override { return in_flight_; }
    [[nodiscard]] std::size_t slots() const override { return delay_ + 1; }
    [[nodiscard]] std::string name() const override;
    [[nodiscard]] std::vector<StepCount> step_counts() const override;

private:
    struct Step {
        FilterStep filter;
        std::vector<std::optional<PlaneFilter>> planes;  ///< as layouts_; empty if a plane is left alone
        std::vector<std::size_t> neighbours;  ///< that the operation of a plane reads: all of the window, or none
        std::optional<TimeWindow> window;     ///< empty if only the picture itself is read
    };
    using Neighbours = std::span<const AVFrame* const>;

    void pass(std::size_t first, Frame frame);
    void pass_on_ready(std::size_t number);
    void filter(Step& step, Frame& frame, Neighbours neighbours) const;
    [[nodiscard]] FramePtr run(const Step& step, const AVFrame& from, Neighbours neighbours,
                               const std::vector<PlaneWeights>* weights) const;

    PictureFormat format_;
    FramePool& pool_;
    int threads_;
    std::vector<PlaneLayout> layouts_;
    std::vector<Step> steps_;
    std::deque<Frame> results_;
    std::size_t in_flight_ = 0;
    std::size_t delay_ = 0;
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
