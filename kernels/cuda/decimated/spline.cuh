#pragma once
// S, the spline of kernels/arithmetic/decimated_filter.h, as numbers that the compiler knows, and products with it.

#include <cstdint>
#include <type_traits>

#include "kernels/arithmetic/arithmetic.h"

namespace vfilter::cuda::decimated {

template <int count, int i = 0, class Body>
__device__ __forceinline__ void unrolled(const Body& body) {
    if constexpr (i < count) {
        body(std::integral_constant<int, i>{});
        unrolled<count, i + 1>(body);
    }
}

/// S at i: what is left of a cubic polynomial by its differences.
template <int bits>
constexpr unsigned spline_at(int i) {
    constexpr int factor = 1 << bits;
    constexpr int signs[] = {1, -4, 6, -4, 1};
    const int n = (i < 0 ? -i : i) + 2 * factor - 2;
    int sum = 0;
    for (int k = 0; k < 5; ++k) {
        const int m = n - k * factor + 3;
        sum += m >= 3 ? signs[k] * (m * (m - 1) * (m - 2) / 6) : 0;
    }
    return static_cast<unsigned>(sum);
}

/// One byte, the low or the high one, of each of `count` taps from S at i on.
template <int bits, int count>
constexpr unsigned tap_bytes_at(int i, int byte) {
    unsigned word = 0;
    for (int n = 0; n < count; ++n) {
        word |= (spline_at<bits>(i + n) >> (8 * byte) & 0xff) << (8 * n);
    }
    return word;
}

/// sum + the products of the samples in a word with the taps from S at i on.
template <class T, int bits, int i>
__device__ __forceinline__ unsigned add_products(unsigned samples, unsigned sum) {
    constexpr int count = 4 / sizeof(T);
    constexpr unsigned low = tap_bytes_at<bits, count>(i, 0);
    constexpr unsigned high = tap_bytes_at<bits, count>(i, 1);
    const auto product = [](unsigned numbers, unsigned taps, unsigned to) {
        return sizeof(T) == 1 ? __dp4a(numbers, taps, to) : __dp2a_lo(numbers, taps, to);
    };
    if constexpr (high != 0) {
        sum += product(samples, high, 0U) << 8;
    }
    return low != 0 ? product(samples, low, sum) : sum;
}

}  // namespace vfilter::cuda::decimated
