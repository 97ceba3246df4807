#pragma once
// The PTX instructions that CUDA C++ has no function for, under their own names. All asm of the kernels is here; the
// emulator puts a header of the same name before this one.
//
// Lane 4 g + q of a warp holds of the fragments of mma.m16n8k32, by the PTX ISA ("Matrix fragments for mma.m16n8k32"),
// lowest byte first:
//
//     A, 16 x k    a[0]: row g, columns 4q..4q+3    a[1]: row g + 8    a[2], a[3]: the same 16 columns later
//     B, k x 8     b0: column g, rows 4q..4q+3      b1: 16 rows later
//     D, 16 x 8    d[0], d[1]: row g, columns 2q, 2q+1    d[2], d[3]: row g + 8

#include <cstdint>

#include "kernels/cuda/tensor_map.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define VFILTER_TENSOR_CORES  // mma, ldmatrix, cp.async, mbarrier
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define VFILTER_TMA  // copies of TMA boxes; programmatic dependent launch
#endif

namespace vfilter::cuda {

// ------------------------------------------------------------------------------------------------------- numbers

/// 1 / number, less than 2^-23 of it away; the number is no denormal one.
__device__ __forceinline__ float reciprocal(float number) {
    float result;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(number));
    return result;
}

/// Two signed taps of 16 bits times the lower, or the upper, two of four unsigned bytes, added to a sum.
__device__ __forceinline__ std::int32_t dp2a_lo(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    std::int32_t result;
    asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(taps), "r"(bytes), "r"(sum));
    return result;
}
__device__ __forceinline__ std::int32_t dp2a_hi(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    std::int32_t result;
    asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(taps), "r"(bytes), "r"(sum));
    return result;
}
/// Four signed taps of 8 bits times four unsigned bytes, added to a sum.
__device__ __forceinline__ std::int32_t dp4a(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
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

/// Two numbers, each clamped to what a byte holds, below the lower half of a word.
__device__ __forceinline__ std::uint32_t pack_two(std::int32_t a, std::int32_t b, std::uint32_t above) {
    std::uint32_t all;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(all) : "r"(b), "r"(a), "r"(above));
    return all;
}

/// A root, off by one unit in the last place at most.
__device__ __forceinline__ float sqrt_approx(float n) {
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(n));
    return root;
}

// -------------------------------------------------------------------------------------------------- tensor cores

/// How the bytes of an operand are read.
enum class Sign { s8, u8 };

/// A barrier in shared memory: counts arrivals, and copies under way, phase by phase. A phase ends, and the next
/// begins, with the last of them.
using Mbarrier = std::uint64_t;

#ifdef VFILTER_TENSOR_CORES

/// d += A B, wrapping, k = 32.
template <Sign a_sign, Sign b_sign>
__device__ __forceinline__ void mma_m16n8k32(std::int32_t (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                             std::uint32_t b1) {
#define VFILTER_MMA(a_type, b_type)                                \
    asm("mma.sync.aligned.m16n8k32.row.col.s32." a_type "." b_type \
        ".s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "             \
        "{%0,%1,%2,%3};"                                           \
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])           \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))
    if constexpr (a_sign == Sign::s8 && b_sign == Sign::s8) {
        VFILTER_MMA("s8", "s8");
    } else if constexpr (a_sign == Sign::s8) {
        VFILTER_MMA("s8", "u8");
    } else if constexpr (b_sign == Sign::s8) {
        VFILTER_MMA("u8", "s8");
    } else {
        VFILTER_MMA("u8", "u8");
    }
#undef VFILTER_MMA
}

/// The same, k = 16.
template <Sign a_sign, Sign b_sign>
__device__ __forceinline__ void mma_m16n8k16(std::int32_t (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b0) {
#define VFILTER_MMA(a_type, b_type)                                \
    asm("mma.sync.aligned.m16n8k16.row.col.s32." a_type "." b_type \
        ".s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "                      \
        "{%0,%1,%2,%3};"                                           \
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])           \
        : "r"(a[0]), "r"(a[1]), "r"(b0))
    if constexpr (a_sign == Sign::s8 && b_sign == Sign::s8) {
        VFILTER_MMA("s8", "s8");
    } else if constexpr (a_sign == Sign::s8) {
        VFILTER_MMA("s8", "u8");
    } else if constexpr (b_sign == Sign::s8) {
        VFILTER_MMA("u8", "s8");
    } else {
        VFILTER_MMA("u8", "u8");
    }
