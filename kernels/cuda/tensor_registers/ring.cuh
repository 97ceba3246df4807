#pragma once
// Samples on their way through shared memory: the ring's shape, and what of a strip is loaded. docs/kernels.md has the
// drawings.

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/ptx.cuh"
#include "kernels/cuda/tensor_registers/parameters.h"

namespace vfilter::cuda::tensor_registers {

/// Of bytes in shared memory, where a copied box may begin.
inline constexpr int slot_alignment = 128;
struct alignas(slot_alignment) SlotUnit {
    unsigned char bytes[slot_alignment];
};

enum class PatchKind : std::uint16_t { none, planned, searched };

/// How a lane makes a word that stands outside of the picture, or across its end, from others of the same row of a
/// slot. All places are bytes of a slot.
struct alignas(16) Patch {
    std::uint16_t to;          ///< in the lane's first row
    std::uint16_t from;        ///< of the first of three words
    std::uint16_t second;      ///< the next one
    std::uint16_t third;       ///< where the border is constant, black takes its place
    std::uint16_t first_two;   ///< which of the first two words' bytes, as a byte permutation has it
    std::uint16_t with_third;  ///< which of those, 0 to 3, and of the third word's
    PatchKind kind;
};

/// `blocks` blocks of 16 make a window, of which 16 are results: radius 8 (blocks - 1) at most, in samples. `down` is
/// as many of the column pass, where it needs fewer: interleaved samples of a pixel lie far apart in a row alone. All
/// that the code around the products looks at, which so is there once for many shapes.
template <class Sample, int block_count, int down_count>
struct Geometry {
    using T = Sample;
    static constexpr int blocks = block_count;
    static constexpr int down = down_count;
    static constexpr int bytes = sizeof(T);

    static constexpr int tiles = 2;
    static constexpr int columns = 16 * tiles;     ///< of a warp
    static constexpr int warps = 4;                ///< of a block
    static constexpr int width = warps * columns;  ///< columns of a block
    static constexpr int threads = 32 * warps;
    static constexpr int halo = 8 * (blocks - 1);
    static constexpr int halo_down = 8 * (down - 1);

    /// Windows of bytes that begin at odd multiples of 8 are read by eights.
    static constexpr bool eights = bytes == 1 && blocks % 2 == 0;
    static constexpr Order order = bytes == 2 ? Order::halves : eights ? Order::eights : Order::natural;

    /// What is loaded begins at a multiple of 32 bytes, a sector, or, where a row of that would be longer than a TMA
    /// box may be, of 16.
    static constexpr int alignment = halo == 48 ? 16 : 32;
    static constexpr int lead = (halo * bytes + alignment - 1) / alignment * alignment / bytes;
    static constexpr int row_bytes = (width + 2 * lead) * bytes;
    /// So that no two lanes meet in a bank: ldmatrix reads 8 rows of 16 bytes, eights are read by 4 rows of 32.
    static constexpr int pitch =
        eights ? (row_bytes + 31) / 64 * 64 + 32 : row_bytes + (row_bytes / 16 % 2 == 0 ? 16 : 0);
    static_assert(!eights || pitch % 64 == 32);
    static_assert(pitch / bytes <= 256, "a TMA box");

    static constexpr int slot_blocks = down == 5 ? 1 : 2;  ///< of 16 rows
    static constexpr int slot_rows = 16 * slot_blocks;
    static constexpr int slots = down == 5 ? 5 : 3;
    /// Whether the picture's left border is in the windows of more warps than the first.
    static constexpr bool wide = halo > columns;
    /// The walk is unrolled until a window of intermediate samples is where it was, and so is the slot.
    static constexpr int turn = slots * slot_blocks;
    static_assert(turn % down == 0);
    static constexpr int slot_bytes = slot_rows * pitch;
    static_assert(slot_bytes % slot_alignment == 0);
    static constexpr int ring_bytes = slots * (slot_bytes + 2 * static_cast<int>(sizeof(Mbarrier)));
    static constexpr int block_bytes = ring_bytes + threads * static_cast<int>(sizeof(Patch));
};

template <class Sample, int block_count, int down_count, TapForm tap_form, int term_count, FinishKind finish_kind>
struct Shape : Geometry<Sample, block_count, down_count> {
    using Base = Geometry<Sample, block_count, down_count>;
    using Base::blocks;
    using Base::bytes;
    using Base::down;
    using typename Base::T;
    static constexpr TapForm form = tap_form;
    static constexpr int planes = tap_bytes(form);
    static constexpr int terms = term_count;
    static constexpr FinishKind finish = finish_kind;

