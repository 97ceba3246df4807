#include "io/formats/sample_layout.h"

#include <bit>

namespace vfilter {

namespace {

constexpr std::uint64_t without_integers = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;
constexpr int max_bits = 16;

}  // namespace

std::optional<Layout> layout_of(AVPixelFormat format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format);
    // UYYVYY411's luma has no step of its own, and no description.
    if (d == nullptr || (d->flags & without_integers) != 0 || format == AV_PIX_FMT_UYYVYY411) {
        return std::nullopt;
    }
    Layout layout;
    layout.descriptor = d;
    layout.format = format;
    layout.colours = colours_of(*d);
    layout.colour_count = layout.colours == Colours::gray ? 1 : 3;
    layout.alpha = layout.has(AV_PIX_FMT_FLAG_ALPHA);
    layout.swapped = layout.has(AV_PIX_FMT_FLAG_BE) != (std::endian::native == std::endian::big);
    for (int i = 0; i < layout.count(); ++i) {
        // A palette's components are all found through the one that the planes hold.
        const AVComponentDescriptor& c = d->comp[layout.has(AV_PIX_FMT_FLAG_PAL) ? 0 : i];
        const bool byte = c.shift + c.depth <= 8;
        const bool chroma = layout.colours == Colours::yuv && (i == 1 || i == 2);
        layout.components[i] = {c.plane,
                                // FFmpeg describes the halves of a big-endian word as if it were little-endian.
                                c.offset + (byte && layout.has(AV_PIX_FMT_FLAG_BE) ? 1 : 0), c.step,
                                byte                      ? 1
                                : c.shift + c.depth <= 16 ? 2
                                                          : 4,
                                c.shift, c.depth, chroma ? d->log2_chroma_w : 0, chroma ? d->log2_chroma_h : 0};
        // Nor is there a description of bit streams of more than bytes.
        if (c.depth < 1 || c.depth > max_bits || (layout.has(AV_PIX_FMT_FLAG_BITSTREAM) && c.depth >= 8)) {
            return std::nullopt;
        }
    }
    if (format == AV_PIX_FMT_RGB8) {
        // Described as 2, 3 and 3 bits; swscale, libavcodec's palettes and V4L2 have the most of red and green.
        constexpr int shifts[] = {5, 2, 0};
        constexpr int depths[] = {3, 3, 2};
        for (int i = 0; i < layout.count(); ++i) {
            layout.components[i].shift = shifts[i];
            layout.components[i].depth = depths[i];
        }
    }
    return layout;
}

int source_of(int component, const Layout& from, const Layout& to) {
    if (component == to.colour_count) {
        return from.alpha ? from.colour_count : -1;
    }
    if (from.colours == Colours::gray) {
        return to.colours == Colours::yuv && component > 0 ? -1 : 0;
    }
    return component;
}

}  // namespace vfilter
