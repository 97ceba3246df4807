// Filters made stronger and weaker while one looks at them.

#include <algorithm>
#include <cmath>

#include "filters/filters.h"

namespace vfilter {

namespace {

// Three digits are finer than any step, and all that a person wants to read.
double rounded(double value) {
    if (value == 0) {
        return 0;
    }
    const double unit = std::pow(10, 2 - std::floor(std::log10(std::abs(value))));
    return std::round(value * unit) / unit;
}

}  // namespace

std::optional<FilterSpec> stepped(const FilterSpec& spec, bool stronger) {
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
    // Not the limit itself instead: the way back would then lead elsewhere.
    if (!(after >= parameter.minimum && after <= parameter.maximum) || after == before) {
        return std::nullopt;
    }
    FilterSpec made = spec;
    made.values[strength->parameter] = after;
    return spec.def->check(made).empty() ? std::optional(made) : std::nullopt;
}

}  // namespace vfilter
