// Filters that take noise and keep edges.

#include <iterator>

#include "filters/filter_rows.h"

namespace vfilter {

namespace {

constexpr Parameter nl_means_parameters[] = {
    {.name = "sigma",
     .unit = "levels of 256",
     .minimum = 0.5,
     .maximum = 50,
     .help = "standard deviation of the noise"},
    {.name = "patch",
     .unit = "samples",
     .minimum = min_nl_means_size,
     .maximum = max_patch_size,
     .odd = true,
     .help = "side of the squares that are compared",
     .fallback = 7},
    {.name = "search",
     .unit = "samples",
     .minimum = min_nl_means_size,
     .maximum = max_search_size,
     .odd = true,
     .help = "side of the square in which like ones are looked for",
     .fallback = 11},
};
constexpr Strength nl_means_strengths[] = {{0, factor_step, true}};

std::string check_nl_means(const FilterSpec& spec) {
    return spec.given(0) ? "" : "the noise is needed, as in sigma=4";
}

Operation make_nl_means_operation(const FilterSpec& spec, const TargetPlane& plane) {
    return make_nl_means(plane.depth, *spec.values[0], static_cast<int>(spec.value(1)),
                         static_cast<int>(spec.value(2)));
}

// What --denoise calls by a name: noise in luma and in chroma.
struct Denoising {
    double luma;
    double chroma;
    int patch;
    int search;
};
constexpr Denoising denoisings[] = {
    {2, 3, 7, 9},    // light: of a good camera
    {4, 5, 7, 11},   // medium
    {8, 10, 7, 13},  // strong: of a dark room
    {2, 6, 5, 11},   // film: most of luma's grain stays
    {5, 6, 7, 15},   // animation: flat areas, and lines that go on
};
constexpr std::string_view denoising_names[] = {"light", "medium", "strong", "film", "animation"};
static_assert(std::size(denoisings) == std::size(denoising_names));

constexpr Parameter denoise_parameters[] = {
    {.name = "kind",
     .help = "how much: light (sigma 2), medium (4), strong (8); film (2, chroma 6) keeps grain; animation (5) looks "
             "further",
     .choices = denoising_names},
};

std::string check_denoise(const FilterSpec& spec) {
    return spec.given(0) ? "" : "what kind is needed: light, medium, strong, film or animation";
}

Operation make_denoising(const FilterSpec& spec, const TargetPlane& plane) {
    const Denoising& kind = denoisings[static_cast<std::size_t>(*spec.values[0])];
    const bool chroma = plane.components[0] == Component::cb || plane.components[0] == Component::cr;
    return make_nl_means(plane.depth, chroma ? kind.chroma : kind.luma, kind.patch, kind.search);
}

}  // namespace

FilterDef denoise_filter() {
    return {.name = "denoise",
            .help = "against noise, by a name: nlmeans with arguments for usual cases",
            .formula =
                "as nlmeans; "
                "light: sigma 2, chroma 3, search 9; medium: 4, 5, 11; strong: 8, 10, 13; "
                "film: 2, 6, 11, patch 5; animation: 5, 6, 15; patch 7 but for film",
            .source = "",
            .example = "medium",
            .parameters = denoise_parameters,
            .chroma = Chroma::same,
            .has_width = false,
            .alpha = false,
            .check = check_denoise,
            .make_own = make_denoising};
}

FilterDef nl_means_filter() {
    return {.name = "nlmeans",
            .help = "against noise, with edges kept: the mean of those samples nearby whose surroundings look alike",
            .formula =
                "out(p) = sum of w(o) s(p + o) / sum of w(o), over the offsets o of search; "
                "w(o) = max(0, 1 - (mean of |s(p + q) - s(p + o + q)| over the offsets q of patch) / (r sigma)), "
                "r = 1.7 for sigma 10, from 2.0 for weak to 1.5 for strong noise",
            .source =
                "A. Buades, B. Coll, J.-M. Morel, A non-local algorithm for image denoising, 2005; "
                "here with absolute differences and weights that fall in a straight line",
            .example = "4",
            .parameters = nl_means_parameters,
            .strengths = nl_means_strengths,
            .chroma = Chroma::same,
            .has_width = false,
            .alpha = false,
            .check = check_nl_means,
            .make_own = make_nl_means_operation};
}

}  // namespace vfilter
