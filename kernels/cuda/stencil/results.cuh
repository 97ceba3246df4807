#pragma once
// From the sums of the stencil to samples.

#include "kernels/cuda/magnitude.cuh"
#include "kernels/cuda/stencil/rows.cuh"

namespace vfilter::cuda::stencil {

/// Results of one row, from its sums. `sample(c)` is what the filter was given at column c. They are yet to be clamped,
/// or, where the shape has them ready, samples by their lowest bytes.
template <class S, int columns>
__device__ __forceinline__ void finish(const std::uint32_t (&sums)[S::sums][columns], std::int32_t (&results)[columns],
                                       const typename S::Taps& taps, const auto& sample) {
    if constexpr (S::magnitude) {
        std::int32_t halves[2][columns];
#pragma unroll
        for (int i = 0; i < 2; ++i) {
#pragma unroll
            for (int c = 0; c < columns; ++c) {
                halves[i][c] = static_cast<std::int32_t>(sums[i][c]);
            }
        }
        if (taps.shift != 0) {
#pragma unroll
            for (auto& half : halves) {
#pragma unroll
                for (std::int32_t& of_column : half) {
                    of_column >>= taps.shift;
                }
            }
        }
        if (taps.limit != 0) {
#pragma unroll
            for (auto& half : halves) {
#pragma unroll
                for (std::int32_t& of_column : half) {
                    of_column = min(max(of_column, -taps.limit), taps.limit);
                }
            }
        }
        if constexpr (S::per_word == 4) {
            std::uint32_t n[columns];
#pragma unroll
            for (int c = 0; c < columns; ++c) {
                n[c] = min(squares(halves[0][c], halves[1][c]), first_whole_bits + taps.max_squares);
            }
            if (taps.min_squares != 0) {
#pragma unroll
                for (std::uint32_t& of_column : n) {
                    of_column = max(of_column, first_whole_bits + taps.min_squares);
                }
            }
            const auto bias = static_cast<float>(taps.bias);
#pragma unroll
            for (int c = 0; c < columns; ++c) {
                results[c] = half_root(n[c], bias);
            }
        } else {
#pragma unroll
            for (int c = 0; c < columns; ++c) {
                results[c] = magnitude_of_words(halves[0][c], halves[1][c], taps.bias);
            }
        }
    } else if (taps.ending == Ending::plain) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            results[c] = static_cast<std::int32_t>(sums[0][c]) >> taps.shift;
        }
    } else if (taps.ending == Ending::absolute) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            results[c] = (abs(static_cast<std::int32_t>(sums[0][c])) + taps.bias) >> taps.shift;
        }
    } else {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            const std::uint32_t given = sample(c);
            const std::uint32_t change = sums[0][c] - static_cast<std::uint32_t>(taps.bias) - (given << taps.shift);
            results[c] = abs(static_cast<std::int32_t>(change)) < taps.threshold
                             ? static_cast<std::int32_t>(given)
                             : static_cast<std::int32_t>(sums[0][c]) >> taps.shift;
        }
    }
}

/// The lowest bytes of four numbers in one word.
__device__ __forceinline__ std::uint32_t lowest_bytes(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
    const std::uint32_t lower = __byte_perm(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b), 0x0040);
    const std::uint32_t upper = __byte_perm(static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(d), 0x0040);
    return __byte_perm(lower, upper, 0x5410);
}

/// Clamps results and puts them where they belong.
template <class S>
__device__ __forceinline__ void store(unsigned char* to, const std::int32_t (&results)[S::own],
                                      const PlaneParams& plane, const Picture& picture) {
    if constexpr (S::per_word == 4) {
        const auto pack = [&](int c) {
            return S::ready ? lowest_bytes(results[c], results[c + 1], results[c + 2], results[c + 3])
                            : pack_bytes(results[c], results[c + 1], results[c + 2], results[c + 3]);
        };
        if constexpr (S::own == 8) {
            *reinterpret_cast<uint2*>(to) = make_uint2(pack(0), pack(4));
        } else {
            *reinterpret_cast<std::uint32_t*>(to) = pack(0);
        }
    } else {
        std::uint32_t samples[S::own];
#pragma unroll
        for (int c = 0; c < S::own; ++c) {
            samples[c] =
                static_cast<std::uint32_t>(min(max(results[c], 0), static_cast<std::int32_t>(picture.max_value)))
                << plane.lsb;
        }
        *reinterpret_cast<uint2*>(to) =
            make_uint2(__byte_perm(samples[0], samples[1], 0x5410), __byte_perm(samples[2], samples[3], 0x5410));
    }
}

}  // namespace vfilter::cuda::stencil
