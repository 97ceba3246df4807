#pragma once
// The arithmetic contract of pixelation: a picture of square blocks, each of which has the mean of its samples.
//
// Along each axis, luma pixel i of the picture lies in block (i + phase) / size, and sample x of a plane, which has
// `pitch` luma pixels for each of its samples, in that of its first pixel, x * pitch. So the blocks of subsampled
// chroma cover what those of luma cover; a sample that lies in two belongs to the first. With n samples of a block in
// the picture, whose sum is s,
//
//     out = (s + n / 2) / n                                              rounded down, which is s / n rounded half up
//
// for all of them. Blocks that the picture's edge cuts have the mean of what is there. Nothing outside of the picture
// is looked at, whatever its border. Sums of 16-bit samples need 64 bits, those of a column 32.

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "kernels/arithmetic/arithmetic.h"

namespace vfilter {

/// Luma pixels: a column of the largest block sums up to less than 2^26.
inline constexpr int max_block_size = 1000;

/// The blocks along one axis of a plane.
struct BlockGrid {
    int size = 1;   ///< luma pixels, 1 to max_block_size
    int pitch = 1;  ///< luma pixels from one sample to the next, 1 or more
    int phase = 0;  ///< luma pixels of the first block that lie before the picture; 0 to size - 1

    /// Of a sample; from 0.
    [[nodiscard]] constexpr int block_of(int sample) const { return (sample * pitch + phase) / size; }
    /// The first sample of a block, which ends where the next one begins: nowhere else, where it has none.
    [[nodiscard]] constexpr int begin(int block) const { return ceil_div(std::max(block * size - phase, 0), pitch); }
    /// Blocks of a line of so many samples.
    [[nodiscard]] constexpr int count(int samples) const { return block_of(samples - 1) + 1; }
    /// Lines that begin at multiples of so many samples have the same blocks.
    [[nodiscard]] constexpr int unit() const { return size / std::gcd(size, pitch); }
};

/// Immutable once made; may be shared by any number of threads.
struct Pixelation {
    int depth = 8;  ///< 8 to 16
    BlockGrid columns{};
    BlockGrid rows{};

    [[nodiscard]] int max_value() const { return (1 << depth) - 1; }
    [[nodiscard]] static constexpr std::uint64_t mean(std::uint64_t sum, std::uint64_t count) {
        return (sum + count / 2) / count;
    }
};

}  // namespace vfilter
