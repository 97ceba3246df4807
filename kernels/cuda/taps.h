#pragma once
// A convolution's taps in the forms that the fused kernels take: parameters of a launch, and their making on the host.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "kernels/arithmetic/linear_filter.h"

namespace vfilter::cuda {

template <class T, int R>
struct Taps;

template <int R>
struct Taps<std::uint8_t, R> {
    std::uint32_t row_even[R + 1];  ///< two taps a word, for windows that begin at an even byte
    std::uint32_t row_odd[R + 1];   ///< the same, one position later
    std::uint32_t row_half;
    std::uint32_t row_shift;      ///< byte_row_shift for the radii of byte_shifted
    std::uint32_t column[R + 1];  ///< by distance from the middle
    std::uint32_t column_half;
    /// Four taps a word, for windows that begin at byte 0, 1, 2 and 3 of one; nothing is rounded then.
    std::uint32_t row_quads[4][(2 * R + 7) / 4];
    std::uint32_t use_quads;
    /// Taps for two neighbouring columns in one word, with a result in the upper byte of each half, where every sum
    /// fits 16 bits: OpenCV's Gaussians 3 and 5. The quads are then without their common factor.
    std::uint32_t word_column[R + 1];
    std::uint32_t use_words;
};

template <int R>
struct Taps<std::uint16_t, R> {
    std::uint32_t row[R + 1];
    std::uint32_t row_half;
    std::uint32_t column[R + 1];
    std::uint32_t column_half;
};

/// Bits to the right of the result in the column pass's sum: fixed for bytes; for words the result is at the upper end.
constexpr int byte_column_shift = 24;
/// The same for the row pass of short convolutions of bytes: a whole number of bytes, so that nothing is shifted at
/// all.
constexpr int byte_row_shift = 8;
template <class T, int R>
inline constexpr bool byte_shifted = sizeof(T) == 1 && R <= 3;
template <class T, int R>
inline constexpr bool has_words = sizeof(T) == 1 && R <= 2;

/// The tap at that distance from the middle, 0 beyond the last one.
inline std::uint32_t tap_at(const Pass& pass, int distance) {
    const int radius = pass.radius();
    return distance > radius ? 0 : static_cast<std::uint32_t>(pass.taps[static_cast<std::size_t>(radius - distance)]);
}

inline std::uint32_t half_of(int shift) {
    return shift > 0 ? 1U << (shift - 1) : 0;
}

/// log2 of the largest power of two that divides all taps.
inline int common_factor(const Pass& pass) {
    std::uint32_t all = 0;
    for (const std::int32_t tap : pass.taps) {
        all |= static_cast<std::uint32_t>(tap);
    }
    return std::countr_zero(all);
}

template <int R>
void fill(Taps<std::uint8_t, R>& taps, const Convolution& convolution) {
    const Pass& rows = convolution.rows;
    const int row_up = byte_shifted<std::uint8_t, R> ? byte_row_shift - rows.shift : 0;
    const auto at = [&](int i) { return tap_at(rows, i < R ? R - i : i - R) << row_up; };  // from the left; 0 outside
    for (int pair = 0; pair <= R; ++pair) {
        taps.row_even[pair] = at(2 * pair) | at(2 * pair + 1) << 16;
        taps.row_odd[pair] = (pair == 0 ? 0 : at(2 * pair - 1)) | at(2 * pair) << 16;
    }
    taps.row_half = half_of(rows.shift) << row_up;
    taps.row_shift = static_cast<std::uint32_t>(rows.shift + row_up);
    const int up = byte_column_shift - convolution.columns.shift;
    for (int j = 0; j <= R; ++j) {
        taps.column[j] = tap_at(convolution.columns, j) << up;
    }
    taps.column_half = half_of(convolution.columns.shift) << up;

    std::uint32_t unit = 1U << rows.shift;
    const auto whole = [&](std::int32_t tap) {
        return static_cast<std::uint32_t>(tap) % unit == 0 && static_cast<std::uint32_t>(tap) / unit <= 255;
    };
    taps.use_quads = byte_shifted<std::uint8_t, R> && std::ranges::all_of(rows.taps, whole) ? 1 : 0;
    // Both passes without the powers of two that all of their taps have in common.
    const Pass& columns = convolution.columns;
    const int row_factor = common_factor(rows);
    const int column_factor = common_factor(columns);
    const int spare = 8 - (rows.scale - row_factor) - (columns.scale - column_factor);
    taps.use_words = has_words<std::uint8_t, R> && !convolution.uniform() && taps.use_quads != 0 && spare >= 0 ? 1 : 0;
    if (taps.use_words != 0) {
        unit = 1U << row_factor;
        for (int j = 0; j <= R; ++j) {
            taps.word_column[j] = tap_at(columns, j) >> column_factor << spare;
        }
    }
    for (std::uint32_t phase = 0; taps.use_quads != 0 && phase < 4; ++phase) {
        for (std::uint32_t i = 0; i < 2 * R + 1; ++i) {
            const int distance = std::abs(static_cast<int>(i) - R);
            taps.row_quads[phase][(phase + i) / 4] |= tap_at(rows, distance) / unit << ((phase + i) % 4 * 8);
        }
    }
}

template <int R>
void fill(Taps<std::uint16_t, R>& taps, const Convolution& convolution) {
    const int row_up = 16 - convolution.rows.shift;
    const int column_up = 32 - convolution.depth - convolution.columns.shift;
    for (int j = 0; j <= R; ++j) {
        taps.row[j] = tap_at(convolution.rows, j) << row_up;
        taps.column[j] = tap_at(convolution.columns, j) << column_up;
    }
    taps.row_half = half_of(convolution.rows.shift) << row_up;
    taps.column_half = half_of(convolution.columns.shift) << column_up;
}

/// Whether the sums of the row pass end where the kernel looks for them, and the taps fit.
template <class T, int R>
bool takes(const Convolution& convolution) {
    const Pass& rows = convolution.rows;
    if (byte_shifted<T, R>) {
        const int up = byte_row_shift - rows.shift;
        return up >= 0 && tap_at(rows, 0) << up <= 0xffff;  // the middle tap is the largest
    }
    return sizeof(T) == 1 || rows.shift <= 16;
}

}  // namespace vfilter::cuda