    /// Blocks that a multiprocessor is to hold: as many as registers allow with next to no spills in the loop.
    static constexpr bool small = bytes == 1 && finish != FinishKind::any_sum;
    static constexpr int resident = terms == 2 || (blocks == 3 && !small) ? 3
                                    : down == 5                           ? (small ? 3 : 2)
                                    : blocks == 2 && small                ? 5
                                                                          : 4;
    static constexpr int row_weights = planes + bytes - 1;
    static constexpr int column_weights = planes + 1;
};

template <class S>
using GeometryOf = Geometry<typename S::T, S::blocks, S::down>;

/// The shared memory of a block.
template <class G>
struct Ring {
    unsigned char* first;

    [[nodiscard]] __device__ __forceinline__ unsigned char* at(int slot) const { return first + slot * G::slot_bytes; }
    /// Copies that have come to a slot: 32, as many as the warp that asks has lanes.
    [[nodiscard]] __device__ __forceinline__ Mbarrier* filled(int slot) const {
        return reinterpret_cast<Mbarrier*>(at(G::slots)) + slot;
    }
    /// Warps that read a slot no more.
    [[nodiscard]] __device__ __forceinline__ Mbarrier* left(int slot) const { return filled(G::slots) + slot; }
    /// What a thread has to do in each slot, where its warp has the picture's edge.
    [[nodiscard]] __device__ __forceinline__ Patch* patch() const {
        return reinterpret_cast<Patch*>(first + G::ring_bytes) + threadIdx.x;
    }

    /// By one thread of a block, before anything else.
    __device__ __forceinline__ void make() const {
#pragma unroll
        for (int slot = 0; slot < G::slots; ++slot) {
            mbarrier_init(filled(slot), 32);
            mbarrier_init(left(slot), G::warps);
        }
        fence_mbarrier_init();
    }
};

template <class G>
[[nodiscard]] __device__ __forceinline__ Ring<G> ring() {
    extern __shared__ SlotUnit shared[];
    return {reinterpret_cast<unsigned char*>(shared)};
}

/// What a lane loads of a strip: one chunk of every few rows.
template <class G>
struct Strip {
    static constexpr int lanes_of_row = G::row_bytes / 16 <= 16 ? 16 : 32;
    static constexpr int rows_at_once = 32 / lanes_of_row;
    static_assert(G::row_bytes / 16 <= lanes_of_row);

    int row;      ///< the first one
    int byte;     ///< of the picture's rows, where the chunk begins
    int place;    ///< where in a slot it goes
    int valid;    ///< bytes of it that are in the picture
    bool ragged;  ///< a chunk of the strip lies across the end of the row

    __device__ Strip(const PlaneParams& plane, int left, int lane) {
        const int chunk = lane % lanes_of_row;
        const int first = (left - G::lead) * G::bytes;
        const int end = min(plane.samples * G::bytes - first, G::row_bytes);
        row = lane / lanes_of_row;
        byte = first + 16 * chunk;
        place = row * G::pitch + 16 * chunk;
        valid = byte < 0 ? 0 : min(max(end - 16 * chunk, 0), 16);
        ragged = end % 16 != 0;
    }

    /// Asks for the rows of a slot from y on, which are inside of the picture, of a strip that is not ragged.
    template <int rows = G::slot_rows>
    __device__ __forceinline__ void load(unsigned char* slot, const unsigned char* src, int y, int pitch) const {
        if (valid > 0) {
            const unsigned char* from = src + std::int64_t{pitch} * (y + row) + byte;
#pragma unroll
            for (int later = 0; later < rows; later += rows_at_once) {
                cp_async_16(slot + place + later * G::pitch, from, 16);
                from += std::int64_t{pitch} * rows_at_once;
            }
        }
    }
};

}  // namespace vfilter::cuda::tensor_registers
