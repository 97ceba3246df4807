#include "kernels/arithmetic/convolution.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace vfilter {

namespace {

constexpr int max_narrow_tap = 32767;
// Low bits of the taps of each form, in the order in which they are tried: the more there are, the more often sums have
// to be carried. 255 taps never need more than 8, and 601 never more than 10.
constexpr int forms[] = {0, 8, 10};
// Beyond this the sums over the high parts of wide taps would no longer fit 32 bits: 2^15 * 2^16 = 2^31.
constexpr int max_high_scale = 16;
// A bound that nobody sees. Below it more fraction bits for the intermediate are worth more than more bits for the
// taps.
constexpr double comfortable_bound = 0.25;

bool is_smoothing(const std::vector<double>& taps) {
    const bool symmetric = std::equal(taps.begin(), taps.end(), taps.rbegin());
    const double sum = std::accumulate(taps.begin(), taps.end(), 0.0);
    const bool positive = std::all_of(taps.begin(), taps.end(), [](double tap) { return tap >= 0; });
    return taps.size() % 2 == 1 && symmetric && positive && std::abs(sum - 1) < 1e-9;
}

struct Quantised {
    Pass pass;
    double error = 0;  ///< worst case for samples in [0, 1]: half the sum of |integer tap / 2^scale - real tap|
};

// Error diffusion from the outermost tap to the centre on one half, mirrored; the centre takes what is left, at most
// one unit. Neighbouring errors have opposite signs, so that smooth pictures, which is most of any picture, see none of
// them.
std::optional<Quantised> quantise(const std::vector<double>& taps, int scale, int low_bits) {
    const auto size = taps.size();
    const std::size_t centre = size / 2;
    const double unit = std::ldexp(1.0, scale);
    Quantised result;
    result.pass.taps.resize(size);
    result.pass.scale = scale;
    result.pass.unit = 1 / unit;
    result.pass.wide = low_bits > 0;
    result.pass.low_bits = low_bits;
    const std::int64_t limit = std::int64_t{max_narrow_tap} << low_bits;
    std::int64_t outside = 0;
    double carry = 0;
    for (std::size_t i = 0; i < centre; ++i) {
        const double wanted = taps[i] * unit + carry;
        const auto tap = static_cast<std::int64_t>(std::max(0.0, std::floor(wanted + 0.5)));
        carry = wanted - static_cast<double>(tap);
        if (tap > limit) {
            return std::nullopt;
        }
        result.pass.taps[i] = result.pass.taps[size - 1 - i] = static_cast<std::int32_t>(tap);
        outside += 2 * tap;
    }
    const std::int64_t middle = (std::int64_t{1} << scale) - outside;
    if (middle < 0 || middle > limit) {
        return std::nullopt;
    }
    result.pass.taps[centre] = static_cast<std::int32_t>(middle);
    for (std::size_t i = 0; i < size; ++i) {
        result.error += std::abs(result.pass.taps[i] / unit - taps[i]) / 2;
    }
    return result;
}

// The finest scale up to `highest` at which the taps fit.
std::optional<Quantised> finest(const std::vector<double>& taps, int highest, int low_bits) {
    for (int scale = highest; scale >= 1; --scale) {
        if (auto result = quantise(taps, scale, low_bits)) {
            return result;
        }
    }
    return std::nullopt;
}

std::optional<Convolution> search(const SeparableKernel& kernel, int depth, int low_bits) {
    const double max_value = std::ldexp(1.0, depth) - 1;
    const bool wide = low_bits > 0;
    const int widest = max_high_scale + low_bits;
    const auto rows = finest(kernel.rows, wide ? widest : 31 - depth, low_bits);
    std::optional<Convolution> best;
    for (int fraction = 16 - depth; fraction >= 0 && rows; --fraction) {
        // The column sum reaches 2^(depth + fraction + scale): see the contract on what fits.
        const auto columns = finest(kernel.columns, wide ? widest : 31 - depth - fraction, low_bits);
        if (!columns || rows->pass.scale < fraction) {
            continue;
        }
        const double rounding = rows->pass.taps.size() == 1 ? 0 : std::ldexp(0.5, -fraction);
        const double bound = rounding + max_value * (rows->error + columns->error);
        if (best && best->error_bound <= bound) {
            continue;
        }
        best = Convolution{depth, rows->pass, columns->pass, fraction, bound, kernel};
        best->rows.shift = best->rows.scale - fraction;
        best->columns.shift = best->columns.scale + fraction;
        if (bound <= comfortable_bound) {
            break;
        }
    }
    return best;
}

// Equal taps on both sides, if they keep well within the promise.
std::optional<Convolution> make_uniform(const SeparableKernel& kernel, int depth) {
    const auto equal = [](const std::vector<double>& taps) {
        return std::ranges::all_of(taps, [&](double tap) { return std::abs(tap - taps[0]) < 1e-12; });
    };
    const std::size_t width = kernel.rows.size();
    const std::size_t height = kernel.columns.size();
    const double samples = static_cast<double>(width * height);
    const double max_value = std::ldexp(1.0, depth) - 1;
    const double most_of_mid = static_cast<double>(width) * max_value;
    if (!equal(kernel.rows) || !equal(kernel.columns) || samples == 1 || most_of_mid > 65535) {
        return std::nullopt;
    }
    Convolution made;
    made.depth = depth;
    made.exact = kernel;
    while (std::ldexp(1.0, depth + made.fraction_bits) <= most_of_mid) {
        ++made.fraction_bits;
    }
    // As in the general case: the sum of the column pass, rounded, must fit 31 bits.
    int shift = 31 - depth;
    double tap = 0;
    do {
        --shift;
        tap = std::floor(std::ldexp(1.0, shift) / samples + 0.5);
    } while (shift > 0 && (tap > max_narrow_tap || (tap * samples + 1) * (max_value + 1) >= 0x1p31));
    made.rows = {.taps = std::vector<std::int32_t>(width, 1), .unit = 1.0 / static_cast<double>(width)};
    made.columns = {.taps = std::vector<std::int32_t>(height, static_cast<std::int32_t>(tap)),
                    .shift = shift,
                    .unit = std::ldexp(static_cast<double>(width), -shift)};
    made.error_bound = max_value * std::abs(std::ldexp(tap * samples, -shift) - 1);
    return made.error_bound <= comfortable_bound ? std::optional(made) : std::nullopt;
}

}  // namespace

bool is_smoothing(const SeparableKernel& kernel) {
    return is_smoothing(kernel.rows) && is_smoothing(kernel.columns);
}

Convolution make_convolution(const SeparableKernel& kernel, int depth, double most_error) {
    if (depth < 8 || depth > 16) {
        throw std::invalid_argument("samples of " + std::to_string(depth) + " bits cannot be filtered, only 8 to 16");
    }
    if (!is_smoothing(kernel)) {
        throw std::invalid_argument("a smoothing must be symmetric, of odd length, at least 0 and sum to 1");
    }
    if (auto uniform = make_uniform(kernel, depth)) {
        return *std::move(uniform);
    }
    for (const int low_bits : forms) {
        if (auto found = search(kernel, depth, low_bits); found && found->error_bound < most_error) {
            return *std::move(found);
        }
    }
    throw std::invalid_argument("this kernel cannot be represented within one least significant bit at " +
                                std::to_string(depth) + " bits");
}

}  // namespace vfilter
