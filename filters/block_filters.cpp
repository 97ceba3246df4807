// Filters that are no sums of neighbours: what hides a part of the picture.

#include <algorithm>

#include "filters/filter_rows.h"

namespace vfilter {

namespace {

constexpr Parameter pixelate_parameters[] = {
    {.name = "size",
     .unit = "pixels",
     .minimum = 2,
     .maximum = max_block_size,
     .help = "side of each block",
     .whole = true},
};
constexpr Strength pixelate_strengths[] = {{0, 1, false}};

std::string check_pixelate(const FilterSpec& spec) {
    return spec.given(0) ? "" : "the size of the blocks is needed";
}

// Blocks are counted from the top left of the picture as it is shown. Where that is the far end of a stored line, the
// block that the edge cuts comes first.
BlockGrid grid(int size, int pitch, bool from_far_end, int length) {
    return {.size = size, .pitch = pitch, .phase = from_far_end ? (size - length % size) % size : 0};
}

Operation make_pixelation(const FilterSpec& spec, const TargetPlane& plane) {
    const auto size = static_cast<int>(*spec.values[0]);
    const PictureCorner corner = shown_corner(plane.orientation);
    return Pixelation{.depth = plane.depth,
                      .columns = grid(size, plane.pitch_x, corner.right, plane.picture_width),
                      .rows = grid(size, plane.pitch_y, corner.bottom, plane.picture_height)};
}

constexpr Parameter fill_parameters[] = {
    {.name = "colour",
     .help = "a name, such as black, or #rrggbb; #rrggbbaa also sets alpha, which is opaque otherwise",
     .colour = true},
};

std::string check_fill(const FilterSpec& spec) {
    return spec.given(0) ? ""
                         : "a colour is needed, such as black or '#20c040', in quotes, as a shell takes # for a remark";
}

Operation make_fill(const FilterSpec& spec, const TargetPlane& plane) {
    const Colour colour = Colour::unpacked(static_cast<std::uint32_t>(*spec.values[0]));
    const auto sample = [&](Component component) {
        return sample_of(colour, component, plane.matrix, plane.full_range, plane.depth);
    };
    Fill fill{.depth = plane.depth};
    std::ranges::transform(plane.components, fill.values.begin(), sample);
    return fill;
}

}  // namespace

FilterDef pixelate_filter() {
    return {.name = "pixelate",
            .help = "mosaic: each square block becomes its mean colour",
            .formula = "out = mean of the block's samples; blocks are counted from the top left of the picture",
            .source = "",
            .example = "16",
            .parameters = pixelate_parameters,
            .strengths = pixelate_strengths,
            .has_border = false,
            .check = check_pixelate,
            .make_own = make_pixelation};
}

FilterDef fill_filter() {
    return {.name = "fill",
            .help = "solid colour: nothing of the picture is left",
            .formula = "out = the colour, converted by the picture's matrix and range",
            .source = "ITU-T H.273, matrix coefficients",
            .example = "black",
            .parameters = fill_parameters,
            .chroma = Chroma::same,
            .has_width = false,
            .has_border = false,
            .dithering = Dithering::none,
            .check = check_fill,
            .make_own = make_fill};
}

}  // namespace vfilter
