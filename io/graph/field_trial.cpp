#include "io/graph/field_trial.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "config/lavfi/facts.h"
#include "io/compat.h"

namespace vfilter {

namespace {

constexpr int shown_components = 3;  // components but alpha
using Levels = std::array<int, 2>;
// Of each component the mean of the rows of either field, in steps of 8 bits.
using FieldMeans = std::array<std::array<double, 2>, shown_components>;

bool can_be_drawn(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    constexpr std::uint64_t others =
        AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER;
    return d != nullptr && (d->flags & others) == 0 && d->comp[0].depth >= 8;
}

int count_of_shown(const AVPixFmtDescriptor& d) {
    return d.nb_components - ((d.flags & AV_PIX_FMT_FLAG_ALPHA) != 0 ? 1 : 0);
}

// Of a component's plane.
std::array<int, 2> size_of(const AVPixFmtDescriptor& d, int component, const AVFrame& picture) {
    const bool chroma = (component == 1 || component == 2) && (d.flags & AV_PIX_FMT_FLAG_RGB) == 0;
    return {AV_CEIL_RSHIFT(picture.width, chroma ? d.log2_chroma_w : 0),
            AV_CEIL_RSHIFT(picture.height, chroma ? d.log2_chroma_h : 0)};
}

// The left half of each row has its field's level. The right half is all levels in all pictures, so that filters that
// go by a picture's histogram do the same to each.
void draw(AVFrame& picture, const Levels& levels) {
    constexpr int all = 220;
    constexpr int darkest = 16;
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
    for (const AVBufferRef* const buffer : picture.buf) {
        if (buffer != nullptr) {
            std::memset(buffer->data, 0, buffer->size);  // lines are added to what is there
        }
    }
    for (int component = 0; component < d.nb_components; ++component) {
        const auto [width, height] = size_of(d, component, picture);
        const int depth = d.comp[component].depth;
        const auto scaled = [&](int level) {
            return static_cast<std::uint16_t>(depth >= 8 ? level << (depth - 8) : level >> (8 - depth));
        };
        std::vector<std::uint16_t> row(static_cast<std::size_t>(width));
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                const bool shade = x >= width / 2;
                const int level = shade ? darkest + (x - width / 2) * all / (width - width / 2)
                                        : levels[static_cast<std::size_t>(y % 2)];
                row[static_cast<std::size_t>(x)] = scaled(level);
            }
            av_write_image_line(row.data(), picture.data, picture.linesize, &d, 0, y, component, width);
        }
    }
}

FieldMeans means_of(const AVFrame& picture) {
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(picture.format));
    FieldMeans means{};
    for (int component = 0; component < std::min(shown_components, count_of_shown(d)); ++component) {
        const auto [width, height] = size_of(d, component, picture);
        std::vector<std::uint16_t> row(static_cast<std::size_t>(width));
        const double step = std::ldexp(1.0, d.comp[component].depth - 8);
        for (int y = 0; y < height; ++y) {
            av_read_image_line(row.data(), const_cast<const std::uint8_t**>(picture.data), picture.linesize, &d, 0, y,
                               component, width, 0);
            const double sum = std::accumulate(row.begin(), row.end(), 0.0);
            const int rows = (height + 1 - y % 2) / 2;
            means[static_cast<std::size_t>(component)][static_cast<std::size_t>(y % 2)] += sum / width / rows / step;
        }
    }
    return means;
}

struct Tried {
    FieldMeans means{};
    bool turned = false;  // the other field comes first now
};

// What the graph makes of pictures that are all alike; nothing where that is not interlaced or cannot be told.
std::optional<Tried> try_fields(const std::string& text, const GraphPlace& place, const AVFrame& first,
                                const Levels& levels, std::chrono::steady_clock::time_point until) {
    const int pictures = lavfi::some_have(text, lavfi::settles) ? 8 : 3;
    FilterGraph graph(text, place);
    graph.keep_quiet();
    FramePtr drawn = make_frame();
    drawn->format = place.pictures.format;
    drawn->width = place.pictures.width;
    drawn->height = place.pictures.height;
    av_check(av_frame_get_buffer(drawn.get(), 0), "av_frame_get_buffer");
    draw(*drawn, levels);
    av_check(av_frame_copy_props(drawn.get(), &first), "av_frame_copy_props");
    set_interlaced(*drawn, true);
    drawn->sample_aspect_ratio = place.pictures.sample_aspect;
    const AVRational rate = place.pictures.frame_rate;
    const std::int64_t ticks = rate.num > 0 ? av_rescale_q(1, av_inv_q(rate), place.pictures.time_base) : 1;
    FramePtr result;
    for (int i = 0; i <= pictures; ++i) {
        if (std::chrono::steady_clock::now() > until) {
            return std::nullopt;
        }
        FramePtr picture;
        if (i < pictures) {
            picture = make_frame();
            av_check(av_frame_ref(picture.get(), drawn.get()), "av_frame_ref");
            picture->pts = i * std::max<std::int64_t>(1, ticks);
        }
        graph.send(std::move(picture));
        for (FramePtr made = graph.receive(); made; made = graph.receive()) {
            result = std::move(made);
        }
    }
    if (!result || !is_interlaced(*result) || !can_be_drawn(static_cast<AVPixelFormat>(result->format))) {
        return std::nullopt;
    }
    return Tried{means_of(*result), is_top_field_first(*result) != is_top_field_first(*drawn)};
}

}  // namespace

// Filters that keep edges mix what differs little. It is the difference of the fields that counts: some filters move
// all levels.
bool mixes_fields(const std::string& text, const GraphPlace& place, const AVFrame& first) {
    constexpr int level = 100;
    constexpr int other = 104;
    constexpr double least = 0.05;    // of the difference that there is where both fields have either level
    constexpr double rounding = 0.1;  // steps of 8 bits
    constexpr auto longest = std::chrono::milliseconds(500);  // who filters slowly does not wait for this
    if (!can_be_drawn(place.pictures.format)) {
        return false;
    }
    const std::chrono::steady_clock::time_point until = std::chrono::steady_clock::now() + longest;
    const auto both = try_fields(text, place, first, {level, other}, until);
    const auto top = both ? try_fields(text, place, first, {level, level}, until) : std::nullopt;
    const auto bottom = top ? try_fields(text, place, first, {other, other}, until) : std::nullopt;
    if (!bottom) {
        return false;
    }
    for (std::size_t i = 0; i < shown_components; ++i) {
        const double wanted = (bottom->means[i][1] - top->means[i][0]) * (both->turned ? -1 : 1);
        const double made = both->means[i][1] - both->means[i][0];
        if (std::abs(made - wanted) > std::max(least * std::abs(wanted), rounding)) {
            return true;
        }
    }
    return false;
}

}  // namespace vfilter
