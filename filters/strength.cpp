// Filters made stronger and weaker from the preview.

#include <algorithm>
#include <cmath>

#include "filters/filters.h"

namespace vfilter {

namespace {

// Three digits: finer than any step, and short to read.
double rounded(double value) {
    if (value == 0) {
        return 0;
    }
    const double unit = std::pow(10, 2 - std::floor(std::log10(std::abs(value))));
    return std::round(value * unit) / unit;
}

}  // namespace

std::optional<FilterSpec> stepped(const FilterSpec& spec, StrengthStep step) {
    const bool stronger = step == StrengthStep::stronger;
    const std::span<const Strength> strengths = spec.def->strengths;
    if (strengths.empty()) {
        return std::nullopt;
    }
    auto strength = std::ranges::find_if(strengths, [&](const Strength& s) { return spec.given(s.parameter); });
    if (strength == strengths.end()) {
        strength = strengths.begin();
    }
    const double before = spec.value(strength->parameter);
    const double after = rounded(strength->factor ? (stronger ? before * strength->step : before / strength->step)
                                                  : (stronger ? before + strength->step : before - strength->step));
    const Parameter& parameter = spec.def->parameters[strength->parameter];
    // Not clamped to the limit: a step back would then miss the value before.
    if (!(after >= parameter.minimum && after <= parameter.maximum) || after == before) {
        return std::nullopt;
    }
    FilterSpec made = spec;
    made.values[strength->parameter] = after;
    return spec.def->check(made).empty() ? std::optional(made) : std::nullopt;
}

}  // namespace vfilter
