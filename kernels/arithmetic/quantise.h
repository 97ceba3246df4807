#pragma once
// Real taps as integers. Not for others than the makers of filters in this folder.

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace vfilter {

/// Taps at a scale.
struct Quantised {
    std::vector<std::int32_t> taps;
    std::vector<double> errors;  ///< integer / 2^scale - real; without what all have in common:
    double factor_error = 0;     ///< by what share all of them are too large or too small, an amount
};

/// What integer taps may be, both inclusive.
struct TapRange {
    double min;
    double max;
};

/// Whether all are the same, but for what double precision has done to them.
bool all_equal(const std::vector<double>& taps);

/// Rounds taps * 2^scale to integers that sum to round(sum * 2^scale): error diffusion from both ends to the centre,
/// which takes what keeps the sum. Neighbouring errors have opposite signs, so that smooth pictures, which is most of
/// any picture, see none of them. Nothing if a tap is out of range. The number of taps is odd.
std::optional<Quantised> quantise(const std::vector<double>& taps, double sum, int scale, const TapRange& range);

/// Taps that are all the same, as integers that sum to 2^scale: `taps` of them, 2^scale / taps rounded down, and one
/// more in the middle, for as many as it takes. Where that is an even number, the middle one has no more, and one more
/// tap on either side of it does. No choice of integers is nearer, and a sum over them is three sums that run: over all
/// samples, over those of the middle, and of the middle one. Nothing if a tap is out of range. The number of taps is
/// odd.
std::optional<Quantised> quantise_equal(std::size_t taps, int scale, const TapRange& range);

/// Taps that are to each other as whole numbers: all are multiples of one integer, so that they miss the
/// real ones by a common factor and nothing else. Nothing of others.
std::optional<Quantised> quantise_in_proportion(const std::vector<double>& taps, int scale, const TapRange& range);

/// Sums of positive and of negative numbers.
struct Sums {
    double positive = 0;
    double negative = 0;  ///< of absolute values

    [[nodiscard]] double absolute() const { return positive + negative; }
    [[nodiscard]] double signed_sum() const { return positive - negative; }
};

template <class T>
Sums sums_of(const std::vector<T>& values) {
    Sums sums;
    for (const T value : values) {
        (value < 0 ? sums.negative : sums.positive) += std::abs(static_cast<double>(value));
    }
    return sums;
}

}  // namespace vfilter
