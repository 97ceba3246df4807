#pragma once
// What nvcc knows without any header: keywords, built-in variables, vectors and intrinsics.

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "tests/emulator/cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__  // libstdc++ writes __attribute__((__noinline__))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
// Within functions these are static without being told, and may be extern all the same.
#define __shared__ constinit thread_local

extern dim3 threadIdx;
extern dim3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;
constexpr int warpSize = cuda_emulator::warp_lanes;

struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(8) int2 {
    int x, y;
};
struct alignas(16) int4 {
    int x, y, z, w;
};
constexpr uint2 make_uint2(unsigned x, unsigned y) {
    return {x, y};
}
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}
constexpr int2 make_int2(int x, int y) {
    return {x, y};
}
constexpr int4 make_int4(int x, int y, int z, int w) {
    return {x, y, z, w};
}

template <class A, class B>
constexpr std::common_type_t<A, B> min(A a, B b) {
    using Both = std::common_type_t<A, B>;
    return static_cast<Both>(b) < static_cast<Both>(a) ? static_cast<Both>(b) : static_cast<Both>(a);
}
template <class A, class B>
constexpr std::common_type_t<A, B> max(A a, B b) {
    using Both = std::common_type_t<A, B>;
    return static_cast<Both>(a) < static_cast<Both>(b) ? static_cast<Both>(b) : static_cast<Both>(a);
}

// ------------------------------------------------------------------------------------------------------ numbers

constexpr unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    unsigned bytes = 0;
    for (int i = 0; i < 4; ++i) {
        bytes |= static_cast<unsigned>(both >> (selector >> 4 * i & 7) * 8 & 0xff) << 8 * i;
    }
    return bytes;
}

namespace cuda_emulator {

/// What is made of the halves of two words.
constexpr unsigned by_halves(unsigned a, unsigned b, const auto& make) {
    return make(a & 0xffff, b & 0xffff) | make(a >> 16, b >> 16) << 16;
}

/// Sums of products of the parts of two words, with C++'s conversion of a part to its type.
template <class A, class B, std::size_t count>
constexpr unsigned dot(unsigned a, unsigned b, unsigned sum) {
    for (std::size_t i = 0; i < count; ++i) {
        const auto x = static_cast<A>(a >> i * 8 * sizeof(A));
        const auto y = static_cast<B>(b >> i * 8 * sizeof(B));
        sum += static_cast<unsigned>(x * y);
    }
    return sum;
}

}  // namespace cuda_emulator

constexpr unsigned __vminu2(unsigned a, unsigned b) {
    return cuda_emulator::by_halves(a, b, [](unsigned x, unsigned y) { return x < y ? x : y; });
}
constexpr unsigned __vmaxu2(unsigned a, unsigned b) {
    return cuda_emulator::by_halves(a, b, [](unsigned x, unsigned y) { return x < y ? y : x; });
}
constexpr unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
    return cuda_emulator::dot<std::uint8_t, std::uint8_t, 4>(a, b, sum);
}
constexpr int __dp4a(int a, int b, int sum) {
    return static_cast<int>(cuda_emulator::dot<std::int8_t, std::int8_t, 4>(
        static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(sum)));
}
constexpr unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
    return cuda_emulator::dot<std::uint16_t, std::uint8_t, 2>(a, b, sum);
}
constexpr unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) {
    return cuda_emulator::dot<std::uint16_t, std::uint8_t, 2>(a, b >> 16, sum);
}
constexpr unsigned __vabsdiffu4(unsigned a, unsigned b) {
    unsigned bytes = 0;
    for (int i = 0; i < 32; i += 8) {
        const int difference = static_cast<int>(a >> i & 0xff) - static_cast<int>(b >> i & 0xff);
        bytes |= static_cast<unsigned>(difference < 0 ? -difference : difference) << i;
    }
    return bytes;
}
constexpr unsigned __vsadu4(unsigned a, unsigned b) {
    unsigned sum = 0;
    for (int i = 0; i < 32; i += 8) {
        const int difference = static_cast<int>(a >> i & 0xff) - static_cast<int>(b >> i & 0xff);
        sum += static_cast<unsigned>(difference < 0 ? -difference : difference);
    }
    return sum;
}
constexpr unsigned __umulhi(unsigned a, unsigned b) {
    return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
constexpr unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    const std::uint64_t both = std::uint64_t{high} << 32 | low;
    return static_cast<unsigned>(both << (shift & 31) >> 32);
}
constexpr unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift & 31));
}
constexpr int __ffs(int bits) {
    return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1;
}
constexpr int __clz(int bits) {
    return std::countl_zero(static_cast<unsigned>(bits));
}
constexpr int __popc(unsigned bits) {
    return std::popcount(bits);
}
inline float __fmaf_rn(float a, float b, float c) {
    return std::fma(a, b, c);
}
inline double __dsqrt_rn(double n) {
    return std::sqrt(n);
}
constexpr int __float_as_int(float number) {
    return std::bit_cast<int>(number);
}
constexpr unsigned __float_as_uint(float number) {
    return std::bit_cast<unsigned>(number);
}
constexpr float __int_as_float(int bits) {
    return std::bit_cast<float>(bits);
}
constexpr float __uint_as_float(unsigned bits) {
    return std::bit_cast<float>(bits);
}
template <class T>
T __ldg(const T* from) {
    return *from;
}
[[noreturn]] inline void __trap() {
    cuda_emulator::fail("__trap()");
}

