#pragma once
// The integer formulas that every implementation shares, on the host and on GPUs. Everything here is constexpr, which
// nvcc compiles for the device as well (--expt-relaxed-constexpr). All functions are thread-safe.

#include <cstdint>

namespace vfilter {

/// What is added before a right shift by `shift` bits so that the result is rounded half up: 2^(shift - 1), or 0.
template <class T = std::int64_t>
constexpr T half(int shift) {
    return shift > 0 ? T{1} << (shift - 1) : T{0};
}

/// dividend / divisor, rounded up: tiles to cover a plane, words to hold bytes. dividend >= 0, divisor > 0.
template <class T>
constexpr T ceil_div(T dividend, T divisor) {
    return (dividend + divisor - 1) / divisor;
}

/// The next multiple of `unit`. value >= 0, unit > 0.
template <class T>
constexpr T round_up(T value, T unit) {
    return ceil_div(value, unit) * unit;
}

/// Split taps: tap = 2^low_bits * high_part + low_part, the low part in [-2^(low_bits - 1), 2^(low_bits - 1)).
/// With low_bits 0 the low part is 0.
constexpr std::int32_t low_part(std::int32_t tap, int low_bits) {
    const std::int32_t middle = (1 << low_bits) / 2;
    return ((tap + middle) & ((1 << low_bits) - 1)) - middle;
}
constexpr std::int32_t high_part(std::int32_t tap, int low_bits) {
    return (tap - low_part(tap, low_bits)) >> low_bits;
}

/// What a filter sees outside the picture: OpenCV's names and meanings.
enum class Border { reflect_101, reflect, replicate, constant, wrap };

/// The sample that stands for position `index` of a line of `length` samples, or -1 where the constant does. Any index
/// is valid, however far outside. length >= 1.
constexpr int border_index(int index, int length, Border border) {
    if (index >= 0 && index < length) {
        return index;
    }
    if (border == Border::constant) {
        return -1;
    }
    if (border == Border::replicate) {
        return index < 0 ? 0 : length - 1;
    }
    // The other three repeat: the line alone, with its mirror, or with its mirror less the two ends.
    const int ends = border == Border::reflect ? 2 : 0;  // of the mirror that are kept
    const int mirrored = length == 1 && ends == 0 ? 1 : 2 * length - 2 + ends;
    const int period = border == Border::wrap ? length : mirrored;
    const int rest = index % period;
    const int folded = rest < 0 ? rest + period : rest;
    return folded < length ? folded : mirrored - ends / 2 - folded;
}

}  // namespace vfilter
