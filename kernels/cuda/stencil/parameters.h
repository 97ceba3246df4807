#pragma once
// A composite's taps in the forms that the quick kernels take: parameters of a launch, and their making on the host.
//
// Against the contract's text every step is exact:
// - The intermediate is not centred: sum C (mid - centre) + centre * sum C is sum C mid.
// - Sums wrap: what the contract says fits 32 bits is right in the end, whatever was added on the way.
// - Rows whose taps are whole multiples of the intermediate's unit have nothing to round. Without that unit and what
//   they have in common, which the columns take over, they may fit a byte: those of Sobel, Scharr, Prewitt, Laplace.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "kernels/arithmetic/linear_filter.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/magnitude.h"

namespace vfilter::cuda {

/// How the row pass multiplies.
enum class Form {
    pairs,  ///< bytes two by two
    quads,  ///< bytes four by four, with taps of 8 bits
    words,  ///< 16-bit samples
};

template <Form form, int R>
struct QuickRows;

template <int R>
struct QuickRows<Form::pairs, R> {
    std::uint32_t even[R + 1];  ///< two taps a word, for windows that begin at an even byte
    std::uint32_t odd[R + 1];   ///< the same, one position later
    std::int32_t half;
    std::int32_t shift;
};

template <int R>
struct QuickRows<Form::quads, R> {
    std::uint32_t taps[4][(2 * R + 7) / 4];  ///< four taps a word, for windows that begin at byte 0, 1, 2 and 3 of one
};

template <int R>
struct QuickRows<Form::words, R> {
    std::int32_t taps[2 * R + 1];
    std::int32_t half;
    std::int32_t shift;
};

/// How a sum becomes a result, where it is no magnitude.
enum class Ending { plain, absolute, threshold, constant };

template <Form form, int R, int terms>
struct QuickTaps {
    QuickRows<form, R> rows[terms];
    QuickRows<Form::words, R> plain_rows[terms];  ///< the same numbers for one column at a time
    std::uint32_t columns[terms][2 * R + 1];
    std::uint32_t start;  ///< what sums begin with: all that rounds them, and the bias where it comes before all else
    std::uint32_t gain;
    std::int32_t shift;
    std::int32_t bias;    ///< absolute: what is added later; threshold: what `start` has; magnitude: in levels
    std::int32_t limit;   ///< magnitude: see half_limit
    std::uint32_t least;  ///< magnitude of bytes: the sum of squares from which a result is above 0, and
    std::uint32_t most;   ///< the last one of which it is in the range
    bool units;           ///< magnitude: columns are {1, s, 1} and {-1, 0, 1}
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
inline std::int32_t quad_factor(const CompositeTerm& term) {
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

/// Whether every result is the same.
inline bool is_constant(const Composite& composite) {
    return composite.terms.empty() && composite.gain == 0 && composite.threshold == 0;
}

/// The first n of which (isqrt(n) + 1) >> 1 is that, or more.
inline std::uint32_t least_square(std::int32_t magnitude) {
    const auto root = static_cast<std::uint32_t>(std::max(2 * magnitude - 1, 0));
    return root * root;
}

/// What the halves of a gradient are clamped to: the contract's limit, or 0 where sums of 32 bits less the shift have
/// no more bits than the sum of squares and its root are made for. What is beyond the contract's limit then is above
/// the range with and without it, as no bias takes it back by that much.
inline std::int32_t half_limit(const Composite& composite) {
    const int most_bits = composite.depth == 8 ? 15 : 20;
    return 32 - composite.scale > most_bits ? composite.magnitude_limit() : 0;
}

/// Whether a composite can be one of a launch.
template <Form form, int R, int terms, bool magnitude>
bool quick_takes(const Composite& composite) {
    if (is_constant(composite)) {
        return true;
    }
    if (composite.wide || composite.terms.size() > terms || composite.radius_x() > R || composite.radius_y() > R ||
        (composite.combine == Combine::magnitude) != magnitude ||
        composite.threshold > std::numeric_limits<std::int32_t>::max()) {
        return false;
    }
    if (form == Form::quads && !std::ranges::all_of(composite.terms, quad_factor)) {
        return false;
    }
    return !magnitude || takes_magnitude(composite);
}

template <int R>
void fill(QuickRows<Form::words, R>& rows, const CompositeTerm& term, std::int32_t factor) {
    // What has nothing to round is not shifted.
    const bool exact = factor != 0;
    const std::int32_t unit = exact ? (1 << term.row_shift) * factor : 1;
    for (int i = 0; i < 2 * R + 1; ++i) {
        rows.taps[i] = tap_at(term.rows, i - R) / unit;
    }
    rows.half = exact ? 0 : static_cast<std::int32_t>(rounding(term.row_shift));
    rows.shift = exact ? 0 : term.row_shift;
}

template <int R>
void fill(QuickRows<Form::pairs, R>& rows, const QuickRows<Form::words, R>& plain) {
    const auto at = [&](int i) {  // 0 outside
        return i < 0 || i > 2 * R ? 0 : static_cast<std::uint32_t>(plain.taps[i]) & 0xffff;
    };
    for (int pair = 0; pair <= R; ++pair) {
        rows.even[pair] = at(2 * pair) | at(2 * pair + 1) << 16;
        rows.odd[pair] = at(2 * pair - 1) | at(2 * pair) << 16;
    }
    rows.half = plain.half;
    rows.shift = plain.shift;
}

template <int R>
void fill(QuickRows<Form::quads, R>& rows, const QuickRows<Form::words, R>& plain) {
    for (int phase = 0; phase < 4; ++phase) {
        for (int i = 0; i < 2 * R + 1; ++i) {
            rows.taps[phase][(phase + i) / 4] |= (static_cast<std::uint32_t>(plain.taps[i]) & 0xff)
                                                 << ((phase + i) % 4 * 8);
        }
    }
}

template <int R>
void fill(QuickRows<Form::words, R>& rows, const QuickRows<Form::words, R>& plain) {
    rows = plain;
}

/// Leaves out the lowest bits of the columns' taps that are 0 in all of them, and as many bits of the shift.
template <Form form, int R, int terms>
void shift_columns(QuickTaps<form, R, terms>& taps) {
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
void move_factors(QuickTaps<form, R, terms>& taps) {
    for (int t = 0; t < terms; ++t) {
        std::int32_t factor = 0;
        for (const std::uint32_t tap : taps.columns[t]) {
            factor = std::gcd(factor, static_cast<std::int32_t>(tap));
        }
        std::int32_t most = 0;
        for (const std::int32_t tap : taps.plain_rows[t].taps) {
            most = std::max(most, std::abs(tap));
        }
        if (factor == 0 || most * std::int64_t{factor} > std::numeric_limits<std::int8_t>::max()) {
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
bool arrange_units(QuickTaps<form, 1, terms>& taps) {
    static_assert(terms == 2);
    constexpr auto less = static_cast<std::uint32_t>(-1);
    if (taps.columns[0][0] == less) {
        std::ranges::swap(taps.columns[0], taps.columns[1]);
        std::swap(taps.plain_rows[0], taps.plain_rows[1]);
    }
    const auto& sum = taps.columns[0];
    const auto& difference = taps.columns[1];
    return sum[0] == 1 && sum[2] == 1 && difference[0] == less && difference[1] == 0 && difference[2] == 1;
}

template <Form form, int R, int terms>
void fill_magnitude(QuickTaps<form, R, terms>& taps, const Composite& composite) {
    const auto most = static_cast<std::int32_t>(composite.max_value());
    taps.bias = static_cast<std::int32_t>(std::min<std::int64_t>(magnitude_bias(composite), most));
    taps.limit = half_limit(composite);
    taps.least = least_square(-taps.bias);
    taps.most = least_square(most - taps.bias + 1) - 1;
    taps.shift = composite.scale - 1;
    shift_columns(taps);
    taps.start = static_cast<std::uint32_t>(rounding(taps.shift));
    if constexpr (form == Form::quads) {
        move_factors(taps);
    }
    if constexpr (R == 1 && terms == 2) {
        taps.units = arrange_units(taps);
    }
}

/// Fills taps that are all 0 before.
template <Form form, int R, int terms>
void fill(QuickTaps<form, R, terms>& taps, const Composite& composite) {
    const std::int64_t rounded_bias = composite.bias + rounding(composite.scale);
    if (is_constant(composite)) {
        taps.ending = Ending::constant;
        taps.constant = static_cast<std::int32_t>(
            std::clamp<std::int64_t>(rounded_bias >> composite.scale, 0, composite.max_value()));
        return;
    }
    for (std::size_t t = 0; t < composite.terms.size(); ++t) {
        const CompositeTerm& term = composite.terms[t];
        const std::int32_t factor = form == Form::quads ? quad_factor(term) : 0;
        fill(taps.plain_rows[t], term, factor);
        for (int j = 0; j < 2 * R + 1; ++j) {
            taps.columns[t][j] = static_cast<std::uint32_t>(tap_at(term.columns, j - R)) *
                                 static_cast<std::uint32_t>(std::max(factor, 1));
        }
    }
    taps.gain = static_cast<std::uint32_t>(composite.gain);
    taps.threshold = static_cast<std::int32_t>(composite.threshold);
    taps.shift = composite.scale;
    switch (composite.combine) {
        case Combine::sum:
            taps.ending = composite.threshold > 0 ? Ending::threshold : Ending::plain;
            taps.start = static_cast<std::uint32_t>(rounded_bias);
            taps.bias = static_cast<std::int32_t>(rounded_bias);
            break;
        case Combine::absolute:
            taps.ending = Ending::absolute;
            taps.bias = static_cast<std::int32_t>(rounded_bias);
            break;
        case Combine::magnitude:
            fill_magnitude(taps, composite);
            break;
    }
    for (int t = 0; t < terms; ++t) {
        fill(taps.rows[t], taps.plain_rows[t]);
    }
}

}  // namespace vfilter::cuda
