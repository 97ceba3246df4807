#pragma once
// Sums over windows, whose cost does not grow with them. A warp walks down a strip; a thread keeps the sums of its four
// columns over the rows of a window, of which each row adds one and takes one away. Then sums over all columns from the
// strip's first on, of each component, are made by the warp: a window's is the difference of two. They wrap around at
// the width of their type, which no window's does.

#include <cstdint>

#include "kernels/cuda/guided/parameters.h"

namespace vfilter::cuda::guided {

/// Before those of a strip, so that every window begins behind something.
inline constexpr int columns_before = 4;
inline constexpr int columns_with_those = columns_before + strip_columns;

/// Sums over a strip's columns, in shared memory from a multiple of 16 bytes on. A warp's own.
template <class Sum>
class StripSums {
public:
    __device__ __forceinline__ StripSums(Sum (&sums)[columns_with_those], int lane) : sums_(sums) {
        if (lane < columns_before) {
            sums_[lane] = 0;
        }
    }
    /// Of a window of columns of one component: from column `first` of the strip to `last`, both of them in it.
    template <int step>
    [[nodiscard]] __device__ __forceinline__ Sum of(int first, int last) const {
        return sums_[columns_before + last] - sums_[columns_before + first - step];
    }
    /// Of all columns up to each of a thread's four, of its component.
    template <int step>
    __device__ __forceinline__ void put(const Sum (&columns)[4], int lane) const {
        Sum own[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            own[i] = columns[i] + (i < step ? 0 : own[i < step ? 0 : i - step]);
        }
        Sum lower[step];
#pragma unroll
        for (int component = 0; component < step; ++component) {
            const Sum all = own[4 - step + component];
            Sum sum = all;
#pragma unroll
            for (int by = 1; by < 32; by *= 2) {
                const Sum other = __shfl_up_sync(0xffffffff, sum, static_cast<unsigned>(by));
                sum += lane >= by ? other : 0;
            }
            lower[component] = sum - all;
        }
        struct alignas(16) Words {
            Sum sums[16 / sizeof(Sum)];
        };
        constexpr int in_words = 16 / static_cast<int>(sizeof(Sum));
#pragma unroll
        for (int i = 0; i < 4; i += in_words) {
            Words words;
#pragma unroll
            for (int k = 0; k < in_words; ++k) {
                words.sums[k] = own[i + k] + lower[(i + k) % step];
            }
            *reinterpret_cast<Words*>(sums_ + columns_before + 4 * lane + i) = words;
        }
    }

private:
    Sum* sums_;
};

/// The quotient rounded down, below 2^17, with `estimate` of it, which is less than one off. Exact, as what is left is.
__device__ __forceinline__ int quotient(std::int64_t dividend, std::int64_t divisor, float estimate) {
    const int near = static_cast<int>(estimate);
    const std::int64_t rest = dividend - near * divisor;
    return near + (rest >= divisor ? 1 : 0) - (rest < 0 ? 1 : 0);
}

/// A warp's place in the launch.
struct WarpTile {
    int plane;  ///< number
    int column;
    int row;  ///< of warps' tiles
    int lane;

    __device__ __forceinline__ explicit WarpTile(const Picture& picture, int number) : plane(number) {
        const int tile = static_cast<int>(blockIdx.x) - picture.planes[number].first_block;
        const int row_of_blocks = tile / picture.planes[number].tiles_x;
        column = tile - row_of_blocks * picture.planes[number].tiles_x;
        row = row_of_blocks * warps + static_cast<int>(threadIdx.x) / 32;
        lane = static_cast<int>(threadIdx.x) % 32;
    }
};

}  // namespace vfilter::cuda::guided
