#include "pipeline/engine/planes.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "io/compat.h"
#include "io/formats/format_facts.h"

namespace vfilter {

std::vector<PlaneLayout> plane_layouts(const PictureFormat& format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(format.format);
    if (d == nullptr) {
        throw Error(ExitCode::internal, "plane_layouts: no such pixel format");
    }
    const bool rgb = is_rgb(format.format);
    const bool with_alpha = has_alpha(format.format);
    const auto component_of = [&](int i) {
        constexpr Component colours[] = {Component::red, Component::green, Component::blue};
        constexpr Component parts[] = {Component::luma, Component::cb, Component::cr};
        return with_alpha && i == d->nb_components - 1 ? Component::alpha : (rgb ? colours : parts)[i];
    };
    std::vector<PlaneLayout> planes;
    for (int i = 0; i < d->nb_components; ++i) {
        const AVComponentDescriptor& c = d->comp[i];
        const auto found = std::ranges::find(planes, c.plane, &PlaneLayout::index);
        if (found != planes.end()) {
            found->components[c.offset > d->comp[i - 1].offset ? 1 : 0] = component_of(i);  // NV12's chroma, NV21's
            continue;
        }
        const bool alpha = with_alpha && i == d->nb_components - 1;
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
        plane.components.fill(component_of(i));
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

// Whether the colour's samples are the same as with a matrix that is known: luma is the grey, and chroma its middle.
// That holds of black wherever planes are luma and chroma.
bool has_known_samples(const Colour& colour, AVColorSpace matrix) {
    if (colour.red != colour.green || colour.green != colour.blue || matrix == AVCOL_SPC_RGB) {
        return false;
    }
    return colour.red == 0 || matrix == AVCOL_SPC_YCGCO || matrix == AVCOL_SPC_ICTCP ||
           matrix == AVCOL_SPC_CHROMA_DERIVED_NCL || matrix == AVCOL_SPC_CHROMA_DERIVED_CL;
}

// Colours are told in red, green and blue.
void check_colour(const FilterSpec& filter, const PictureFormat& format) {
    const AVColorSpace matrix = format.unknown_matrix;
    const auto& parameters = filter.def->parameters;
    if (matrix == AVCOL_SPC_UNSPECIFIED || is_rgb(format.format)) {
        return;
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!parameters[i].colour || !filter.given(i)) {
            continue;
        }
        const Colour colour = Colour::unpacked(static_cast<std::uint32_t>(*filter.values[i]));
        if (!has_known_samples(colour, matrix)) {
            const char* const name = av_color_space_name(matrix);
            throw Error(
                ExitCode::usage,
                fmt::format("{}: what {} is in pictures of the colour matrix {} is not known; --vf zscale=m=709 "
                            "before it makes them BT.709, or setparams=colorspace=bt709 where they are that",
                            filter.def->name, to_string(colour),
                            name != nullptr ? std::string(name) : std::to_string(static_cast<int>(matrix))));
        }
    }
}

std::optional<Operation> plane_filter(const FilterSpec& filter, const PictureFormat& format,
                                      const PlaneLayout& layout) {
    try {
        return plane_operation(filter, {.depth = layout.depth,
                                        .pitch_x = layout.pitch_x,
                                        .pitch_y = layout.pitch_y,
                                        .picture_width = format.width,
                                        .picture_height = format.height,
                                        .orientation = format.orientation,
                                        .components = layout.components,
                                        .matrix = format.matrix,
                                        .full_range = format.full_range});
    } catch (const std::invalid_argument& error) {
        throw Error(ExitCode::usage, fmt::format("{}: {}", filter.def->name, error.what()));
    }
}

FilterStep make_step(const FilterSpec& filter, const PictureFormat& format) {
    check_colour(filter, format);
    const std::vector<PlaneLayout> layouts = plane_layouts(format);
    std::vector<std::optional<Operation>> planes;
    planes.reserve(layouts.size());
    for (const PlaneLayout& layout : layouts) {
        planes.push_back(plane_filter(filter, format, layout));
    }
    const auto filtered = [](const std::optional<Operation>& plane) { return plane.has_value(); };
    if (is_rgb(format.format) && filter.effective_chroma() == Chroma::neutral &&
        std::ranges::none_of(planes, filtered)) {
        throw Error(ExitCode::usage, fmt::format("{}: RGB pictures have no chroma to set to grey; --vf format=yuv444p "
                                                 "before it makes them YUV",
                                                 filter.def->name));
    }
    return {filter.border, std::move(planes), StepRegion(filter, format, layouts)};
}

}  // namespace vfilter
