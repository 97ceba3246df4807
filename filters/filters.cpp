#include "filters/filters.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "filters/filter_rows.h"

namespace vfilter {

std::span<const FilterDef> filter_table() {
    static const FilterDef table[] = {
        gaussian_filter(), box_filter(),     motion_filter(),          sharpen_filter(),
        sobel_filter(),    scharr_filter(),  prewitt_filter(),         laplacian_filter(),
        log_filter(),      dog_filter(),     emboss_filter(),          kernel_filter(),
        nl_means_filter(), denoise_filter(), bilateral_filter(),       guided_filter(),
        deband_filter(),   median_filter(),  temporal_median_filter(), temporal_average_filter(),
        pixelate_filter(), fill_filter(),    identity_filter(),
    };
    return table;
}

const FilterDef* find_filter(std::string_view name) {
    const std::span<const FilterDef> table = filter_table();
    const auto found = std::ranges::find(table, name, &FilterDef::name);
    return found == table.end() ? nullptr : &*found;
}

double FilterSpec::value(std::size_t parameter) const {
    return values[parameter].value_or(def->parameters[parameter].fallback);
}

Chroma FilterSpec::effective_chroma() const {
    return chroma.value_or(def->chroma);
}

bool FilterSpec::effective_alpha() const {
    return alpha.value_or(def->alpha);
}

bool FilterSpec::effective_dither() const {
    return dither.value_or(def->dithering == Dithering::own);
}

bool FilterSpec::dithered() const {
    return def->dithering == Dithering::possible && effective_dither();
}

TimeReach FilterSpec::time_reach() const {
    return def->time == nullptr ? TimeReach{} : def->time(*this);
}

bool FilterSpec::wants_noise() const {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const Parameter& parameter = def->parameters[i];
        const bool word = !parameter.choices.empty() && values[i] &&
                          parameter.choices[static_cast<std::size_t>(*values[i])] == "auto";
        if (word || (parameter.measured && values[i] == automatic_value)) {
            return def->measured != nullptr;
        }
    }
    return false;
}

FilterSpec with_noise(const FilterSpec& spec, const NoiseLevels& noise) {
    return spec.def->measured(spec, noise);
}

namespace {

std::size_t place_of_after(const FilterSpec& spec) {
    const auto place = std::ranges::find(spec.def->parameters, "after", &Parameter::name);
    return static_cast<std::size_t>(place - spec.def->parameters.begin());
}

}  // namespace

bool after_given(const FilterSpec& spec) {
    return spec.given(place_of_after(spec));
}

FilterSpec with_after(const FilterSpec& spec, int after) {
    FilterSpec made = spec;
    made.values[place_of_after(spec)] = after;
    return made;
}

namespace {

std::optional<Operation> dithered_operation(FilterSpec spec, TargetPlane plane) {
    const int depth = plane.depth;
    if (dither_bits(depth) == 0) {
        throw std::invalid_argument("dither: samples of 16 bits have no finer levels that a pattern could stand for");
    }
    spec.dither = false;
    plane.depth += dither_bits(depth);
    std::optional<Operation> inner = operation_of(spec, plane);
    return inner ? std::optional(make_dithered(*std::move(inner), depth)) : std::nullopt;
}

}  // namespace

std::optional<Operation> operation_of(const FilterSpec& spec, const TargetPlane& plane) {
    if (spec.wants_noise()) {
        throw std::invalid_argument("auto needs pictures whose noise is measured; give sigma=S");
    }
    if (spec.dithered()) {
        return dithered_operation(spec, plane);
    }
    if (spec.def->make_own != nullptr) {
        return spec.def->make_own(spec, plane);
    }
    const FilterKernel kernel = spec.def->make(spec, plane.pitch_x, plane.pitch_y);
    return kernel.identity() ? std::nullopt : std::optional(make_operation(kernel, plane.depth));
}

std::optional<Operation> plane_operation(const FilterSpec& spec, TargetPlane plane) {
    const Component component = plane.components[0];
    const bool is_chroma = component == Component::cb || component == Component::cr;
    const Chroma chroma = spec.effective_chroma();
    if ((is_chroma && chroma == Chroma::off) || (component == Component::alpha && !spec.effective_alpha())) {
        return std::nullopt;
    }
    if (is_chroma && chroma == Chroma::neutral) {
        constexpr double grey = 0.5;
        return make_operation({.bias = grey}, plane.depth);
    }
    if (!is_chroma || chroma != Chroma::scaled) {
        plane.pitch_x = 1;
        plane.pitch_y = 1;
    }
    return operation_of(spec, plane);
}

bool FilterDef::needs_arguments() const {
    FilterSpec bare;
    bare.def = this;
    bare.values.resize(parameters.size());
    return !check(bare).empty();
}

std::span<const CommonArgument> common_arguments() {
    static constexpr CommonArgument arguments[] = {
        {"border", "what is assumed outside the picture (default reflect_101)"},
        {"chroma", "how to filter the chroma planes"},
        {"alpha", "on or off: whether to filter transparency, too"},
        {"dither",
         "on or off: turn what results have below the last bit into a fine, still pattern instead of rounding it"},
        {"region", "filter only this area: x,y,w,h in pixels or percent, several joined by +; or @FILE, moving boxes"},
        {"pad", "margin around moving boxes, in pixels or percent of each box"},
        {"mask",
         "picture or video file, scaled to the frame: white is filtered, black and transparent are not, grey in "
         "part"},
        {"invert", "1: filter everywhere except in the region or mask"},
        {"feather", "pixels over which the filter fades in, inside the region (0 to 1000)"},
        {"outside", "1: put the feather outside, so that the whole region is filtered fully"},
        {"enable",
         "filter only during FROM-TO, in seconds or in pictures as 90f-200f; several joined by +; TO is excluded"},
    };
    return arguments;
}

}  // namespace vfilter
