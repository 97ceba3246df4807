#include "io/formats/full_range.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "io/formats/format_facts.h"
#include "io/formats/formats.h"
#include "io/formats/sample_layout.h"
#include "io/formats/sample_rows.h"

namespace vfilter {

namespace {

// Half away from zero; the divisor is positive.
std::int64_t divide(std::int64_t value, std::int64_t by) {
    return value >= 0 ? (value + by / 2) / by : -((-value + by / 2) / by);
}

std::vector<std::uint16_t> make_table(int depth, bool chroma, bool to_full) {
    const std::int64_t scale = std::int64_t{1} << (depth - 8);
    const std::int64_t largest = (std::int64_t{1} << depth) - 1;
    const std::int64_t middle = 128 * scale;
    std::vector<std::uint16_t> table;
    for (std::int64_t value = 0; value <= largest; ++value) {
        const std::int64_t limited = chroma ? middle + divide(224 * scale * (value - middle), largest)
                                            : 16 * scale + divide(219 * scale * value, largest);
        const std::int64_t full = chroma ? middle + divide(largest * (value - middle), 224 * scale)
                                         : divide(largest * (value - 16 * scale), 219 * scale);
        table.push_back(static_cast<std::uint16_t>(to_full ? std::clamp<std::int64_t>(full, 0, largest) : limited));
    }
    return table;
}

template <class T>
void look_up(const AVFrame& from, AVFrame& to, int plane, int samples, int rows, int shift,
             const std::vector<std::uint16_t>& table) {
    for (int y = 0; y < rows; ++y) {
        const auto* const source =
            reinterpret_cast<const T*>(from.data[plane] + std::ptrdiff_t{from.linesize[plane]} * y);
        auto* const target = reinterpret_cast<T*>(to.data[plane] + std::ptrdiff_t{to.linesize[plane]} * y);
        for (int x = 0; x < samples; ++x) {
            const auto value = static_cast<std::size_t>(source[x] >> shift);
            target[x] = static_cast<T>(table[value < table.size() ? value : table.size() - 1] << shift);
        }
    }
}

// Of formats that are not native.
void change_rows(const AVFrame& given, const Layout& layout, bool to_full, AVFrame& changed) {
    clear_unowned_bits(layout, changed);
    std::vector<std::uint16_t> row(static_cast<std::size_t>(given.width));
    for (int i = 0; i < layout.count(); ++i) {
        const Component& c = layout.components[i];
        const bool alpha = i == layout.colour_count;
        const bool chroma = layout.colours == Colours::yuv && !alpha && i > 0;
        const std::vector<std::uint16_t> table = make_table(c.depth, chroma, to_full);
        const int width = AV_CEIL_RSHIFT(given.width, c.log2_width);
        for (int y = 0; y < AV_CEIL_RSHIFT(given.height, c.log2_height); ++y) {
            read_row(layout, given, i, y, row.data(), width);
            if (!alpha) {
                std::transform(row.begin(), row.begin() + width, row.begin(),
                               [&](std::uint16_t value) { return table[value]; });
            }
            write_row(layout, changed, i, y, row.data(), width);
        }
    }
}

// A picture in one range, in the other one.
FramePtr change_range(const AVFrame& given, FramePool& pool, AVColorRange target_range) {
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(given.format));
    FramePtr changed = make_frame();
    changed->format = given.format;
    changed->width = given.width;
    changed->height = given.height;
    pool.fill(*changed, given.width, given.height);
    av_check(av_frame_copy_props(changed.get(), &given), "av_frame_copy_props");
    changed->color_range = target_range;
    const std::optional<Layout> layout = layout_of(static_cast<AVPixelFormat>(given.format));
    if (layout && layout->can_be_written() && !is_native(static_cast<AVPixelFormat>(given.format))) {
        change_rows(given, *layout, target_range == AVCOL_RANGE_JPEG, *changed);
        return changed;
    }
    const bool alpha = (d.flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    for (int i = 0; i < d.nb_components; ++i) {
        const AVComponentDescriptor& c = d.comp[i];
        const bool chroma = (i == 1 || i == 2) && (d.flags & AV_PIX_FMT_FLAG_RGB) == 0;
        if (i == 2 && c.plane == d.comp[1].plane) {
            continue;  // NV12: both are in one plane and were looked up together
        }
        const int width = chroma ? AV_CEIL_RSHIFT(given.width, d.log2_chroma_w) : given.width;
        const int rows = chroma ? AV_CEIL_RSHIFT(given.height, d.log2_chroma_h) : given.height;
        const int bytes = c.depth > 8 ? 2 : 1;
        const int samples = width * c.step / bytes;
        if (alpha && i == d.nb_components - 1) {
            av_image_copy_plane(changed->data[c.plane], changed->linesize[c.plane], given.data[c.plane],
                                given.linesize[c.plane], samples * bytes, rows);
            continue;
        }
        const std::vector<std::uint16_t> table = make_table(c.depth, chroma, target_range == AVCOL_RANGE_JPEG);
        if (bytes == 1) {
            look_up<std::uint8_t>(given, *changed, c.plane, samples, rows, c.shift, table);
        } else {
            look_up<std::uint16_t>(given, *changed, c.plane, samples, rows, c.shift, table);
        }
    }
    return changed;
}

}  // namespace

bool has_range(AVPixelFormat format) {
    return is_yuv(format);
}

FramePtr to_limited_range(const AVFrame& full, FramePool& pool) {
    return change_range(full, pool, AVCOL_RANGE_MPEG);
}

FramePtr to_full_range(const AVFrame& limited, FramePool& pool) {
    return change_range(limited, pool, AVCOL_RANGE_JPEG);
}

}  // namespace vfilter
