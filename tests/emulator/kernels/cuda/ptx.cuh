#pragma once
// Stands before the header of that name, whose instructions are those of a GPU: numbers, products of matrices by a warp
// and loads of matrices from shared memory, copies to there that other work goes on during, mbarriers. Lane 4 g + q
// holds of the matrices
//   A, 16 x 32: rows g and g + 8, columns from 4 q on, then those from 16 + 4 q on; 16 x 16 has the first two alone
//   B, 32 x 8: column g, rows from 4 q on, then those from 16 + 4 q on
//   D, 16 x 8: row g, columns 2 q and 2 q + 1, then row g + 8.

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/tensor_map.h"
#include "tests/emulator/cuda_device.h"
#include "tests/emulator/cuda_emulator.h"

#define VFILTER_TENSOR_CORES
#define VFILTER_TMA

namespace vfilter::cuda {

enum class Sign { s8, u8 };
using Mbarrier = std::uint64_t;

inline float reciprocal(float number) {
    return 1 / number;
}
inline std::int32_t dp2a_lo(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    return static_cast<std::int32_t>(
        cuda_emulator::dot<std::int16_t, std::uint8_t, 2>(taps, bytes, static_cast<std::uint32_t>(sum)));
}
inline std::int32_t dp2a_hi(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    return dp2a_lo(taps, bytes >> 16, sum);
}
inline std::int32_t dp4a(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    return static_cast<std::int32_t>(
        cuda_emulator::dot<std::int8_t, std::uint8_t, 4>(taps, bytes, static_cast<std::uint32_t>(sum)));
}

inline std::uint32_t pack_bytes(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
    const auto byte = [](std::int32_t number) { return static_cast<std::uint32_t>(min(max(number, 0), 255)); };
    return byte(a) | byte(b) << 8 | byte(c) << 16 | byte(d) << 24;
}

inline std::uint32_t pack_two(std::int32_t a, std::int32_t b, std::uint32_t above) {
    return (pack_bytes(a, b, 0, 0) & 0xffff) | above << 16;
}

/// As far off as a GPU's may be: one unit in the last place down, up, or not at all, whatever the number's bits say.
inline float sqrt_approx(float n) {
    const float root = std::sqrt(n);
    const std::uint32_t mixed = __float_as_uint(n) * 0x9e3779b1U >> 16;
    return n > 0 ? __uint_as_float(__float_as_uint(root) + mixed % 3 - 1) : root;
}

namespace emulated {

/// words: of A and, half as many, of B that a lane holds.
template <int words>
struct Product {
    std::int32_t (*d)[4];
    const std::uint32_t (*a)[words];
    std::uint32_t b[words / 2];
};

template <Sign sign>
std::int32_t part(std::uint32_t word, int byte) {
    const std::uint32_t bits = word >> 8 * byte & 0xff;
    return sign == Sign::s8 ? static_cast<std::int8_t>(bits) : static_cast<std::int32_t>(bits);
}

template <Sign a_sign, Sign b_sign, int words>
void multiply(const char* operation, Product<words> own) {
    using cuda_emulator::warp_lanes;
    cuda_emulator::together(operation, ~0U, own, [](Product<words>* const(&lanes)[warp_lanes]) {
        constexpr int depth = words * 8;
        // In floating point, where these are exact (no sum reaches 2^24), and four columns are one instruction.
        using Four = float __attribute__((vector_size(16)));
        float a[16][depth];
        alignas(Four) float b[depth][8];
        for (int lane = 0; lane < warp_lanes; ++lane) {
            for (int i = 0; i < 4 * words; ++i) {
                const int word = i / 4;
                a[lane / 4 + word % 2 * 8][word / 2 * 16 + lane % 4 * 4 + i % 4] =
                    static_cast<float>(part<a_sign>((*lanes[lane]->a)[word], i % 4));
            }
            for (int i = 0; i < 2 * words; ++i) {
                b[i / 4 * 16 + lane % 4 * 4 + i % 4][lane / 4] =
                    static_cast<float>(part<b_sign>(lanes[lane]->b[i / 4], i % 4));
            }
        }
        for (int row = 0; row < 16; ++row) {
            Four sums[2] = {};
            for (int k = 0; k < depth; ++k) {
                Four columns[2];
                std::memcpy(columns, b[k], sizeof(columns));
                sums[0] += a[row][k] * columns[0];
                sums[1] += a[row][k] * columns[1];
            }
            for (int column = 0; column < 8; ++column) {
                std::int32_t& d = (*lanes[row % 8 * 4 + column / 2]->d)[row / 8 * 2 + column % 2];
                const auto sum = static_cast<std::int32_t>(sums[column / 4][column % 4]);
                d = static_cast<std::int32_t>(static_cast<std::uint32_t>(d) + static_cast<std::uint32_t>(sum));
            }
        }
    });
}

template <int matrices>
void load_matrices(const char* operation, std::uint32_t (&words)[matrices], const void* shared_row) {
    using cuda_emulator::warp_lanes;
    struct Load {
        std::uint32_t (*words)[matrices];
        const void* row;
    } own{&words, shared_row};
    if (cuda_emulator::lane() < 8 * matrices) {
        cuda_emulator::check_shared(shared_row, 16, 16);
    }
    cuda_emulator::together(operation, ~0U, own, [](Load* const(&lanes)[warp_lanes]) {
        for (int lane = 0; lane < warp_lanes; ++lane) {
            for (int m = 0; m < matrices; ++m) {
                const void* const row = lanes[8 * m + lane / 4]->row;
                std::memcpy(&(*lanes[lane]->words)[m], static_cast<const char*>(row) + lane % 4 * 4, 4);
            }
        }
    });
}

}  // namespace emulated

/// d += a b, modulo 2^32. By all lanes of a warp.
template <Sign a_sign, Sign b_sign>
void mma_m16n8k32(std::int32_t (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    emulated::multiply<a_sign, b_sign, 4>("mma m16n8k32", {&d, &a, {b0, b1}});
}
template <Sign a_sign, Sign b_sign>
void mma_m16n8k16(std::int32_t (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b0) {
    emulated::multiply<a_sign, b_sign, 2>("mma m16n8k16", {&d, &a, {b0}});
}

/// Matrices of 8 rows of 16 bytes: lane i says where row i % 8 of matrix i / 8 is, and gets of each matrix the four
/// bytes from 4 (i % 4) on in row i / 4. By all lanes of a warp.
inline void ldmatrix_x4(std::uint32_t (&r)[4], const void* shared_row) {
    emulated::load_matrices("ldmatrix.x4", r, shared_row);
}
inline void ldmatrix_x2(std::uint32_t (&r)[2], const void* shared_row) {
    emulated::load_matrices("ldmatrix.x2", r, shared_row);
}

/// 16 bytes to shared memory, zeros from `valid_bytes` on, which are there when the thread has waited for them.
inline void cp_async_16(void* shared_to, const void* from, int valid_bytes) {
    cuda_emulator::begin_copy(shared_to, from, valid_bytes);
}
inline void cp_async_wait_all() {
    cuda_emulator::wait_for_copies();
}

inline void tma_expect(Mbarrier* /*barrier*/, int /*bytes*/) {}
/// A TMA box to shared memory.
void tma_load_3d(void* shared_to, int bytes, const TensorMap* map, int x, int y, int picture, Mbarrier* barrier);
/// `count` arrivals when somebody waits for what this thread has asked for.
inline void tma_arrive(Mbarrier* barrier, int count) {
    for (int i = 1; i < count; ++i) {
        cuda_emulator::arrive(barrier);
    }
    cuda_emulator::arrive_with_copies(barrier);
}

// Kernels begin when the one before has ended.
inline void griddepcontrol_launch_dependents() {}
inline void griddepcontrol_wait() {}

inline void mbarrier_init(Mbarrier* barrier, int count) {
    cuda_emulator::init_arrivals(barrier, count);
}
inline void fence_mbarrier_init() {}
inline void mbarrier_arrive(Mbarrier* barrier) {
    cuda_emulator::arrive(barrier);
}
inline void cp_async_mbarrier_arrive(Mbarrier* barrier) {
    cuda_emulator::arrive_with_copies(barrier);
}
inline void mbarrier_wait(Mbarrier* barrier, unsigned parity) {
    cuda_emulator::wait_for_arrivals(barrier, parity);
}

}  // namespace vfilter::cuda
