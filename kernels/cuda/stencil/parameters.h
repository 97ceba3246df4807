#pragma once
// A filter's taps in the forms that the stencil takes: parameters of a launch, and their making on the host.
//
// Against the contract's text every step is exact:
// - Sums wrap: what the contract says fits 32 bits is right in the end, whatever was added on the way.
// - The intermediate of a magnitude, and of rows that have nothing to round, is not centred: sum C (mid - centre) +
//   centre * sum C is sum C mid.
// - Rows whose taps are whole multiples of the intermediate's unit have nothing to round. Without that unit and what
//   they have in common, which the columns take over, they may fit a byte: those of Sobel, Scharr, Prewitt, Laplace.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "kernels/arithmetic/linear_filter.h"
#include "kernels/cuda/magnitude.h"

namespace vfilter::cuda::stencil {

/// How the row pass multiplies.
enum class Form {
    pairs,  ///< bytes two by two
    quads,  ///< bytes four by four, with taps of 8 bits
    words,  ///< 16-bit samples
};

template <Form form, int R>
struct Rows;

template <int R>
struct Rows<Form::pairs, R> {
    std::uint32_t even[R + 1];  ///< two taps a word, for windows that begin at an even byte
    std::uint32_t odd[R + 1];   ///< the same, one position later
    std::int32_t start;         ///< what rounds the sum, less what centres it
    std::int32_t shift;
};

template <int R>
struct Rows<Form::quads, R> {
    std::uint32_t taps[4][(2 * R + 7) / 4];  ///< four taps a word, for windows that begin at byte 0, 1, 2 and 3 of one
};

template <int R>
struct Rows<Form::words, R> {
    std::int32_t taps[2 * R + 1];
    std::int32_t start;  ///< what rounds the sum, less what centres it
    std::int32_t shift;
};

/// How a sum becomes a result, where it is no magnitude.
enum class Ending { plain, absolute, threshold, constant };

template <Form form, int R, int terms>
struct FilterParams {
    Rows<form, R> rows[terms];
    Rows<Form::words, R> plain_rows[terms];  ///< the same numbers for one column at a time
    std::uint32_t columns[terms][2 * R + 1];
    std::uint32_t start;  ///< what sums begin with: all that rounds them, and the bias where it comes before all else
    std::uint32_t gain;
    std::int32_t shift;
    std::int32_t bias;          ///< absolute: what is added later; threshold: what `start` has; magnitude: in levels
    std::int32_t limit;         ///< magnitude: see half_limit
    std::uint32_t min_squares;  ///< magnitude of bytes: the sum of squares from which a result is above 0, and
    std::uint32_t max_squares;  ///< the last one of which it is in the range
    bool units;                 ///< magnitude: columns are {1, s, 1} and {-1, 0, 1}
    std::int32_t threshold;
    std::int32_t constant;
    Ending ending;
};

/// The tap at that offset from the middle, 0 beyond the last one.
inline std::int32_t tap_at(const std::vector<std::int32_t>& taps, int offset) {
    const int radius = static_cast<int>(taps.size() / 2);
    return std::abs(offset) > radius ? 0 : taps[static_cast<std::size_t>(radius + offset)];
}

/// What the taps of an exact row pass have in common with the intermediate's unit left out; 0 if it is not exact, or if
/// what is left does not fit 8 bits.
inline std::int32_t quad_factor(const Term& term) {
    const std::int32_t unit = 1 << term.row_shift;
    std::int32_t common = 0;
    for (const std::int32_t tap : term.rows) {
        if (tap % unit != 0) {
            return 0;
        }
        common = std::gcd(common, tap / unit);
    }
    const auto fits = [&](std::int32_t tap) {
        const std::int32_t rest = tap / unit / common;
        return rest >= std::numeric_limits<std::int8_t>::min() && rest <= std::numeric_limits<std::int8_t>::max();
    };
    return common != 0 && std::ranges::all_of(term.rows, fits) ? common : 0;
}

/// The first n of which (isqrt(n) + 1) >> 1 is that, or more.
inline std::uint32_t first_square(std::int32_t magnitude) {
    const auto root = static_cast<std::uint32_t>(std::max(2 * magnitude - 1, 0));
    return root * root;
}

/// What the halves of a gradient are clamped to: the contract's limit, or 0 where sums of 32 bits less the shift have
/// no more bits than the sum of squares and its root are made for. What is beyond the contract's limit then is above
/// the range with and without it, as no bias takes it back by that much.
inline std::int32_t half_limit(const LinearFilter& filter) {
    const int max_bits = filter.depth == 8 ? 15 : 20;
    return 32 - filter.finish.shift > max_bits ? filter.magnitude_limit() : 0;
}

/// Whether a filter can be one of a launch of the kernel for that shape.
template <Form form, int R, int terms, bool magnitude>
bool takes(const LinearFilter& filter) {
    if (filter.constant()) {
        return true;
    }
    if (filter.arithmetic != Arithmetic::int16 || filter.terms.size() > terms || filter.radius_x() > R ||
        filter.radius_y() > R || (filter.finish.combine == Combine::magnitude) != magnitude ||
        filter.finish.threshold > std::numeric_limits<std::int32_t>::max()) {
        return false;
    }
    if (form == Form::quads && !std::ranges::all_of(filter.terms, quad_factor)) {
        return false;
    }
    return !magnitude || takes_magnitude(filter);
}

/// `centred`: whether the intermediate is. What has nothing to round is neither shifted nor centred.
template <int R>
void fill(Rows<Form::words, R>& rows, const Term& term, std::int32_t factor, bool centred) {
    const bool exact = factor != 0;
    const std::int32_t unit = exact ? (1 << term.row_shift) * factor : 1;
    for (int i = 0; i < 2 * R + 1; ++i) {
        rows.taps[i] = tap_at(term.rows, i - R) / unit;
    }
    const std::int64_t centre = centred ? std::int64_t{term.centre} << term.row_shift : 0;
    rows.start = exact ? 0 : static_cast<std::int32_t>(half(term.row_shift) - centre);
    rows.shift = exact ? 0 : term.row_shift;
}

template <int R>
void fill(Rows<Form::pairs, R>& rows, const Rows<Form::words, R>& plain) {
    const auto at = [&](int i) {  // 0 outside
        return i < 0 || i > 2 * R ? 0 : static_cast<std::uint32_t>(plain.taps[i]) & 0xffff;
    };
    for (int pair = 0; pair <= R; ++pair) {
        rows.even[pair] = at(2 * pair) | at(2 * pair + 1) << 16;
        rows.odd[pair] = at(2 * pair - 1) | at(2 * pair) << 16;
    }
    rows.start = plain.start;
    rows.shift = plain.shift;
}

template <int R>
void fill(Rows<Form::quads, R>& rows, const Rows<Form::words, R>& plain) {
    for (int phase = 0; phase < 4; ++phase) {
        for (int i = 0; i < 2 * R + 1; ++i) {
            rows.taps[phase][(phase + i) / 4] |= (static_cast<std::uint32_t>(plain.taps[i]) & 0xff)
                                                 << ((phase + i) % 4 * 8);
        }
    }
}

template <int R>
void fill(Rows<Form::words, R>& rows, const Rows<Form::words, R>& plain) {
    rows = plain;
}

/// Leaves out the lowest bits of the columns' taps that are 0 in all of them, and as many bits of the shift.
template <Form form, int R, int terms>
void shift_columns(FilterParams<form, R, terms>& taps) {
    int zeros = taps.shift;
    for (const auto& column : taps.columns) {
        for (const std::uint32_t tap : column) {
            zeros = std::min(zeros, std::countr_zero(tap));
        }
    }
    for (auto& column : taps.columns) {
        for (std::uint32_t& tap : column) {
            tap = static_cast<std::uint32_t>(static_cast<std::int32_t>(tap) >> zeros);
        }
    }
    taps.shift -= zeros;
}

/// Leaves to the rows what their taps of 8 bits hold of the columns' common factor.
template <Form form, int R, int terms>
void move_factors(FilterParams<form, R, terms>& taps) {
    for (int t = 0; t < terms; ++t) {
        std::int32_t factor = 0;
        for (const std::uint32_t tap : taps.columns[t]) {
            factor = std::gcd(factor, static_cast<std::int32_t>(tap));
        }
        std::int32_t max_tap = 0;
        for (const std::int32_t tap : taps.plain_rows[t].taps) {
            max_tap = std::max(max_tap, std::abs(tap));
        }
        if (factor == 0 || max_tap * std::int64_t{factor} > std::numeric_limits<std::int8_t>::max()) {
            continue;
        }
        for (std::int32_t& tap : taps.plain_rows[t].taps) {
            tap *= factor;
        }
        for (std::uint32_t& tap : taps.columns[t]) {
            tap = static_cast<std::uint32_t>(static_cast<std::int32_t>(tap) / factor);
        }
    }
}

/// Puts two gradients whose columns are {1, s, 1} and {-1, 0, 1} in that order; false if they are not.
template <Form form, int terms>
bool arrange_units(FilterParams<form, 1, terms>& taps) {
    static_assert(terms == 2);
    constexpr auto minus_one = static_cast<std::uint32_t>(-1);
    if (taps.columns[0][0] == minus_one) {
        std::ranges::swap(taps.columns[0], taps.columns[1]);
        std::swap(taps.plain_rows[0], taps.plain_rows[1]);
    }
    const auto& sum = taps.columns[0];
    const auto& difference = taps.columns[1];
    return sum[0] == 1 && sum[2] == 1 && difference[0] == minus_one && difference[1] == 0 && difference[2] == 1;
}

template <Form form, int R, int terms>
void fill_magnitude(FilterParams<form, R, terms>& taps, const LinearFilter& filter) {
    const auto max_value = static_cast<std::int32_t>(filter.max_value());
    taps.bias = static_cast<std::int32_t>(std::min<std::int64_t>(magnitude_bias(filter), max_value));
    taps.limit = half_limit(filter);
    taps.min_squares = first_square(-taps.bias);
    taps.max_squares = first_square(max_value - taps.bias + 1) - 1;
    taps.shift = filter.finish.shift - 1;
    shift_columns(taps);
    taps.start = static_cast<std::uint32_t>(half(taps.shift));
    if constexpr (form == Form::quads) {
        move_factors(taps);
    }
    if constexpr (R == 1 && terms == 2) {
        taps.units = arrange_units(taps);
    }
}

/// Fills taps that are all 0 before.
template <Form form, int R, int terms>
void fill(FilterParams<form, R, terms>& taps, const LinearFilter& filter) {
    if (filter.constant()) {
        taps.ending = Ending::constant;
        taps.constant = filter.result(0, 0);
        return;
    }
    const std::int64_t rounded_bias = filter.finish.rounded_bias();
    const bool magnitude = filter.finish.combine == Combine::magnitude;
    std::int64_t centre_sums = 0;
    for (std::size_t t = 0; t < filter.terms.size(); ++t) {
        const Term& term = filter.terms[t];
        const std::int32_t factor = form == Form::quads ? quad_factor(term) : 0;
        const bool centred = !magnitude && factor == 0;
        fill(taps.plain_rows[t], term, factor, centred);
        centre_sums += centred ? term.centre_sum() : 0;
        for (int j = 0; j < 2 * R + 1; ++j) {
            taps.columns[t][j] = static_cast<std::uint32_t>(tap_at(term.columns, j - R)) *
                                 static_cast<std::uint32_t>(std::max(factor, 1));
        }
    }
    taps.gain = static_cast<std::uint32_t>(filter.finish.gain);
    taps.threshold = static_cast<std::int32_t>(filter.finish.threshold);
    taps.shift = filter.finish.shift;
    switch (filter.finish.combine) {
        case Combine::sum:
            taps.ending = filter.finish.threshold > 0 ? Ending::threshold : Ending::plain;
            taps.start = static_cast<std::uint32_t>(centre_sums + rounded_bias);
            taps.bias = static_cast<std::int32_t>(rounded_bias);
            break;
        case Combine::absolute:
            taps.ending = Ending::absolute;
            taps.start = static_cast<std::uint32_t>(centre_sums);
            taps.bias = static_cast<std::int32_t>(rounded_bias);
            break;
        case Combine::magnitude:
            fill_magnitude(taps, filter);
            break;
    }
    for (int t = 0; t < terms; ++t) {
        fill(taps.rows[t], taps.plain_rows[t]);
    }
}

}  // namespace vfilter::cuda::stencil
