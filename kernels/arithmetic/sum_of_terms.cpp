// Sums of any separable terms, in int16 or int64.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/arithmetic/make_filter.h"
#include "kernels/arithmetic/quantise.h"

namespace vfilter {

namespace {

constexpr double max_error_of_int16 = 0.6;  // a magnitude of exact gradients has 0.36

double sum_of(const std::vector<double>& taps) {
    return std::accumulate(taps.begin(), taps.end(), 0.0);
}

/// What the two kinds of numbers hold.
struct Limits {
    double row_tap, column_tap, column_sum, row_sum, mid_span, total;
    int row_scale;      ///< most
    int scale;          ///< most
    int less_fraction;  ///< most fraction bits of mid that may be given up for finer columns
};
constexpr Limits int16_limits{32767, 32767, 0x1p40, 0x1p31 - 65536, 65533, 0x1p31 - 65536, 24, 26, 14};
constexpr Limits int64_limits{0x1p30, 0x1p30, 0x1p31, 0x1p61, 0x1p31 - 65536, 0x1p61, 30, 46, 16};

enum class Rounding { tap_by_tap, in_proportion };

std::optional<Quantised> quantise(const std::vector<double>& taps, int scale, double most, Rounding rounding) {
    const TapRange range{-most, most};
    return rounding == Rounding::in_proportion ? quantise_in_proportion(taps, scale, range)
                                               : quantise(taps, sum_of(taps), scale, range);
}

// The most that errors e_i * f_j can amount to for samples in [0, 1].
double worst(const Sums& e, const Sums& f) {
    return (e.absolute() * f.absolute() + std::abs(e.signed_sum() * f.signed_sum())) / 2;
}

/// A term with its row pass made, the fraction bits of mid still to be chosen.
struct Prepared {
    std::vector<double> columns;  ///< with the power of two that the rows were divided by
    Quantised rows;
    int row_scale = 0;
    int max_fraction = 0;
    double row_sum = 0;  ///< of absolute real taps
};

std::optional<Prepared> prepare(const SeparableKernel& kernel, double max_value, const Limits& limits,
                                Rounding rounding_of_taps) {
    Prepared term;
    const int exponent = static_cast<int>(std::ceil(std::log2(sums_of(kernel.rows).absolute())));
    std::vector<double> rows = kernel.rows;
    term.columns = kernel.columns;
    for (double& tap : rows) {
        tap = std::ldexp(tap, -exponent);
    }
    for (double& tap : term.columns) {
        tap = std::ldexp(tap, exponent);
    }
    const Sums real = sums_of(rows);
    term.row_sum = real.absolute();
    for (int scale = limits.row_scale; scale >= 1; --scale) {
        auto quantised = quantise(rows, scale, limits.row_tap, rounding_of_taps);
        const double rounding = std::ldexp(0.5, scale);  // the most, whatever the shift will be
        if (!quantised || sums_of(quantised->taps).absolute() * max_value + rounding > limits.row_sum) {
            continue;
        }
        term.rows = *std::move(quantised);
        term.row_scale = scale;
        const double span = sums_of(term.rows.taps).absolute() * max_value;
        while (term.max_fraction < scale && std::ldexp(span, term.max_fraction + 1 - scale) <= limits.mid_span) {
            ++term.max_fraction;
        }
        return term;
    }
    return std::nullopt;
}

struct Finished {
    Term term;
    double error = 0;      ///< of v_t, in LSB, besides
    double share = 0;      ///< of v_t itself
    double amplitude = 0;  ///< most of |v_t|, in LSB
};

std::optional<Finished> finish(const Prepared& term, int fraction, int scale, double max_value, const Limits& limits,
                               Rounding rounding_of_taps) {
    if (scale < fraction) {
        return std::nullopt;
    }
    auto columns = quantise(term.columns, scale - fraction, limits.column_tap, rounding_of_taps);
    if (!columns) {
        return std::nullopt;
    }
    const Sums taps = sums_of(columns->taps);
    const Sums real = sums_of(term.columns);
    if (taps.absolute() > limits.column_sum) {
        return std::nullopt;
    }
    Finished made;
    made.term.rows = term.rows.taps;
    made.term.columns = columns->taps;
    made.term.row_shift = term.row_scale - fraction;
    const Sums rows = sums_of(term.rows.taps);
    const auto end = [&](double sum) {
        return (static_cast<std::int64_t>(sum * max_value) + half(made.term.row_shift)) >> made.term.row_shift;
    };
    const std::int64_t low = end(-rows.negative);
    const std::int64_t high = end(rows.positive);
    made.term.centre = static_cast<std::int32_t>(low + (high - low + 1) / 2);
    const std::int32_t unit = std::int32_t{1} << made.term.row_shift;
    const bool exact = std::ranges::all_of(made.term.rows, [&](std::int32_t tap) { return tap % unit == 0; });
    const double rounding = exact ? 0 : std::ldexp(taps.absolute(), -scale - 1);
    Sums row_real;
    row_real.positive = term.row_sum;
    made.error =
        rounding + max_value * (worst(sums_of(term.rows.errors), real) + worst(row_real, sums_of(columns->errors)));
    made.share = (1 + term.rows.factor_error) * (1 + columns->factor_error) - 1;
    made.amplitude = term.row_sum * real.absolute() * max_value * (1 + made.share) + made.error;
    return made;
}

/// Of magnitudes, which are rounded before the bias is added: what rounding it by itself misses, in LSB.
double error_of_whole_bias(const FilterKernel& kernel, int depth) {
    const double bias = std::ldexp(kernel.bias, depth);
    return std::abs(std::floor(bias + 0.5) - bias);
}

/// What error_bound has to be less than. A bias between two levels moves all magnitudes by as much the same way, so
/// that with half a level of their last rounding they have to be within one level of the formula all the same.
double largest_bound(const FilterKernel& kernel, int depth, double max_error) {
    constexpr double without_rounding = 0.5;
    const bool uneven = kernel.combine == Combine::magnitude && error_of_whole_bias(kernel, depth) > 0;
    return uneven ? std::min(max_error, without_rounding) : max_error;
}

std::optional<LinearFilter> assemble(const FilterKernel& kernel, const std::vector<Prepared>& prepared, int depth,
                                     int less_fraction, int scale, const Limits& limits, Rounding rounding) {
    const double max_value = std::ldexp(1.0, depth) - 1;
    const double range = std::ldexp(1.0, depth);
    LinearFilter made;
    made.depth = depth;
    made.finish.combine = kernel.combine;
    made.finish.shift = scale;
    made.exact = kernel;
    double amplitude = 0;
    double largest = 0;
    double error = 0;
    double squares = 0;
    double flat = kernel.gain;  // of the sum over all taps, less what the integers' terms have
    for (const Prepared& term : prepared) {
        auto finished =
            finish(term, std::max(0, term.max_fraction - less_fraction), scale, max_value, limits, rounding);
        if (!finished) {
            return std::nullopt;
        }
        const double rows = std::ldexp(sums_of(finished->term.rows).signed_sum(), -finished->term.row_shift);
        const double columns = std::ldexp(sums_of(finished->term.columns).signed_sum(), -scale);
        const double real_rows =
            sums_of(term.rows.taps).signed_sum() - std::ldexp(sums_of(term.rows.errors).signed_sum(), term.row_scale);
        flat += std::ldexp(real_rows, -term.row_scale) * sums_of(term.columns).signed_sum() - rows * columns;
        amplitude += finished->amplitude;
        largest = std::max(largest, finished->amplitude);
        // Beyond that, with any bias, the result is at an end of the range whether it is exact or not.
        const double of_share = finished->share * 2 * range;
        error += finished->error + of_share;
        squares += (finished->error + of_share + 0.25) * (finished->error + of_share + 0.25);
        made.terms.push_back(std::move(finished->term));
    }
    if (kernel.gain != 0) {
        made.finish.gain = std::llround(std::ldexp(flat, scale));
        error += max_value * std::abs(std::ldexp(static_cast<double>(made.finish.gain), -scale) - kernel.gain);
        amplitude += std::abs(kernel.gain) * max_value;
    }
    made.finish.bias = std::llround(std::ldexp(kernel.bias * range, scale));
    made.finish.threshold =
        kernel.threshold > 0 ? std::max<std::int64_t>(1, std::llround(std::ldexp(kernel.threshold * range, scale))) : 0;
    // v - (s << T) and v + bias + half must fit as well.
    const double max_total = kernel.combine == Combine::magnitude
                                 ? largest + 1
                                 : amplitude + std::max(max_value, std::abs(kernel.bias) * range) + 1;
    if (std::ldexp(max_total, scale) > limits.total) {
        return std::nullopt;
    }
    const double whole_bias = made.terms.empty() ? 0 : error_of_whole_bias(kernel, depth);
    made.error_bound = kernel.combine == Combine::magnitude ? std::sqrt(squares) + whole_bias : error;
    return made;
}

std::optional<LinearFilter> search(const FilterKernel& kernel, int depth, Arithmetic arithmetic,
                                   Rounding rounding = Rounding::tap_by_tap) {
    const Limits& limits = arithmetic == Arithmetic::int64 ? int64_limits : int16_limits;
    std::vector<Prepared> prepared;
    for (const SeparableKernel& term : kernel.terms) {
        if (sums_of(term.rows).absolute() == 0 || sums_of(term.columns).absolute() == 0) {
            continue;
        }
        auto ready = prepare(term, std::ldexp(1.0, depth) - 1, limits, rounding);
        if (!ready) {
            return std::nullopt;
        }
        prepared.push_back(*std::move(ready));
    }
    std::optional<LinearFilter> best;
    for (int less = 0; less <= limits.less_fraction; ++less) {
        for (int scale = limits.scale; scale >= 1; --scale) {
            auto made = assemble(kernel, prepared, depth, less, scale, limits, rounding);
            if (!made) {
                continue;
            }
            made->arithmetic = arithmetic;
            if (!best || made->error_bound < best->error_bound) {
                best = std::move(made);
            }
            break;  // a coarser scale is never better
        }
        if (best && best->error_bound <= comfortable_bound) {
            break;
        }
    }
    return best;
}

}  // namespace

std::optional<LinearFilter> make_sum_of_terms(const FilterKernel& kernel, int depth) {
    FilterKernel direct = kernel;
    direct.terms = kernel.direct;
    for (const Arithmetic arithmetic : {Arithmetic::int16, Arithmetic::int64}) {
        const double max_error = largest_bound(kernel, depth, arithmetic == Arithmetic::int16 ? max_error_of_int16 : 1);
        if (auto made = search(kernel, depth, arithmetic); made && made->error_bound < max_error) {
            return made;
        }
        if (kernel.direct.empty()) {
            continue;
        }
        if (auto made = search(direct, depth, arithmetic); made && made->error_bound < max_error) {
            return made;
        }
    }
    // Sums that reach far beyond the range are not exact to a level where they end; only where all of a sum is wrong by
    // the same share does that do no harm.
    if (kernel.gain == 0 && (kernel.terms.size() == 1 || kernel.combine == Combine::magnitude)) {
        if (auto made = search(kernel, depth, Arithmetic::int64, Rounding::in_proportion);
            made && made->error_bound < largest_bound(kernel, depth, 1)) {
            return made;
        }
    }
    return std::nullopt;
}

}  // namespace vfilter
