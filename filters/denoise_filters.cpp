// Filters that take noise and keep edges.

#include <algorithm>
#include <cmath>
#include <iterator>

#include "filters/filter_rows.h"
#include "filters/names.h"

namespace vfilter {

namespace {

constexpr double least_sigma = 0.5;
constexpr double most_sigma = 50;
constexpr int most_nl_means_frames = 4;

// The places of nlmeans' parameters.
enum NlMeansParameter : std::size_t { sigma_at, patch_at, search_at, chroma_sigma_at, frames_at, after_at };

constexpr Parameter nl_means_parameters[] = {
    {.name = "sigma",
     .unit = "levels of 256",
     .minimum = least_sigma,
     .maximum = most_sigma,
     .help =
         "standard deviation of the noise; auto measures it in the first 8 pictures, for luma and chroma separately",
     .measured = true},
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
     .help = "side of the square that is searched for similar ones",
     .fallback = 11},
    {.name = "chroma_sigma",
     .unit = "levels of 256",
     .minimum = least_sigma,
     .maximum = most_sigma,
     .help = "the same for the noise in chroma; default: sigma"},
    frames_parameter(0, most_nl_means_frames, 0),
    after_parameter(2 * most_nl_means_frames),
};
constexpr Strength nl_means_strengths[] = {{0, factor_step, true}};

std::string check_nl_means(const FilterSpec& spec) {
    if (!spec.given(sigma_at)) {
        return "the noise is needed, as in sigma=4";
    }
    if (spec.values[sigma_at] == automatic_value && spec.given(chroma_sigma_at)) {
        return "sigma=auto measures chroma's noise, too: give both, or neither";
    }
    return check_time(spec, frames_at);
}

bool is_chroma(const TargetPlane& plane) {
    return plane.components[0] == Component::cb || plane.components[0] == Component::cr;
}

TimeReach nl_means_time(const FilterSpec& spec) {
    return time_reach_of(spec, frames_at);
}

Operation make_nl_means_operation(const FilterSpec& spec, const TargetPlane& plane) {
    const bool own = is_chroma(plane) && spec.given(chroma_sigma_at);
    return make_nl_means(plane.depth, *spec.values[own ? chroma_sigma_at : sigma_at],
                         static_cast<int>(spec.value(patch_at)), static_cast<int>(spec.value(search_at)),
                         nl_means_time(spec));
}

// Hundredths, so that the text of it reads back as the same number.
double sigma_of(double noise) {
    return std::clamp(std::round(noise * 100) / 100, least_sigma, most_sigma);
}

FilterSpec measured_nl_means(const FilterSpec& spec, const NoiseLevels& noise) {
    FilterSpec made = spec;
    made.values[sigma_at] = sigma_of(noise.luma);
    if (noise.chroma) {
        made.values[chroma_sigma_at] = sigma_of(*noise.chroma);
    }
    return made;
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
constexpr std::string_view denoising_names[] = {"light", "medium", "strong", "film", "animation", "auto"};
static_assert(std::size(denoisings) + 1 == std::size(denoising_names));

// The places of denoise's parameters.
enum DenoiseParameter : std::size_t { kind_at, denoise_frames_at };

constexpr Parameter denoise_parameters[] = {
    {.name = "kind",
     .help = "strength: light (sigma 2), medium (4), strong (8); film (2, chroma 6) keeps grain; animation (5) "
             "searches further; auto measures the noise as nlmeans' sigma=auto does",
     .choices = denoising_names},
    frames_parameter(0, most_nl_means_frames, 0),
    after_parameter(2 * most_nl_means_frames),
};

std::string check_denoise(const FilterSpec& spec) {
    if (!spec.given(kind_at)) {
        const std::span<const std::string_view> kinds = spec.def->parameters[kind_at].choices;
        return "what kind is needed: " + join(kinds.first(kinds.size() - 1), ", ") + " or " + std::string(kinds.back());
    }
    return check_time(spec, denoise_frames_at);
}

TimeReach denoise_time(const FilterSpec& spec) {
    return time_reach_of(spec, denoise_frames_at);
}

FilterSpec measured_denoising(const FilterSpec& spec, const NoiseLevels& noise) {
    FilterSpec made = spec;
    made.def = find_filter("nlmeans");
    made.values.assign(made.def->parameters.size(), std::nullopt);
    made.values[frames_at] = spec.values[denoise_frames_at];
    made.values[after_at] = spec.values[denoise_frames_at + 1];
    return measured_nl_means(made, noise);
}

Operation make_denoising(const FilterSpec& spec, const TargetPlane& plane) {
    const Denoising& kind = denoisings[static_cast<std::size_t>(*spec.values[kind_at])];
    return make_nl_means(plane.depth, is_chroma(plane) ? kind.chroma : kind.luma, kind.patch, kind.search,
                         denoise_time(spec));
}

}  // namespace

FilterDef denoise_filter() {
    return {.name = "denoise",
            .help = "reduces noise: nlmeans with arguments for common cases, chosen by name",
            .formula =
                "as nlmeans; light: sigma 2, chroma 3, search 9; medium: 4, 5, 11; strong: 8, 10, 13; film: 2, 6, 11, "
                "patch 5; animation: 5, 6, 15; patch 7 except for film; auto: nlmeans sigma=auto",
            .source = "",
            .example = "medium",
            .parameters = denoise_parameters,
            .chroma = Chroma::same,
            .has_width = false,
            .alpha = false,
            .check = check_denoise,
            .make_own = make_denoising,
            .time = denoise_time,
            .measured = measured_denoising};
}

FilterDef nl_means_filter() {
    return {
        .name = "nlmeans",
        .help = "reduces noise and keeps edges: the mean of those samples nearby whose surroundings look alike",
        .formula =
            "out(p) = sum of w(o) s(p + o) / sum of w(o), over the offsets o of search, in all pictures of the "
            "window; w(o) = max(0, 1 - (mean of |s(p + q) - s(p + o + q)| over the offsets q of patch) / (r sigma)), "
            "r = 1.7 for sigma 10, from 2.0 for weak to 1.5 for strong noise; differences are rounded to steps of a "
            "few levels, w to 255ths: in noise, a result is up to about 8 levels off these formulas, and more at "
            "isolated spots; bits below the eighth do not affect w",
        .source =
            "A. Buades, B. Coll, J.-M. Morel, A non-local algorithm for image denoising, 2005; here with absolute "
            "differences and linearly falling weights",
        .example = "4",
        .parameters = nl_means_parameters,
        .strengths = nl_means_strengths,
        .chroma = Chroma::same,
        .has_width = false,
        .alpha = false,
        .check = check_nl_means,
        .make_own = make_nl_means_operation,
        .time = nl_means_time,
        .measured = measured_nl_means};
}

}  // namespace vfilter
