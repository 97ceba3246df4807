#pragma once
// Instructions that no operator of the language stands for.

#include <cstdint>

namespace vfilter::cuda {

/// Two signed taps of 16 bits times the lower, or the upper, two of four bytes, added to a sum.
__device__ __forceinline__ std::int32_t dot_low(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    std::int32_t result;
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(taps), "r"(bytes), "r"(sum));
    return result;
}
__device__ __forceinline__ std::int32_t dot_high(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    std::int32_t result;
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(taps), "r"(bytes), "r"(sum));
    return result;
}
/// Four signed taps of 8 bits times four bytes, added to a sum.
__device__ __forceinline__ std::int32_t dot_four(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    std::int32_t result;
    asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(taps), "r"(bytes), "r"(sum));
    return result;
}

/// Four numbers, each clamped to what a byte holds, in one word.
__device__ __forceinline__ std::uint32_t pack_bytes(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
    std::uint32_t upper;
    std::uint32_t all;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, 0;" : "=r"(upper) : "r"(d), "r"(c));
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(all) : "r"(b), "r"(a), "r"(upper));
    return all;
}

/// A root, off by one unit in the last place at most.
__device__ __forceinline__ float near_root(float n) {
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(n));
    return root;
}

}  // namespace vfilter::cuda
