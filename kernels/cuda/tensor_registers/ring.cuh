#pragma once
// Samples on their way through shared memory: the ring's shape, what of a strip is loaded, and the halo outside
// the picture. docs/kernels.md has the drawings.

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/tensor_registers/parameters.h"

namespace vfilter::cuda::tensor_registers {

/// Of bytes in shared memory, where a copied box may begin.
inline constexpr int slot_alignment = 128;
struct alignas(slot_alignment) SlotUnit {
    unsigned char bytes[slot_alignment];
};

/// `blocks` blocks of 16 make a window, of which 16 are results: radius 8 (blocks - 1) at most, in samples. `down` is
/// as many of the column pass, where it needs fewer: interleaved samples of a pixel lie far apart in a row alone.
template <class Sample, int block_count, int down_count, TapForm tap_form, int term_count, FinishKind finish_kind>
struct Shape {
    using T = Sample;
    static constexpr int blocks = block_count;
    static constexpr int down = down_count;
    static constexpr TapForm form = tap_form;
    static constexpr int planes = tap_bytes(form);
    static constexpr int terms = term_count;
    static constexpr FinishKind finish = finish_kind;
    static constexpr int bytes = sizeof(T);

    static constexpr int tiles = 2;
    static constexpr int columns = 16 * tiles;     ///< of a warp
    static constexpr int warps = 4;                ///< of a block
    static constexpr int width = warps * columns;  ///< columns of a block
    static constexpr int threads = 32 * warps;
    /// Blocks that a multiprocessor is to hold: as many as registers allow with next to no spills in the loop.
    static constexpr bool small = bytes == 1 && finish != FinishKind::any_sum;
    static constexpr int resident = terms == 2 || (blocks == 3 && !small) ? 3
                                    : down == 5                           ? (small ? 3 : 2)
                                    : blocks == 2 && small                ? 5
                                                                          : 4;
    static constexpr int halo = 8 * (blocks - 1);
    static constexpr int halo_down = 8 * (down - 1);

    /// Windows of bytes that begin at odd multiples of 8 are read by eights.
    static constexpr bool eights = bytes == 1 && blocks % 2 == 0;
    static constexpr Order order = bytes == 2 ? Order::halves : eights ? Order::eights : Order::natural;
    static constexpr int row_weights = planes + bytes - 1;
    static constexpr int column_weights = planes + 1;

    /// What is loaded begins at a multiple of 32 bytes, a sector.
    static constexpr int lead = (halo * bytes + 31) / 32 * 32 / bytes;
    static constexpr int row_bytes = (width + 2 * lead) * bytes;
    /// So that no two lanes meet in a bank: ldmatrix reads 8 rows of 16 bytes, eights are read by 4 rows of 32.
    static constexpr int pitch =
        eights ? (row_bytes + 31) / 64 * 64 + 32 : row_bytes + (row_bytes / 16 % 2 == 0 ? 16 : 0);
    static_assert(!eights || pitch % 64 == 32);

    static constexpr int slot_blocks = down == 5 ? 1 : 2;  ///< of 16 rows
    static constexpr int slot_rows = 16 * slot_blocks;
    static constexpr int slots = down == 5 ? 5 : 3;
    /// The walk is unrolled until a window of intermediate samples is where it was, and so is the slot.
    static constexpr int turn = slots * slot_blocks;
    static_assert(turn % down == 0);
    static constexpr int slot_bytes = slot_rows * pitch;
    static_assert(slot_bytes % slot_alignment == 0);
    static constexpr int block_bytes = slots * (slot_bytes + 2 * static_cast<int>(sizeof(Mbarrier)));
};

/// The shared memory of a block.
template <class S>
struct Ring {
    unsigned char* first;

    [[nodiscard]] __device__ __forceinline__ unsigned char* at(int slot) const { return first + slot * S::slot_bytes; }
    /// Copies that have come to a slot: 32, as many as the warp that asks has lanes.
    [[nodiscard]] __device__ __forceinline__ Mbarrier* filled(int slot) const {
        return reinterpret_cast<Mbarrier*>(at(S::slots)) + slot;
    }
    /// Warps that read a slot no more.
    [[nodiscard]] __device__ __forceinline__ Mbarrier* left(int slot) const { return filled(S::slots) + slot; }

    /// By one thread of a block, before anything else.
    __device__ __forceinline__ void make() const {
#pragma unroll
        for (int slot = 0; slot < S::slots; ++slot) {
            mbarrier_init(filled(slot), 32);
            mbarrier_init(left(slot), S::warps);
        }
        fence_mbarrier_init();
    }
};

/// What a lane loads of a strip: one chunk of every few rows.
template <class S>
struct Strip {
    static constexpr int lanes_of_row = S::row_bytes / 16 <= 16 ? 16 : 32;
    static constexpr int rows_at_once = 32 / lanes_of_row;
    static_assert(S::row_bytes / 16 <= lanes_of_row);

