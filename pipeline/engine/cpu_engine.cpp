#include "pipeline/engine/cpu_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <opencv2/core/utility.hpp>

namespace vfilter {

namespace {

// A piece of work: rows of one plane.
struct PlaneBand {
    const PlaneFilter* filter;
    const PlaneWeights* weights;  ///< or null
    const PlaneLayout* layout;
    std::span<const AVFrame* const> neighbours;
    RowBand rows;
};

template <class T>
void filter_band(const PlaneBand& band, const AVFrame& from, const AVFrame& to, Border border) {
    const auto [first, last, field, fields] = band.rows;
    std::array<PlaneView<const T>, max_neighbours> seen{};
    for (std::size_t i = 0; i < band.neighbours.size(); ++i) {
        seen.at(i) = plane_view<const T>(*band.neighbours[i], *band.layout, field, fields);
    }
    band.filter->run<T>(plane_view<const T>(from, *band.layout, field, fields),
                        plane_view<T>(to, *band.layout, field, fields), border, band.layout->black, band.rows,
                        band.weights, {seen.data(), band.neighbours.size()});
}

}  // namespace

CpuEngine::CpuEngine(const std::vector<FilterSpec>& filters, const PictureFormat& format, FramePool& pool, int threads)
    : format_(format), pool_(pool), threads_(threads), layouts_(plane_layouts(format)) {
    for (const FilterSpec& filter : filters) {
        Step step{make_step(filter, format), {}, {}, {}};
        if (const TimeReach time = filter.time_reach(); time != TimeReach{}) {
            step.window.emplace(time);
            delay_ += static_cast<std::size_t>(time.after);
        }
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            const std::optional<Operation>& plane = step.filter.planes[i];
            step.planes.push_back(plane ? std::optional<PlaneFilter>(std::in_place, *plane) : std::nullopt);
            step.neighbours.push_back(plane ? static_cast<std::size_t>(vfilter::time_reach(*plane).neighbours()) : 0);
        }
        steps_.push_back(std::move(step));
    }
}

std::string CpuEngine::name() const {
    return fmt::format("cpu ({}, {} thread{})", simd_target(), threads_, threads_ == 1 ? "" : "s");
}

void CpuEngine::submit(Frame frame) {
    ++in_flight_;
    pass(0, std::move(frame));
}

// Through the steps from `first` on, up to one that waits for later pictures.
void CpuEngine::pass(std::size_t first, Frame frame) {
    for (std::size_t i = first; i < steps_.size(); ++i) {
        Step& step = steps_[i];
        if (step.window) {
            step.window->add(std::move(frame));
            pass_on_ready(i);
            return;
        }
        filter(step, frame, {});
    }
    results_.push_back(std::move(frame));
}

void CpuEngine::pass_on_ready(std::size_t number) {
    Step& step = steps_[number];
    while (step.window->ready()) {
        TimeWindow::Windowed made = step.window->next();
        filter(step, made.frame, made.neighbours);
        pass(number + 1, std::move(made.frame));
    }
}

void CpuEngine::finish() {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (steps_[i].window) {
            steps_[i].window->end();
            pass_on_ready(i);
        }
    }
}

void CpuEngine::filter(Step& step, Frame& frame, Neighbours neighbours) const {
    const PictureTime time = picture_time(format_.clock, frame.counted(), frame.picture->pts);
    const StepRegion::Use use = step.filter.region.at(time, field_count(*frame.picture));
    if (use.works) {
        frame.picture = run(step, *frame.picture, neighbours, use.weights);
    }
}

Frame CpuEngine::take() {
    Frame frame = std::move(results_.front());
    results_.pop_front();
    --in_flight_;
    return frame;
}

std::vector<StepCount> CpuEngine::step_counts() const {
    std::vector<StepCount> counts;
    for (const Step& step : steps_) {
        counts.push_back(step.filter.region.count());
    }
    return counts;
}

FramePtr CpuEngine::run(const Step& step, const AVFrame& from, Neighbours neighbours,
                        const std::vector<PlaneWeights>* weights) const {
    FramePtr to = make_result_picture(format_, pool_, from);

    const int fields = field_count(from);
    std::vector<PlaneBand> bands;
    int spare_buffer = 1;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
        const PlaneLayout& layout = layouts_[i];
        const PlaneWeights* const own = weights == nullptr ? nullptr : &(*weights)[i];
        if (!step.planes[i] || (own != nullptr && own->boxes.empty())) {
            share_plane(*to, from, layout.index, spare_buffer);
            continue;
        }
        for (const RowBand& rows : step.planes[i]->bands(layout.height, fields, threads_)) {
            bands.push_back({&*step.planes[i], own, &layout, neighbours.first(step.neighbours[i]), rows});
        }
    }
    const auto work = [&](const cv::Range& range) {
        for (int n = range.start; n < range.end; ++n) {
            const PlaneBand& band = bands[static_cast<std::size_t>(n)];
            if (band.layout->depth == 8) {
                filter_band<std::uint8_t>(band, from, *to, step.filter.border);
            } else {
                filter_band<std::uint16_t>(band, from, *to, step.filter.border);
            }
        }
    };
    const cv::Range all(0, static_cast<int>(bands.size()));
    if (threads_ == 1) {
        work(all);
    } else {
        cv::parallel_for_(all, work, static_cast<double>(bands.size()));
    }
    return to;
}

std::unique_ptr<FilterEngine> CpuDevice::make_engine(const std::vector<FilterSpec>& filters,
                                                     const PictureFormat& format, FramePool& pool,
                                                     Trace* /*trace*/) const {
    const int threads = threads_ > 0 ? threads_ : cv::getNumberOfCPUs();
    // More are refused, with a message of TBB's own. And a preview makes an engine while another one works, whose pool
    // must stay as it is.
    const int workers = std::min(threads, cv::getNumberOfCPUs());
    if (cv::getNumThreads() != workers) {
        cv::setNumThreads(workers);
    }
    return std::make_unique<CpuEngine>(filters, format, pool, threads);
}

}  // namespace vfilter
