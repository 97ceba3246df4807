#pragma once
// Products of a band (Toeplitz) matrix of taps, in shared memory, with samples or intermediate samples in fragments.

#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/tensor_shared/parameters.h"

namespace vfilter::cuda::tensor_shared {

/// B of a step of 32 places: bytes of a sample, low first, two groups of 8 columns of B, two sixteens of places.
template <int bytes>
struct StepWords {
    std::uint32_t words[bytes][2][2];
};

/// Sums by powers of 256, of four tiles and two groups of 8 columns of B.
template <int weights>
using Sums = std::int32_t[weights][4][2][4];

/// A of a step for two tiles, of the low and the high byte of the taps.
struct StepTaps {
    std::uint32_t even[2][4];  ///< of tile 0, halves 2 s and 2 s + 1
    std::uint32_t odd[2][4];   ///< of tile 1, halves 2 s - 1 and 2 s
};

/// Adds the products of tiles first_tile and first_tile + 1.
template <int first_tile, Sign high_sign, int bytes>
__device__ __forceinline__ void multiply_two(Sums<bytes + 1>& sums, const StepTaps& taps, const StepWords<bytes>& b) {
#pragma unroll
    for (int byte = 0; byte < bytes; ++byte) {
#pragma unroll
        for (int plane = 0; plane < 2; ++plane) {
#pragma unroll
            for (int tile = first_tile; tile < first_tile + 2; ++tile) {
                const std::uint32_t(&a)[4] = tile == first_tile ? taps.even[plane] : taps.odd[plane];
#pragma unroll
                for (int n = 0; n < 2; ++n) {
                    const std::uint32_t(&own)[2] = b.words[byte][n];
                    std::int32_t(&to)[4] = sums[byte + plane][tile][n];
                    if (byte == 0) {
                        plane == 0 ? mma_m16n8k32<Sign::u8, Sign::u8>(to, a, own[0], own[1])
                                   : mma_m16n8k32<Sign::s8, Sign::u8>(to, a, own[0], own[1]);
                    } else {
                        plane == 0 ? mma_m16n8k32<Sign::u8, high_sign>(to, a, own[0], own[1])
                                   : mma_m16n8k32<Sign::s8, high_sign>(to, a, own[0], own[1]);
                    }
                }
            }
        }
    }
}

/// Adds a whole band's products. `band` is this lane's first word, `b.next(step)` the words of B.
template <Sign high_sign, int bytes>
__device__ __forceinline__ void sweep(Sums<bytes + 1>& sums, const uint4* band, int steps, auto& b) {
    [[maybe_unused]] constexpr int unrolled = bytes == 1 ? 2 : 1;  // what is left of registers
    StepTaps taps = {};
    const auto load = [&](int step) {
#pragma unroll
        for (int plane = 0; plane < 2; ++plane) {
            const uint4 four = band[tile_half * (2 * step + plane)];
            taps.odd[plane][0] = taps.even[plane][2];
            taps.odd[plane][1] = taps.even[plane][3];
            taps.odd[plane][2] = four.x;
            taps.odd[plane][3] = four.y;
            taps.even[plane][0] = four.x;
            taps.even[plane][1] = four.y;
            taps.even[plane][2] = four.z;
            taps.even[plane][3] = four.w;
        }
    };
    load(0);
    multiply_two<0, high_sign, bytes>(sums, taps, b.next(0));
    // Tiles 2 and 3 are where tiles 0 and 1 were a step before.
#pragma unroll unrolled
    for (int step = 1; step < steps; ++step) {
        const StepWords<bytes> words = b.next(step);
        multiply_two<2, high_sign, bytes>(sums, taps, words);
        load(step);
        multiply_two<0, high_sign, bytes>(sums, taps, words);
    }
    multiply_two<2, high_sign, bytes>(sums, taps, b.next(steps));
}

template <int weights>
__device__ __forceinline__ void clear(Sums<weights>& sums) {
#pragma unroll
    for (int weight = 0; weight < weights; ++weight) {
#pragma unroll
        for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
            for (int n = 0; n < 2; ++n) {
#pragma unroll
                for (std::int32_t& sum : sums[weight][tile][n]) {
                    sum = 0;
                }
            }
        }
    }
}

/// Makes the sums b over the low parts of split taps what those over the high ones begin with, b >> low_bits.
template <int weights>
__device__ __forceinline__ void carry(Sums<weights>& sums, int low_bits) {
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
        for (int n = 0; n < 2; ++n) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                std::int64_t sum = 0;
#pragma unroll
                for (int weight = weights - 1; weight >= 0; --weight) {
                    sum = sum * 256 + sums[weight][tile][n][i];
                    sums[weight][tile][n][i] = 0;
                }
                sums[0][tile][n][i] = static_cast<std::int32_t>(sum >> low_bits);
            }
        }
    }
}

}  // namespace vfilter::cuda::tensor_shared
