#include "pipeline/engine/cpu_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/core/utility.hpp>

namespace vfilter {

namespace {

// A piece of work: rows [first, last) of one field of one plane.
struct Band {
    const SimdFilter* filter;
    const PlaneWeights* weights;  ///< or null
    const PlaneLayout* layout;
    Reach across;
    Reach down;
    int field;
    int first;
    int last;
};

// Memory of one thread, which is kept.
template <class T>
PlaneView<T> scratch_plane(const PlaneView<const T>& like) {
    thread_local std::vector<T> samples;
    const std::size_t count = static_cast<std::size_t>(like.samples()) * static_cast<std::size_t>(like.height);
    if (samples.size() < count) {
        samples.resize(count);
    }
    return {samples.data(), like.width, like.height, like.samples() * static_cast<std::ptrdiff_t>(sizeof(T)),
            like.step,      like.lsb};
}

// Only what results in the boxes are made of is filtered.
template <class T>
void filter_boxes(const Band& band, const PlaneView<const T>& src, const PlaneView<T>& dst, int fields, Border border) {
    for (int y = band.first; y < band.last; ++y) {
        std::copy_n(src.row(y), src.samples(), dst.row(y));
    }
    for (const WeightBox& box : band.weights->boxes) {
        // The field's rows that are the box's.
        const auto row_from = [&](int row) { return std::max(row - band.field + fields - 1, 0) / fields; };
        const int first = std::max(row_from(box.top), band.first);
        const int last = std::min(row_from(box.bottom()), band.last);
        if (first >= last) {
            continue;
        }
        const LinePart columns = part_of_line(band.across, border, box.left, box.right(), src.width);
        const LinePart rows = part_of_line(band.down, border, first, last, src.height);
        const std::ptrdiff_t left = std::ptrdiff_t{columns.first} * src.step;
        const PlaneView<const T> part{
            src.row(rows.first) + left, columns.length(), rows.length(), src.stride, src.step, src.lsb};
        const PlaneView<T> made = scratch_plane<T>(part);
        band.filter->run<T>(part, made, border, band.layout->black, first - rows.first, last - rows.first);
        const std::ptrdiff_t inside = std::ptrdiff_t{box.left - columns.first} * src.step;
        const std::ptrdiff_t place = std::ptrdiff_t{box.left} * src.step;
        for (int y = first; y < last; ++y) {
            blend_row<T>(band.weights->row(box, y * fields + band.field), src.row(y) + place,
                         made.row(y - rows.first) + inside, dst.row(y) + place, box.width, src.step, src.lsb);
        }
    }
}

template <class T>
void filter_band(const Band& band, const AVFrame& from, const AVFrame& to, int fields, Border border) {
    const PlaneView<const T> src = plane_view<const T>(from, *band.layout, band.field, fields);
    const PlaneView<T> dst = plane_view<T>(to, *band.layout, band.field, fields);
    if (band.weights == nullptr) {
        band.filter->run<T>(src, dst, border, band.layout->black, band.first, band.last);
    } else {
        filter_boxes<T>(band, src, dst, fields, border);
    }
}

}  // namespace

CpuEngine::CpuEngine(const std::vector<FilterSpec>& filters, const PictureFormat& format, FramePool& pool, int threads)
    : format_(format), pool_(pool), threads_(threads), layouts_(plane_layouts(format)) {
    for (const FilterSpec& filter : filters) {
        Step step{make_step(filter, format), {}, {}};
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            const std::optional<Operation>& plane = step.filter.planes[i];
            step.planes.push_back(plane ? std::optional<SimdFilter>(std::in_place, *plane) : std::nullopt);
            step.reaches.push_back(plane ? PartReach{reach_x(*plane), reach_y(*plane)} : PartReach{});
        }
        steps_.push_back(std::move(step));
    }
}

std::string CpuEngine::name() const {
    return fmt::format("cpu ({}, {} thread{})", simd_target(), threads_, threads_ == 1 ? "" : "s");
}

void CpuEngine::submit(Frame frame) {
    const PictureTime time = picture_time(format_.clock, frame.index, frame.picture->pts);
    for (Step& step : steps_) {
        const StepRegion::Use use = step.filter.region.at(time, field_count(*frame.picture));
        if (use.works) {
            frame.picture = run(step, *frame.picture, use.weights);
        }
    }
    result_ = std::move(frame);
}

Frame CpuEngine::take() {
    Frame frame = std::move(*result_);
    result_.reset();
    return frame;
}

std::vector<StepCount> CpuEngine::step_counts() const {
    std::vector<StepCount> counts;
    for (const Step& step : steps_) {
        counts.push_back(step.filter.region.count());
    }
    return counts;
}

FramePtr CpuEngine::run(const Step& step, const AVFrame& from, const std::vector<PlaneWeights>* weights) const {
    FramePtr to = make_result_picture(format_, pool_, from);

    const int fields = field_count(from);
    std::vector<Band> bands;
    int spare_buffer = 1;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
        const PlaneLayout& layout = layouts_[i];
        const PlaneWeights* const own = weights == nullptr ? nullptr : &(*weights)[i];
        if (!step.planes[i] || (own != nullptr && own->boxes.empty())) {
            share_plane(*to, from, layout.index, spare_buffer);
            continue;
        }
        for (int field = 0; field < fields; ++field) {
            const int height = (layout.height - field + fields - 1) / fields;  // 0 for the lower field of one row
            const int count = height > 0 ? step.planes[i]->bands(height, threads_) : 0;
            for (int n = 0; n < count; ++n) {
                // Even, because the kernels work on two rows at once.
                const auto cut = [&](int at) { return at == count ? height : height * at / count & ~1; };
                bands.push_back(
                    {&*step.planes[i], own, &layout, step.reaches[i].x, step.reaches[i].y, field, cut(n), cut(n + 1)});
            }
        }
    }
    const auto work = [&](const cv::Range& range) {
        for (int n = range.start; n < range.end; ++n) {
            const Band& band = bands[static_cast<std::size_t>(n)];
            if (band.layout->depth == 8) {
                filter_band<std::uint8_t>(band, from, *to, fields, step.filter.border);
            } else {
                filter_band<std::uint16_t>(band, from, *to, fields, step.filter.border);
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