    int row;      ///< the first one
    int byte;     ///< of the picture's rows, where the chunk begins
    int place;    ///< where in a slot it goes
    int valid;    ///< bytes of it that are in the picture
    bool ragged;  ///< a chunk of the strip lies across the end of the row

    __device__ Strip(const PlaneParams& plane, int left, int lane) {
        const int chunk = lane % lanes_of_row;
        const int first = (left - S::lead) * S::bytes;
        const int end = min(plane.samples * S::bytes - first, S::row_bytes);
        row = lane / lanes_of_row;
        byte = first + 16 * chunk;
        place = row * S::pitch + 16 * chunk;
        valid = byte < 0 ? 0 : min(max(end - 16 * chunk, 0), 16);
        ragged = end % 16 != 0;
    }

    /// Asks for the rows of a slot from y on, which are inside of the picture, of a strip that is not ragged.
    __device__ __forceinline__ void load(unsigned char* slot, const unsigned char* src, int y, int pitch) const {
        if (valid > 0) {
            const unsigned char* from = src + std::int64_t{pitch} * (y + row) + byte;
#pragma unroll
            for (int later = 0; later < S::slot_rows; later += rows_at_once) {
                cp_async_16(slot + place + later * S::pitch, from, 16);
                from += std::int64_t{pitch} * rows_at_once;
            }
        }
    }
};

/// What only the picture's edges need. Functions of their own, so that the others' code and registers stay free of it.
template <class S>
struct Edge {
    using T = typename S::T;

    /// Loads and arrives wherever rows or chunks lie across the picture's edges. By one warp.
    __device__ __noinline__ static void load(unsigned char* slot, Mbarrier* filled, int left, int y,
                                             const PlaneParams& plane, const Picture& picture) {
        // By value: parameters would be fetched again after each copy.
        const PlaneParams own = plane;
        const bool constant = picture.border == Border::constant;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const Strip<S> strip(own, left, lane);
        if (y >= 0 && y + S::slot_rows <= own.height && !strip.ragged) {
            strip.load(slot, own.src, y, static_cast<int>(own.src_pitch));
            cp_async_mbarrier_arrive(filled);
            return;
        }
        const std::uint32_t black = black_word<T>(own);
        if (strip.valid > 0) {
#pragma unroll 4
            for (int later = 0; later < S::slot_rows; later += Strip<S>::rows_at_once) {
                int row = y + strip.row + later;
                const bool outside = static_cast<unsigned>(row) >= static_cast<unsigned>(own.height);
                if (outside) {
                    row = fold(row, own.height, own.fold_y);
                }
                unsigned char* const to = slot + strip.place + later * S::pitch;
                if (outside && constant) {
                    *reinterpret_cast<uint4*>(to) = make_uint4(black, black, black, black);
                } else {
                    cp_async_16(to, own.src + own.src_pitch * row + strip.byte, strip.valid);
                }
            }
        }
        if (constant) {
            cp_async_wait_all();
            mbarrier_arrive(filled);
        } else {
            cp_async_mbarrier_arrive(filled);
        }
    }

    /// What stands to the left and to the right of the picture, as far as one warp's results need it, put into a slot
    /// that begins at row y. By that warp.
    __device__ __noinline__ static void patch(unsigned char* slot, int y, int block_left, int left,
                                              const PlaneParams& plane, const Picture& picture) {
        const PlaneParams own = plane;
        const bool constant = picture.border == Border::constant;
        constexpr int rows_at_once = 32 / S::halo;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int first = block_left - S::lead;  // sample
        const int end = block_left + S::width + S::lead;
        const T black = static_cast<T>(own.black << own.lsb);
#pragma unroll 1
        for (int side = 0; side < 2; ++side) {
            const int x = side == 0 ? lane % S::halo - S::halo : own.samples + lane % S::halo;
            // Of 24 samples some lanes have no row.
            if (lane >= rows_at_once * S::halo || x < left - S::halo || x >= left + S::columns + S::halo) {
                continue;
            }
            const int from = source_of(x, own, constant);
            T* to = reinterpret_cast<T*>(slot + lane / S::halo * S::pitch) + (x - first);
            if (from < 0 || (from >= max(first, 0) && from < end)) {
                const int away = from < 0 ? 0 : from - x;
#pragma unroll 8
                for (int row = 0; row < S::slot_rows; row += rows_at_once) {
                    T* const sample = to + row * (S::pitch / static_cast<int>(sizeof(T)));
                    *sample = from < 0 ? black : sample[away];
                }
            } else {
                // Further away than the strip reaches.
#pragma unroll 1
                for (int row = 0; row < S::slot_rows; row += rows_at_once) {
                    int line = y + row + lane / S::halo;
                    line = static_cast<unsigned>(line) >= static_cast<unsigned>(own.height)
                               ? fold(line, own.height, own.fold_y)
                               : line;
                    to[row * (S::pitch / static_cast<int>(sizeof(T)))] =
                        reinterpret_cast<const T*>(own.src + own.src_pitch * line)[from];
                }
            }
        }
        __syncwarp();
    }
};

}  // namespace vfilter::cuda::tensor_registers