#undef VFILTER_MMA
}

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Four matrices of 8 rows of 16 bytes: lane i says where row i % 8 of matrix i / 8 is, and gets of each matrix the
/// bytes 4q..4q+3 of row g.
__device__ __forceinline__ void ldmatrix_x4(std::uint32_t (&words)[4], const void* shared_row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(shared_address(shared_row))
                 : "memory");
}

// ------------------------------------------------------------------------------------ asynchronous copies, barriers

/// The first `valid` of 16 bytes to shared memory, and zeros. Both addresses are multiples of 16.
__device__ __forceinline__ void cp_async_16(void* shared_to, const void* from, int valid) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(shared_to)), "l"(from), "r"(valid)
                 : "memory");
}
/// Waits for all that this thread has asked for.
__device__ __forceinline__ void cp_async_wait_all() {
    asm volatile("cp.async.wait_all;" ::: "memory");
}

__device__ __forceinline__ void mbarrier_init(Mbarrier* barrier, int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
/// Lets the asynchronous proxy, which copies TMA boxes, see barriers: after mbarrier_init, by the same thread, before
/// anything arrives.
__device__ __forceinline__ void fence_mbarrier_init() {
#ifdef VFILTER_TMA
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
/// What this thread has read and written until now comes before what others do after they have waited.
__device__ __forceinline__ void mbarrier_arrive(Mbarrier* barrier) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(shared_address(barrier))
                 : "memory");
}
/// Arrives once all that this thread has asked for with cp_async_16 until now is there.
__device__ __forceinline__ void cp_async_mbarrier_arrive(Mbarrier* barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}
/// Waits for the end of the current phase, which is of that parity (the first is 0), or of the one before it.
__device__ __forceinline__ void mbarrier_wait(Mbarrier* barrier, unsigned parity) {
#ifdef VFILTER_TMA
#define VFILTER_WAIT "mbarrier.try_wait.parity.shared.b64 "
#else
#define VFILTER_WAIT "mbarrier.test_wait.parity.shared.b64 "
#endif
    unsigned ended = 0;
    do {
        asm volatile("{ .reg .pred p; " VFILTER_WAIT "p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(ended)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory");
    } while (ended == 0);
#undef VFILTER_WAIT
}

#endif

#ifdef VFILTER_TMA

/// The barrier's phase does not end before that many bytes more have been copied. By the thread that then asks for
/// them.
__device__ __forceinline__ void tma_expect(Mbarrier* barrier, int bytes) {
    // What threads have read and written there comes before what the copies write.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}
/// Copies the TMA box of a tensor map, `bytes` large, that begins at sample x of row y of a picture to shared memory,
/// at a multiple of 128 bytes; what lies outside the plane becomes zeros.
__device__ __forceinline__ void tma_load_3d(void* shared_to, int /*bytes*/, const TensorMap* map, int x, int y,
                                            int picture, Mbarrier* barrier) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
        "[%5];" ::"r"(shared_address(shared_to)),
        "l"(map), "r"(x), "r"(y), "r"(picture), "r"(shared_address(barrier))
        : "memory");
}
/// Arrives `count` times, after all copies of a phase have been asked for.
__device__ __forceinline__ void tma_arrive(Mbarrier* barrier, int count) {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0], %1; }" ::"r"(shared_address(barrier)),
                 "r"(count)
                 : "memory");
}

// Programmatic dependent launch.

/// Lets the next kernel of the stream begin, as far as its griddepcontrol_wait(), as soon as there is room.
__device__ __forceinline__ void griddepcontrol_launch_dependents() {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
/// Waits until the kernel before has ended. Before anything is read that it may write, and the other way round.
__device__ __forceinline__ void griddepcontrol_wait() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

#else

__device__ __forceinline__ void griddepcontrol_launch_dependents() {}
__device__ __forceinline__ void griddepcontrol_wait() {}

#endif

}  // namespace vfilter::cuda
