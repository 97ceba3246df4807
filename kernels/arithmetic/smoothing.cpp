// Smoothings: one term of taps >= 0 that sum to 1.

#include <algorithm>
#include <cmath>

#include "kernels/arithmetic/make_filter.h"
#include "kernels/arithmetic/quantise.h"

namespace vfilter {

namespace {

constexpr int max_int16_tap = 32767;
// Low bits of split taps, 0 for those of int16, in the order in which they are tried: the more there are, the more
// often sums have to be carried. 255 taps never need more than 8, and 601 never more than 10.
constexpr int low_bits_tried[] = {0, 8, 10};
// Beyond this the sums over the high parts of split taps would no longer fit 32 bits: 2^15 * 2^16 = 2^31.
constexpr int max_high_scale = 16;

/// One side's taps, which sum to 2^scale.
struct Side {
    std::vector<std::int32_t> taps;
    int scale = 0;
    double error = 0;  ///< worst case for samples in [0, 1]: half the sum of |integer tap / 2^scale - real tap|
};

// The finest scale up to `max_scale` at which the taps fit. `box`: they are all the same, as those of the other side
// are.
std::optional<Side> finest(const std::vector<double>& taps, int max_scale, int low_bits, bool box) {
    const TapRange range{0, std::ldexp(max_int16_tap, low_bits)};
    for (int scale = max_scale; scale >= 1; --scale) {
        if (auto made = box ? quantise_equal(taps.size(), scale, range) : quantise(taps, 1, scale, range)) {
            double error = 0;
            for (const double tap_error : made->errors) {
                error += std::abs(tap_error) / 2;
            }
            return Side{std::move(made->taps), scale, error};
        }
    }
    return std::nullopt;
}

LinearFilter assemble(const FilterKernel& kernel, int depth, Side rows, Side columns, int fraction_bits) {
    LinearFilter made;
    made.depth = depth;
    made.terms.push_back({.rows = std::move(rows.taps),
                          .columns = std::move(columns.taps),
                          .row_shift = rows.scale - fraction_bits,
                          .centre = 1 << (depth + fraction_bits - 1)});
    made.finish.shift = columns.scale + fraction_bits;
    made.exact = kernel;
    return made;
}

std::optional<LinearFilter> search(const FilterKernel& kernel, int depth, int low_bits) {
    const SeparableKernel& real = kernel.terms.front();
    const double max_value = std::ldexp(1.0, depth) - 1;
    const bool split = low_bits > 0;
    const int max_split_scale = max_high_scale + low_bits;
    const bool box = all_equal(real.rows) && all_equal(real.columns);
    const auto rows = finest(real.rows, split ? max_split_scale : 31 - depth, low_bits, box);
    std::optional<LinearFilter> best;
    for (int fraction = 16 - depth; fraction >= 0 && rows; --fraction) {
        // The column sum reaches 2^(depth + fraction + scale): see the contract on what fits.
        auto columns = finest(real.columns, split ? max_split_scale : 31 - depth - fraction, low_bits, box);
        if (!columns || rows->scale < fraction) {
            continue;
        }
        const double rounding = rows->taps.size() == 1 ? 0 : std::ldexp(0.5, -fraction);
        const double bound = rounding + max_value * (rows->error + columns->error);
        if (best && best->error_bound <= bound) {
            continue;
        }
        best = assemble(kernel, depth, *rows, *std::move(columns), fraction);
        best->arithmetic = split ? Arithmetic::split : Arithmetic::int16;
        best->low_bits = low_bits;
        best->error_bound = bound;
        if (bound <= comfortable_bound) {
            break;
        }
    }
    return best;
}

// Equal taps on both sides, if they keep well within the promise.
std::optional<LinearFilter> make_uniform(const FilterKernel& kernel, int depth) {
    const SeparableKernel& real = kernel.terms.front();
    const std::size_t width = real.rows.size();
    const std::size_t height = real.columns.size();
    const double samples = static_cast<double>(width * height);
    const double max_value = std::ldexp(1.0, depth) - 1;
    const double max_sum = static_cast<double>(width) * max_value;
    if (!all_equal(real.rows) || !all_equal(real.columns) || samples == 1 || max_sum > 65535) {
        return std::nullopt;
    }
    int fraction_bits = 0;
    while (std::ldexp(1.0, depth + fraction_bits) <= max_sum) {
        ++fraction_bits;
    }
    // As in search(): the sum of the column pass, rounded, must fit 31 bits.
    int shift = 31 - depth;
    double tap = 0;
    do {
        --shift;
        tap = std::floor(std::ldexp(1.0, shift) / samples + 0.5);
    } while (shift > 0 && (tap > max_int16_tap || (tap * samples + 1) * (max_value + 1) >= 0x1p31));
    Side rows{std::vector<std::int32_t>(width, 1), fraction_bits};
    Side columns{std::vector<std::int32_t>(height, static_cast<std::int32_t>(tap)), shift - fraction_bits};
    LinearFilter made = assemble(kernel, depth, std::move(rows), std::move(columns), fraction_bits);
    made.uniform = true;
    made.error_bound = max_value * std::abs(std::ldexp(tap * samples, -shift) - 1);
    return made.error_bound <= comfortable_bound ? std::optional(std::move(made)) : std::nullopt;
}

}  // namespace

std::optional<LinearFilter> make_smoothing(const FilterKernel& kernel, int depth, double max_error) {
    if (auto uniform = make_uniform(kernel, depth)) {
        return uniform;
    }
    for (const int low_bits : low_bits_tried) {
        if (auto found = search(kernel, depth, low_bits); found && found->error_bound < max_error) {
            return found;
        }
    }
    return std::nullopt;
}

}  // namespace vfilter