// ------------------------------------------------------------------------------------------------------ threads

inline void __syncthreads() {
    cuda_emulator::wait_for_block();
}
inline void __syncwarp(unsigned mask = ~0U) {
    cuda_emulator::together("__syncwarp", mask, nullptr, [](cuda_emulator::Operands&) {});
}
inline void __threadfence_block() {}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
    struct Vote {
        int predicate;
        unsigned votes;
    } vote{predicate, 0};
    cuda_emulator::together("a vote", mask, vote, [](Vote* const(&lanes)[warpSize]) {
        unsigned votes = 0;
        for (int i = 0; i < warpSize; ++i) {
            votes |= lanes[i] != nullptr && lanes[i]->predicate != 0 ? 1U << i : 0;
        }
        for (Vote* const lane : lanes) {
            if (lane != nullptr) {
                lane->votes = votes;
            }
        }
    });
    return vote.votes;
}
inline int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0 ? 1 : 0;
}
inline int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) == mask ? 1 : 0;
}

namespace cuda_emulator {

/// The value that lane `from` gave, or the own one where that is no lane of the own part of the warp.
template <class T>
T shuffle(unsigned mask, T value, int from, int width) {
    struct Shuffle {
        T value;
        int from;
        T result;
    };
    const int first = lane() / width * width;
    Shuffle own{value, from < first || from >= first + width ? lane() : from, value};
    together("a shuffle", mask, own, [](Shuffle* const(&lanes)[warp_lanes]) {
        for (Shuffle* const lane : lanes) {
            if (lane != nullptr) {
                if (lanes[lane->from] == nullptr) {
                    fail("a shuffle from a lane that does not take part");
                }
                lane->result = lanes[lane->from]->value;
            }
        }
    });
    return own.result;
}

}  // namespace cuda_emulator

template <class T>
T __shfl_sync(unsigned mask, T value, int from, int width = warpSize) {
    return cuda_emulator::shuffle(mask, value, cuda_emulator::lane() / width * width + (from & (width - 1)), width);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = warpSize) {
    return cuda_emulator::shuffle(mask, value, cuda_emulator::lane() - static_cast<int>(by), width);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = warpSize) {
    return cuda_emulator::shuffle(mask, value, cuda_emulator::lane() + static_cast<int>(by), width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int with, int width = warpSize) {
    return cuda_emulator::shuffle(mask, value, cuda_emulator::lane() ^ with, width);
}

/// A block's threads take turns.
template <class T>
T atomicAdd(T* at, T by) {
    const T before = *at;
    *at = before + by;
    return before;
}
