#include "kernels/arithmetic/linear_filter.h"

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "kernels/arithmetic/make_filter.h"

namespace vfilter {

namespace {

bool is_smoothing(const std::vector<double>& taps) {
    const bool symmetric = std::equal(taps.begin(), taps.end(), taps.rbegin());
    const double sum = std::accumulate(taps.begin(), taps.end(), 0.0);
    const bool positive = std::ranges::all_of(taps, [](double tap) { return tap >= 0; });
    return taps.size() % 2 == 1 && symmetric && positive && std::abs(sum - 1) < 1e-9;
}

std::int64_t sum_of(const std::vector<std::int32_t>& taps) {
    return std::accumulate(taps.begin(), taps.end(), std::int64_t{0});
}

void check(const std::vector<SeparableKernel>& terms) {
    const auto good = [](const std::vector<double>& taps) {
        return taps.size() % 2 == 1 && std::ranges::all_of(taps, [](double tap) { return std::isfinite(tap); });
    };
    for (const SeparableKernel& term : terms) {
        if (!good(term.rows) || !good(term.columns)) {
            throw std::invalid_argument("a kernel's taps must be finite numbers, and odd in number");
        }
    }
}

std::optional<LinearFilter> make_any(const FilterKernel& kernel, int depth, double max_error) {
    if (is_smoothing(kernel)) {
        return make_smoothing(kernel, depth, max_error);
    }
    return make_sum_of_terms(kernel, depth);
}

}  // namespace

std::int64_t Term::centre_sum() const {
    return centre * sum_of(columns);
}

int LinearFilter::radius_x() const {
    int radius = 0;
    for (const Term& term : terms) {
        radius = std::max(radius, term.radius_x());
    }
    return radius;
}

int LinearFilter::radius_y() const {
    int radius = 0;
    for (const Term& term : terms) {
        radius = std::max(radius, term.radius_y());
    }
    return radius;
}

bool LinearFilter::bounded() const {
    if (terms.size() != 1 || !finish.plain()) {
        return false;
    }
    const Term& term = terms.front();
    const auto negative = [](std::int32_t tap) { return tap < 0; };
    if (std::ranges::any_of(term.rows, negative) || std::ranges::any_of(term.columns, negative)) {
        return false;
    }
    // A black and a white picture are the extremes.
    const auto extreme = [&](std::int64_t sample) {
        const std::int64_t mid = ((sum_of(term.rows) * sample + half(term.row_shift)) >> term.row_shift) - term.centre;
        return (mid * sum_of(term.columns) + term.centre_sum() + half(finish.shift)) >> finish.shift;
    };
    return extreme(0) >= 0 && extreme(max_value()) <= max_value();
}

bool is_smoothing(const FilterKernel& kernel) {
    return kernel.terms.size() == 1 && kernel.combine == Combine::sum && kernel.gain == 0 && kernel.bias == 0 &&
           kernel.threshold == 0 && is_smoothing(kernel.terms[0].rows) && is_smoothing(kernel.terms[0].columns);
}

LinearFilter make_linear_filter(const FilterKernel& kernel, int depth, double max_error) {
    if (depth < 8 || depth > 16) {
        throw std::invalid_argument("samples of " + std::to_string(depth) + " bits cannot be filtered, only 8 to 16");
    }
    check(kernel.terms);
    check(kernel.direct);
    if (auto made = make_any(kernel, depth, max_error)) {
        return *std::move(made);
    }
    if (kernel.combine == Combine::magnitude && std::fmod(std::ldexp(kernel.bias, depth), 1) != 0) {
        constexpr const char* levels[] = {"1",       "0.5",      "0.25",      "0.125",     "0.0625",
                                          "0.03125", "0.015625", "0.0078125", "0.00390625"};  // of 256
        throw std::invalid_argument("a magnitude is rounded before its bias is added, so that at " +
                                    std::to_string(depth) + " bits the bias is a multiple of " + levels[depth - 8]);
    }
    throw std::invalid_argument("this kernel cannot be represented within one least significant bit at " +
                                std::to_string(depth) + " bits");
}

}  // namespace vfilter
