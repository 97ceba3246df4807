#include "io/formats/samples.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "io/formats/formats.h"
#include "io/formats/packed_samples.h"
#include "io/formats/sample_layout.h"
#include "io/formats/sample_rows.h"

namespace vfilter {

namespace {

// Alpha is full, too.
bool is_full_component(const Layout& layout, int component, AVColorRange range) {
    return component == layout.colour_count || is_full_range(layout.format, range);
}

}  // namespace

int distance(AVPixelFormat from_format, AVPixelFormat to_format) {
    const std::optional<Layout> from = layout_of(from_format);
    const std::optional<Layout> to = layout_of(to_format);
    // A J says that the range is full, which nothing here would see to.
    if (!from || !to || !to->can_be_written() || without_j(to_format) != to_format || (from->alpha && !to->alpha) ||
        to->colour_count < from->colour_count) {
        return -1;
    }
    if (from->colours == Colours::yuv && (from->descriptor->log2_chroma_w != to->descriptor->log2_chroma_w ||
                                          from->descriptor->log2_chroma_h != to->descriptor->log2_chroma_h)) {
        return -1;
    }
    constexpr int other_layout = 1;
    constexpr int other_depth = 2;  // for each bit, of 16 at most
    constexpr int other_components = 100;
    int sum = (from_format == to_format ? 0 : other_layout) + (to->swapped ? other_layout : 0) +
              (to->count() - from->count()) * other_components;
    if (from->colours == Colours::gray && to->colours == Colours::yuv) {
        sum += other_components;  // it leans on a tag for the range
    }
    for (int i = 0; i < to->count(); ++i) {
        const int source = source_of(i, *from, *to);
        const int more = source < 0 ? 0 : to->components[i].depth - from->components[source].depth;
        if (more < 0) {
            return -1;
        }
        sum += more * other_depth;
    }
    return sum;
}

bool holds(AVPixelFormat to_format, AVPixelFormat from_format) {
    if (distance(from_format, to_format) < 0) {
        return false;
    }
    const AVPixFmtDescriptor& from = *av_pix_fmt_desc_get(from_format);
    const AVPixFmtDescriptor& to = *av_pix_fmt_desc_get(to_format);
    // Gray's range is full unless it is tagged, and so is RGB's; with YUV the tag has to say so.
    return colours_of(from) == colours_of(to) ||
           (colours_of(from) == Colours::gray &&
            (colours_of(to) == Colours::yuv || (colours_of(to) == Colours::rgb && has_alpha(from_format))));
}

bool rounds_to(AVPixelFormat to_format, const AVFrame& picture) {
    const std::optional<Layout> from = layout_of(static_cast<AVPixelFormat>(picture.format));
    const std::optional<Layout> to = layout_of(to_format);
    if (!from || !to || !to->can_be_written()) {
        return false;
    }
    const bool gray = from->colours == Colours::gray;
    const bool luma = from->colours == Colours::yuv && to->colours == Colours::gray;
    const bool j = without_j(to_format) != to_format;
    return luma || (from->colours == Colours::rgb && to->colours == Colours::rgb) ||
           (gray && to->colours != Colours::xyz && (!j || is_full_component(*from, 0, picture.color_range)) &&
            (to->colours != Colours::rgb || is_full_component(*from, 0, picture.color_range)));
}

void rearrange(const AVFrame& from_frame, AVFrame& to_frame) {
    const std::optional<Layout> from = layout_of(static_cast<AVPixelFormat>(from_frame.format));
    const std::optional<Layout> to = layout_of(static_cast<AVPixelFormat>(to_frame.format));
    if (!from || !to) {
        throw Error(ExitCode::internal, "rearrange: a format without a description");
    }
    if (rearrange_packed(from_frame, *from, to_frame, *to)) {
        return;
    }
    clear_unowned_bits(*to, to_frame);
    struct Move {
        int source;  // component, -1 for none
        int width;
        int height;
        std::uint16_t constant;
        std::vector<std::uint16_t> other_depth;  // empty if the depth is the same
    };
    std::vector<Move> moves;
    for (int i = 0; i < to->count(); ++i) {
        const Component& target = to->components[i];
        const int source = source_of(i, *from, *to);
        const int depth = source < 0 ? target.depth : from->components[source].depth;
        const auto constant = static_cast<std::uint16_t>(i == to->colour_count ? (1U << depth) - 1 : 1U << (depth - 1));
        const bool full_range = is_full_component(*from, source, from_frame.color_range);
        moves.push_back(
            {source, AV_CEIL_RSHIFT(to_frame.width, target.log2_width),
             AV_CEIL_RSHIFT(to_frame.height, target.log2_height), constant,
             depth == target.depth ? std::vector<std::uint16_t>{} : depth_table(depth, target.depth, full_range)});
    }
    // Row by row, while what several components share is in the cache.
    std::vector<std::uint16_t> row(static_cast<std::size_t>(to_frame.width));
    for (int y = 0; y < to_frame.height; ++y) {
        for (int i = 0; i < to->count(); ++i) {
            const Move& move = moves[static_cast<std::size_t>(i)];
            if (y >= move.height) {
                continue;
            }
            if (move.source < 0) {
                std::ranges::fill(row, move.constant);
            } else {
                read_row(*from, from_frame, move.source, y, row.data(), move.width);
            }
            if (!move.other_depth.empty()) {
                std::transform(row.begin(), row.begin() + move.width, row.begin(),
                               [&](std::uint16_t value) { return move.other_depth[value]; });
            }
            write_row(*to, to_frame, i, y, row.data(), move.width);
        }
    }
}

void rearrange_alpha(const AVFrame& from_frame, AVFrame& to_frame) {
    const std::optional<Layout> from = layout_of(static_cast<AVPixelFormat>(from_frame.format));
    const std::optional<Layout> to = layout_of(static_cast<AVPixelFormat>(to_frame.format));
    if (!from || !to || !to->alpha || !to->can_be_written()) {
        return;
    }
    const int depth = to->components[to->colour_count].depth;
    const int given = from->alpha ? from->components[from->colour_count].depth : depth;
    if (depth == 8 && given == 8 && from->alpha) {
        return;
    }
    const std::vector<std::uint16_t> depths = depth_table(given, depth, true);
    std::vector<std::uint16_t> row(static_cast<std::size_t>(to_frame.width),
                                   static_cast<std::uint16_t>((1U << depth) - 1));
    for (int y = 0; y < to_frame.height; ++y) {
        if (from->alpha) {
            read_row(*from, from_frame, from->colour_count, y, row.data(), to_frame.width);
            std::ranges::transform(row, row.begin(), [&](std::uint16_t value) { return depths[value]; });
        }
        write_row(*to, to_frame, to->colour_count, y, row.data(), to_frame.width);
    }
}

}  // namespace vfilter
