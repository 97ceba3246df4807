#include "pipeline/engine/cpu_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/core/utility.hpp>

namespace vfilter {

namespace {

// A piece of work: rows [first, last) of one field of one plane.
struct Band {
    const SimdFilter* filter;
    const GrayImage* weights;  ///< or null
    RowRange weighted;         ///< rows of the plane outside of which nothing changes
    const PlaneLayout* layout;
    int field;
    int first;
    int last;
};

template <class T>
void filter_band(const Band& band, const AVFrame& from, const AVFrame& to, int fields, Border border) {
    const PlaneView<const T> src = plane_view<const T>(from, *band.layout, band.field, fields);
    const PlaneView<T> dst = plane_view<T>(to, *band.layout, band.field, fields);
    // The field's rows that hold the plane's weighted ones, from an even one on: the kernels work on two at once.
    const int first = std::clamp((band.weighted.first - band.field) / fields & ~1, band.first, band.last);
    const int last = std::clamp((band.weighted.last - band.field + fields - 1) / fields, first, band.last);
    if (last > first) {
        band.filter->run<T>(src, dst, border, band.layout->black, first, last);
    }
    if (band.weights == nullptr) {
        return;
    }
    for (int y = band.first; y < band.last; ++y) {
        if (y < first || y >= last) {
            std::copy_n(src.row(y), src.samples(), dst.row(y));
        }
    }
    blend_rows<T>(*band.weights, band.field, fields, src, dst, first, last);
}

}  // namespace

CpuEngine::CpuEngine(const std::vector<FilterSpec>& filters, const PictureFormat& format, FramePool& pool, int threads)
    : format_(format), pool_(pool), threads_(threads), layouts_(plane_layouts(format)) {
    for (const FilterSpec& filter : filters) {
        Step step{make_step(filter, format), {}, {}};
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            const std::optional<Operation>& plane = step.filter.planes[i];
            step.planes.push_back(plane ? std::optional<SimdFilter>(std::in_place, *plane) : std::nullopt);
            step.rows.push_back(step.filter.weights.empty() ? RowRange{0, layouts_[i].height}
                                                            : weighted_rows(step.filter.weights[i]));
        }
        steps_.push_back(std::move(step));
    }
}

std::string CpuEngine::name() const {
    return fmt::format("cpu ({}, {} thread{})", simd_target(), threads_, threads_ == 1 ? "" : "s");
}

void CpuEngine::submit(Frame frame) {
    for (const Step& step : steps_) {
        frame.picture = run(step, *frame.picture);
    }
    result_ = std::move(frame);
}

Frame CpuEngine::take() {
    Frame frame = std::move(*result_);
    result_.reset();
    return frame;
}

FramePtr CpuEngine::run(const Step& step, const AVFrame& from) const {
    FramePtr to = make_result_picture(format_, pool_, from);

    const int fields = field_count(from);
    std::vector<Band> bands;
    int spare_buffer = 1;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
        const PlaneLayout& layout = layouts_[i];
        const GrayImage* const weights = step.filter.weights.empty() ? nullptr : &step.filter.weights[i];
        if (!step.planes[i]) {
            share_plane(*to, from, layout.index, spare_buffer);
            continue;
        }
        for (int field = 0; field < fields; ++field) {
            const int height = (layout.height - field + fields - 1) / fields;  // 0 for the lower field of one row
            const int count = height > 0 ? step.planes[i]->bands(height, threads_) : 0;
            for (int n = 0; n < count; ++n) {
                // Even, because the kernels work on two rows at once.
                const auto cut = [&](int at) { return at == count ? height : height * at / count & ~1; };
                bands.push_back({&*step.planes[i], weights, step.rows[i], &layout, field, cut(n), cut(n + 1)});
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
