#pragma once
// From the sums of the quick kernels to samples.

#include "kernels/cuda/quick_rows.cuh"

namespace vfilter::cuda {

/// Numbers from 2^23 to 2^24 are whole as floats, and the lower bits of one are those of its distance from the first.
constexpr float first_whole = 8388608;
constexpr std::uint32_t first_whole_bits = 0x4b000000;
/// The same in their middle, so that a distance may be negative.
constexpr float middle_whole = 12582912;
constexpr std::int32_t middle_whole_bits = 0x4b400000;

/// (isqrt(a^2 + b^2) + 1) >> 1, plus the bias, for 8-bit samples and a, b of 2^15 at most.
///
/// With n = a^2 + b^2 that is k for which (2k - 1)^2 <= n < (2k + 1)^2, or sqrt(n + 1/2) / 2 to the nearest whole
/// number: whole n lie on the same side of those squares as n + 1/2, which is none itself. Near N^2, the square of an
/// odd number, sqrt(n + 1/2) is at least 1 / (4 N + 1) off N. That is four units of a root's last place for N < 1024,
/// and the approximate root is off by one: no nearest number is another one by it. n + 1/2 is exact as a float, and the
/// last sum rounds but once. Larger roots are above the range in any case, as a bias takes 256 away at most; so n may
/// be limited, and a and b need not be, to what the contract limits them to.
__device__ __forceinline__ std::int32_t magnitude_of_bytes(std::int32_t a, std::int32_t b, float bias) {
    constexpr std::uint32_t most = 1U << 21;
    const std::uint32_t n = static_cast<std::uint32_t>(b) * static_cast<std::uint32_t>(b) +
                            (static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(a) + first_whole_bits);
    const float n_and_half = __uint_as_float(min(n, first_whole_bits + most)) - (first_whole - 0.5F);
    return __float_as_int(__fmaf_rn(near_root(n_and_half), 0.5F, middle_whole + bias)) - middle_whole_bits;
}

/// The same for samples of up to 16 bits, and a, b of 2^20 at most: an estimate that is off by 1 at most, then put
/// right by whole numbers. n - (2k)^2 is below 2^31 for any k that near, so that its lower 32 bits tell it. Where a or
/// b is beyond the contract's limit, 2^(B + 2), the result is above the range with and without it.
__device__ __forceinline__ std::int32_t magnitude_of_words(std::int32_t a, std::int32_t b, std::int32_t bias) {
    const auto x = static_cast<float>(a);
    const auto y = static_cast<float>(b);
    const float root = near_root(__fmaf_rn(x, x, y * y));
    const std::int32_t k = __float_as_int(__fmaf_rn(root, 0.5F, middle_whole)) - middle_whole_bits;
    const auto square = [](std::int32_t of) { return static_cast<std::uint32_t>(of) * static_cast<std::uint32_t>(of); };
    const auto above = static_cast<std::int32_t>(square(a) + square(b) - 4 * square(k));
    const std::int32_t right = k + (above > 4 * k ? 1 : 0) - (above <= -4 * k ? 1 : 0);
    return max(right, 0) + bias;  // for n = 0 the second condition holds, too
}

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
