#include "pipeline/engine/planes.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "filters/region_geometry.h"
#include "io/compat.h"
#include "io/formats/gray_picture.h"

namespace vfilter {

std::vector<PlaneLayout> plane_layouts(const PictureFormat& format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format.format);
    if (d == nullptr) {
        throw Error(ExitCode::internal, "plane_layouts: no such pixel format");
    }
    const bool rgb = (d->flags & AV_PIX_FMT_FLAG_RGB) != 0;
    const bool has_alpha = (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    std::vector<PlaneLayout> planes;
    for (int i = 0; i < d->nb_components; ++i) {
        const AVComponentDescriptor& c = d->comp[i];
        const auto same = [&](const PlaneLayout& plane) { return plane.index == c.plane; };
        if (std::ranges::any_of(planes, same)) {
            continue;  // the second component of NV12's chroma
        }
        const bool alpha = has_alpha && i == d->nb_components - 1;
        PlaneLayout plane;
        plane.index = c.plane;
        plane.chroma = !rgb && !alpha && i > 0;
        plane.alpha = alpha;
        plane.depth = c.depth;
        plane.lsb = c.shift;
        plane.step = c.step / (c.depth > 8 ? 2 : 1);
        plane.pitch_x = plane.chroma ? 1 << d->log2_chroma_w : 1;
        plane.pitch_y = plane.chroma ? 1 << d->log2_chroma_h : 1;
        plane.width = (format.width + plane.pitch_x - 1) / plane.pitch_x;
        plane.height = (format.height + plane.pitch_y - 1) / plane.pitch_y;
        plane.black = plane.chroma ? 1 << (c.depth - 1) : rgb || alpha || format.full_range ? 0 : 16 << (c.depth - 8);
        planes.push_back(plane);
    }
    return planes;
}

FramePtr make_result_picture(const PictureFormat& format, FramePool& pool, const AVFrame& from) {
    FramePtr to = make_frame();
    to->format = format.format;
    to->width = format.width;
    to->height = format.height;
    pool.fill(*to, format.width, format.height);
    av_check(av_frame_copy_props(to.get(), &from), "av_frame_copy_props");
    return to;
}

void share_plane(AVFrame& to, const AVFrame& from, int plane, int& next_buffer) {
    to.data[plane] = from.data[plane];
    to.linesize[plane] = from.linesize[plane];
    AVBufferRef*& buffer = to.buf[next_buffer++];
    buffer = av_buffer_ref(av_frame_get_plane_buffer(const_cast<AVFrame*>(&from), plane));
    if (buffer == nullptr) {
        throw std::bad_alloc();
    }
}

int field_count(const AVFrame& frame) {
    return is_interlaced(frame) && frame.height > 1 ? 2 : 1;
}

std::optional<Operation> plane_filter(const FilterSpec& filter, const PlaneLayout& layout) {
    const Chroma chroma = filter.effective_chroma();
    if ((layout.chroma && chroma == Chroma::off) || (layout.alpha && !filter.effective_alpha())) {
        return std::nullopt;
    }
    constexpr double grey = 0.5;
    const bool scaled = layout.chroma && chroma == Chroma::scaled;
    try {
        const FilterKernel kernel =
            layout.chroma && chroma == Chroma::neutral
                ? FilterKernel{.bias = grey}
                : filter.def->make(filter, scaled ? layout.pitch_x : 1, scaled ? layout.pitch_y : 1);
        return kernel.identity() ? std::nullopt : std::optional(make_operation(kernel, layout.depth));
    } catch (const std::invalid_argument& error) {
        throw Error(ExitCode::usage, fmt::format("{}: {}", filter.def->name, error.what()));
    }
}

FilterStep make_step(const FilterSpec& filter, const PictureFormat& format) {
    FilterStep step{.border = filter.border, .planes = {}, .weights = {}};
    const std::vector<PlaneLayout> layouts = plane_layouts(format);
    for (const PlaneLayout& layout : layouts) {
        step.planes.push_back(plane_filter(filter, layout));
    }
    if (filter.region.everywhere()) {
        return step;
    }
    try {
        const Orientation turned = format.orientation;
        const Region region = to_stored(filter.region, turned, format.width, format.height);
        GrayImage mask{format.width, format.height, {}};
        if (!region.mask.empty()) {
            GrayImage shown{turned.swaps_sides() ? format.height : format.width,
                            turned.swaps_sides() ? format.width : format.height,
                            {}};
            shown.samples = read_gray_picture(region.mask, shown.width, shown.height);
            mask = to_stored(shown, turned);
        }
        const GrayImage weights = region_weights(region, format.width, format.height, mask);
        for (const PlaneLayout& layout : layouts) {
            step.weights.push_back(plane_weights(weights, layout.pitch_x, layout.pitch_y));
        }
    } catch (const RegionError& error) {
        throw Error(ExitCode::usage, fmt::format("{}: {}", filter.def->name, error.what()));
    }
    return step;
}

}  // namespace vfilter
