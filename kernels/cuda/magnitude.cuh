#pragma once
// Magnitudes of gradients: the contract's integer square root by way of an approximate one.

#include <cstdint>

#include "kernels/cuda/ptx.cuh"

namespace vfilter::cuda {

/// Numbers from 2^23 to 2^24 are whole as floats, and the lower bits of one are those of its distance from the first.
constexpr float first_whole = 8388608;
constexpr std::uint32_t first_whole_bits = 0x4b000000;
/// The same in their middle, so that a distance may be negative.
constexpr float middle_whole = 12582912;
constexpr std::int32_t middle_whole_bits = 0x4b400000;

/// first_whole_bits + a^2 + b^2, for a and b of 2^15 at most.
__device__ __forceinline__ std::uint32_t squares(std::int32_t a, std::int32_t b) {
    return static_cast<std::uint32_t>(b) * static_cast<std::uint32_t>(b) +
           (static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(a) + first_whole_bits);
}

/// middle_whole_bits + ((isqrt(n) + 1) >> 1) + bias from first_whole_bits + n, for 8-bit samples and n of 2^21 at most.
///
/// That is k for which (2k - 1)^2 <= n < (2k + 1)^2, or sqrt(n + 1/2) / 2 to the nearest whole number: whole n lie on
/// the same side of those squares as n + 1/2, which is none itself. Near N^2, the square of an odd number, sqrt(n +
/// 1/2) is at least 1 / (4 N + 1) off N. That is four units of a root's last place for N < 1024, and the approximate
/// root is off by one: no nearest number is another one by it. n + 1/2 is exact as a float, and the last sum rounds but
/// once. Larger roots are above the range in any case, as a bias takes 256 away at most.
__device__ __forceinline__ std::int32_t half_root(std::uint32_t n_bits, float bias) {
    const float n_and_half = __uint_as_float(n_bits) - (first_whole - 0.5F);
    return __float_as_int(__fmaf_rn(sqrt_approx(n_and_half), 0.5F, middle_whole + bias));
}

/// (isqrt(a^2 + b^2) + 1) >> 1, plus the bias, for 8-bit samples and a, b of 2^15 at most; they need not be limited to
/// what the contract limits them to.
__device__ __forceinline__ std::int32_t magnitude_of_bytes(std::int32_t a, std::int32_t b, float bias) {
    constexpr std::uint32_t max_squares = 1U << 21;
    return half_root(min(squares(a, b), first_whole_bits + max_squares), bias) - middle_whole_bits;
}

/// The same for samples of up to 16 bits, and a, b of 2^20 at most: an estimate that is off by 1 at most, then put
/// right by whole numbers. n - (2k)^2 is below 2^31 for any k that near, so that its lower 32 bits tell it. Where a or
/// b is beyond the contract's limit, 2^(B + 2), the result is above the range with and without it.
__device__ __forceinline__ std::int32_t magnitude_of_words(std::int32_t a, std::int32_t b, std::int32_t bias) {
    const auto x = static_cast<float>(a);
    const auto y = static_cast<float>(b);
    const float root = sqrt_approx(__fmaf_rn(x, x, y * y));
    const std::int32_t k = __float_as_int(__fmaf_rn(root, 0.5F, middle_whole)) - middle_whole_bits;
    const auto square = [](std::int32_t of) { return static_cast<std::uint32_t>(of) * static_cast<std::uint32_t>(of); };
    const auto above = static_cast<std::int32_t>(square(a) + square(b) - 4 * square(k));
    const std::int32_t right = k + (above > 4 * k ? 1 : 0) - (above <= -4 * k ? 1 : 0);
    return max(right, 0) + bias;  // for n = 0 the second condition holds, too
}

}  // namespace vfilter::cuda
