#include "pipeline/cpu_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <opencv2/core/utility.hpp>

namespace vfilter {

namespace {

// A piece of work: rows [first, last) of one field of one plane.
struct Band {
    const SimdConvolution* convolution;
    const PlaneLayout* layout;
    int field;
    int first;
    int last;
};

template <class T>
void filter_band(const Band& band, const AVFrame& from, const AVFrame& to, int fields, Border border) {
    const PlaneView<const T> src = plane_view<const T>(from, *band.layout, band.field, fields);
    const PlaneView<T> dst = plane_view<T>(to, *band.layout, band.field, fields);
    band.convolution->run(src, dst, border, band.layout->black, band.first, band.last);
}

}  // namespace

CpuEngine::CpuEngine(const std::vector<FilterSpec>& filters, const PictureFormat& format, FramePool& pool, int threads)
    : format_(format), pool_(pool), threads_(threads), layouts_(plane_layouts(format)) {
    for (const FilterSpec& filter : filters) {
        Stage stage{filter.border, {}};
        for (const PlaneLayout& layout : layouts_) {
            auto convolution = plane_convolution(filter, layout);
            stage.planes.emplace_back(
                convolution ? std::optional<SimdConvolution>(std::in_place, *std::move(convolution)) : std::nullopt);
        }
        stages_.push_back(std::move(stage));
    }
}

std::string CpuEngine::name() const {
    return fmt::format("cpu ({}, {} thread{})", simd_target(), threads_, threads_ == 1 ? "" : "s");
}

void CpuEngine::submit(Frame frame) {
    for (const Stage& stage : stages_) {
        frame.picture = run(stage, *frame.picture);
    }
    result_ = std::move(frame);
}

Frame CpuEngine::take() {
    Frame frame = std::move(*result_);
    result_.reset();
    return frame;
}

FramePtr CpuEngine::run(const Stage& stage, const AVFrame& from) const {
    FramePtr to = make_result_picture(format_, pool_, from);

    const int fields = field_count(from);
    std::vector<Band> bands;
    int spare_buffer = 1;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
        const PlaneLayout& layout = layouts_[i];
        if (!stage.planes[i]) {
            share_plane(*to, from, layout.index, spare_buffer);
            continue;
        }
        for (int field = 0; field < fields; ++field) {
            const int height = (layout.height - field + fields - 1) / fields;  // 0 for the lower field of one row
            const int count = height > 0 ? stage.planes[i]->bands(height, threads_) : 0;
            for (int n = 0; n < count; ++n) {
                // Even, because the kernels work on two rows at once.
                const auto cut = [&](int at) { return at == count ? height : height * at / count & ~1; };
                bands.push_back({&*stage.planes[i], &layout, field, cut(n), cut(n + 1)});
            }
        }
    }
    const auto work = [&](const cv::Range& range) {
        for (int n = range.start; n < range.end; ++n) {
            const Band& band = bands[static_cast<std::size_t>(n)];
            if (band.layout->depth == 8) {
                filter_band<std::uint8_t>(band, from, *to, fields, stage.border);
            } else {
                filter_band<std::uint16_t>(band, from, *to, fields, stage.border);
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
    cv::setNumThreads(std::min(threads, cv::getNumberOfCPUs()));  // more are refused, with a message of TBB's own
    return std::make_unique<CpuEngine>(filters, format, pool, threads);
}

}  // namespace vfilter
