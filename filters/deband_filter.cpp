// Against bands.

#include <cmath>

#include "filters/filter_rows.h"

namespace vfilter {

namespace {

constexpr std::string_view switch_names[] = {"off", "on"};

// The places of its parameters.
enum DebandParameter : std::size_t { deband_threshold_at, deband_range_at, deband_blur_at };

constexpr Parameter deband_parameters[] = {
    {.name = "threshold",
     .unit = "levels of 256",
     .minimum = 0.25,
     .maximum = 64,
     .help = "a sample stays as it is where one of the four differs by more; bands differ by 1, codec blocks by 2 or 3",
     .fallback = 1},
    {.name = "range",
     .unit = "pixels",
     .minimum = 1,
     .maximum = max_deband_radius,
     .help = "largest distance of the four samples along either axis; half the width of a band turns it into a ramp",
     .fallback = 16,
     .whole = true},
    {.name = "blur",
     .help = "on: compares the mean of the four, rounded half up, instead of each of them; removes coarser bands, but "
             "also more texture",
     .fallback = 0,
     .choices = switch_names},
};
constexpr Strength deband_strengths[] = {{deband_threshold_at, factor_step, true}, {deband_range_at, size_step, false}};

Operation make_deband(const FilterSpec& spec, const TargetPlane& plane) {
    const int range = static_cast<int>(spec.value(deband_range_at));
    return Deband{.depth = plane.depth,
                  .radius_x = ceil_div(range, plane.pitch_x),
                  .radius_y = ceil_div(range, plane.pitch_y),
                  .threshold = static_cast<int>(std::ldexp(spec.value(deband_threshold_at), plane.depth - 8)),
                  .blur = spec.value(deband_blur_at) == 1,
                  .dither = spec.effective_dither()};
}

}  // namespace

FilterDef deband_filter() {
    return {
        .name = "deband",
        .help = "removes bands in skies and gradients: the mean of four samples nearby, where they are alike",
        .formula =
            "out(p) = floor((s(x + i, y + j) + s(x - i, y + j) + s(x + i, y - j) + s(x - i, y - j) + d) / 4), 0 <= "
            "i, j <= range, which depend on the position in a 64 x 64 pattern (kernels/arithmetic/deband.h); d = 0, "
            "2 in even rows and 3, 1 in odd ones, or 2 with dither=off; out(p) = s(p) where one of the four differs "
            "from s(p) by more than threshold",
        .source = "",
        .example = "1:range=24",
        .parameters = deband_parameters,
        .strengths = deband_strengths,
        .alpha = false,
        .dithering = Dithering::own,
        .check = no_check,
        .make_own = make_deband};
}

}  // namespace vfilter
