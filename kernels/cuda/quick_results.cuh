#pragma once
// From the sums of the quick kernels to samples.

#include "kernels/cuda/magnitude.cuh"
#include "kernels/cuda/quick_rows.cuh"

namespace vfilter::cuda {

/// Results of one row, from its sums. `sample(c)` is what the filter was given at column c.
template <class S, int columns>
__device__ __forceinline__ void finish(const std::uint32_t (&sums)[S::sums][columns], std::int32_t (&results)[columns],
                                       const typename S::Taps& taps, const auto& sample) {
    if constexpr (S::magnitude) {
        const auto bias = static_cast<float>(taps.bias);
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            const std::int32_t a = static_cast<std::int32_t>(sums[0][c]) >> taps.shift;
            const std::int32_t b = static_cast<std::int32_t>(sums[1][c]) >> taps.shift;
            results[c] = S::per_word == 4 ? magnitude_of_bytes(a, b, bias) : magnitude_of_words(a, b, taps.bias);
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

/// Clamps results and puts them where they belong.
template <class S>
__device__ __forceinline__ void store(unsigned char* to, const std::int32_t (&results)[S::own],
                                      const PlaneParams& plane, const Picture& picture) {
    if constexpr (S::per_word == 4) {
        const std::uint32_t first = pack_bytes(results[0], results[1], results[2], results[3]);
        if constexpr (S::own == 8) {
            *reinterpret_cast<uint2*>(to) =
                make_uint2(first, pack_bytes(results[4], results[5], results[6], results[7]));
        } else {
            *reinterpret_cast<std::uint32_t*>(to) = first;
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

}  // namespace vfilter::cuda
