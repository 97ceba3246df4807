#include "pipeline/session/noise.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "config/error.h"
#include "io/formats/formats.h"
#include "kernels/arithmetic/noise.h"
#include "pipeline/engine/cpu_engine.h"

namespace vfilter {

namespace {

// Of the planes of one kind.
class MeanNoise {
public:
    void add(int hundredths) {
        sum_ += hundredths;
        ++count_;
    }
    [[nodiscard]] bool any() const { return count_ > 0; }
    // In whole hundredths, rounded half up.
    [[nodiscard]] double level() const {
        const int hundredths = any() ? (2 * sum_ + count_) / (2 * count_) : 0;
        return hundredths / 100.0;
    }

private:
    int sum_ = 0;
    int count_ = 0;
};

void add_picture(NoiseMeter& meter, const AVFrame& picture, const PlaneLayout& layout, int component) {
    const int fields = field_count(picture);
    for (int field = 0; field < std::min(fields, layout.height); ++field) {
        if (layout.depth == 8) {
            meter.add(plane_view<const std::uint8_t>(picture, layout, field, fields), component, layout.black);
        } else {
            meter.add(plane_view<const std::uint16_t>(picture, layout, field, fields), component, layout.black);
        }
    }
}

// As ours filter them, in the format of the first one.
std::vector<FramePtr> native(const std::vector<FramePtr>& decoded, const PictureFormat& format, FramePool& pool) {
    Converter converter =
        Converter::to_native(format.width, format.height, static_cast<AVPixelFormat>(decoded.front()->format));
    std::vector<FramePtr> made;
    for (const FramePtr& picture : decoded) {
        if (!converter.needed(*picture)) {
            made.emplace_back(av_frame_clone(picture.get()));
            continue;
        }
        FramePtr& to = made.emplace_back(make_frame());
        to->format = format.format;
        to->width = format.width;
        to->height = format.height;
        pool.fill(*to, format.width, format.height);
        converter.convert(*picture, *to);
    }
    return made;
}

// What the first `count` filters make of the pictures.
std::vector<FramePtr> filtered(const std::vector<FilterSpec>& filters, std::size_t count,
                               const std::vector<FramePtr>& pictures, const PictureFormat& format, FramePool& pool,
                               int threads) {
    const std::vector<FilterSpec> before(filters.begin(), filters.begin() + static_cast<std::ptrdiff_t>(count));
    const auto engine = CpuDevice(threads).make_engine(before, format, pool, nullptr);
    std::vector<FramePtr> made;
    const auto take = [&] { made.push_back(engine->take().picture); };
    std::int64_t number = 0;
    for (const FramePtr& picture : pictures) {
        engine->submit({FramePtr(av_frame_clone(picture.get())), number++});
        if (engine->in_flight() == engine->slots()) {
            take();
        }
    }
    engine->finish();
    while (engine->in_flight() > 0) {
        take();
    }
    return made;
}

}  // namespace

bool want_noise(const Options& options) {
    const auto wants = [](const FilterSpec& filter) { return filter.wants_noise(); };
    const std::vector<ChainSegment> segments = segments_of(options.filters, options.foreign);
    for (std::size_t i = 1; i < segments.size(); ++i) {
        const auto found = std::ranges::find_if(segments[i].filters, wants);
        if (found != segments[i].filters.end()) {
            const bool cropped = options.auto_crop && i == 1;
            throw Error(ExitCode::usage,
                        fmt::format("{}: auto measures the noise of the input, and not what {} of it; {}give sigma=S",
                                    found->def->name, cropped ? "--crop auto leaves" : "--vf makes",
                                    cropped ? "" : "put it before, or "));
        }
    }
    return std::ranges::any_of(segments.front().filters, wants);
}

NoiseLevels noise_of(const std::vector<FramePtr>& pictures, const PictureFormat& format) {
    MeanNoise luma;
    MeanNoise chroma;
    for (const PlaneLayout& layout : plane_layouts(format)) {
        for (int component = 0; component < layout.step && !layout.alpha; ++component) {
            NoiseMeter meter(layout.depth);
            for (const FramePtr& picture : pictures) {
                add_picture(meter, *picture, layout, component);
            }
            (layout.chroma ? chroma : luma).add(meter.hundredths());
        }
    }
    return {luma.level(), chroma.any() ? std::optional(chroma.level()) : std::nullopt};
}

std::vector<FilterSpec> with_measured_noise(std::vector<FilterSpec> filters, const std::vector<FramePtr>& decoded,
                                            const PictureFormat& format, int threads,
                                            std::vector<MeasuredNoise>& measured) {
    if (decoded.empty()) {
        throw Error(ExitCode::input, "there is no picture in which the noise could be measured: give sigma=S");
    }
    FramePool pool(allocate_picture);
    const std::vector<FramePtr> pictures = native(decoded, format, pool);
    for (std::size_t i = 0; i < filters.size(); ++i) {
        if (!filters[i].wants_noise()) {
            continue;
        }
        const NoiseLevels noise = noise_of(filtered(filters, i, pictures, format, pool, threads), format);
        const std::string asked = to_string(filters[i]);
        const std::string_view name = filters[i].def->name;
        filters[i] = with_noise(filters[i], noise);
        const std::string chroma = noise.chroma ? fmt::format(", chroma {:.2f}", *noise.chroma) : "";
        const std::string where =
            pictures.size() == 1 ? "the first picture" : fmt::format("the first {} pictures", pictures.size());
        spdlog::info("{} {}: noise of sigma {:.2f}{} in {}; as --{} {}", name, asked, noise.luma, chroma, where,
                     filters[i].def->name, to_string(filters[i]));
        measured.push_back({std::string(name), noise, pictures.size()});
    }
    return filters;
}

}  // namespace vfilter
