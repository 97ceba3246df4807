#pragma once
// The arithmetic contract of dithering: an operation is made for samples of some more bits, and what its results have
// below the last bit of the plane's is not rounded half up but by a threshold that depends on the place: a pattern of
// two levels stands for what lies between them.
//
// With B the bits of the plane's samples and k the further ones, 1 to 4, of which `inner` has B + k: its samples are
// s 2^k for each sample s of the plane, of its border, and of other pictures of its window. Of its results r
//
//     out = min((r + t) >> k, 2^B - 1)
//     t = m(x mod 4, y mod 4) >> (4 - k),  m =  0  8  2 10
//                                              12  4 14  6
//                                               3 11  1  9
//                                              15  7 13  5
//
// at the pixel (x, y), both counted from the plane's first one (from the field's, where there are two); m is Bayer's
// (B. E. Bayer, An optimum method for two-level rendition of continuous-tone pictures, 1973). Whole levels stay, as t
// is below 2^k. The mean of t is (2^k - 1) / 2, so that the mean over a tile of a flat area is r / 2^k exactly. Nothing
// depends on the picture's number: what stands still does not flicker.

#include <memory>

#include "kernels/arithmetic/temporal.h"

namespace vfilter {

inline constexpr int max_dither_bits = 4;
/// Pixels after which the thresholds begin anew.
inline constexpr int dither_period = 4;

struct InnerOperation;  // operation.h

/// Immutable; may be shared by any number of threads.
struct Dithered {
    int depth = 8;  ///< B, 8 to 15
    int bits = 4;   ///< k
    TimeReach time{};
    std::shared_ptr<const InnerOperation> inner{};

    [[nodiscard]] constexpr int max_value() const { return (1 << depth) - 1; }
    /// t.
    [[nodiscard]] constexpr int threshold(int x, int y) const {
        constexpr int thresholds[dither_period][dither_period] = {
            {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
        return thresholds[y % dither_period][x % dither_period] >> (max_dither_bits - bits);
    }
    /// Of inner's result and threshold().
    [[nodiscard]] constexpr int result(int finer, int threshold) const {
        const int made = (finer + threshold) >> bits;
        return made < max_value() ? made : max_value();
    }
};

/// The further bits that samples of that depth can have; 0 for 16.
constexpr int dither_bits(int depth) {
    return 16 - depth < max_dither_bits ? 16 - depth : max_dither_bits;
}

}  // namespace vfilter
