#pragma once
// The chain's samples on their way through shared memory: its shape, what of a strip is loaded, and what stands beside
// the picture. docs/kernels.md has the drawings.

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tensor_launch.h"
#include "kernels/cuda/tensor_ops.cuh"

namespace vfilter::cuda {

/// Of bytes in shared memory, where a copied box may begin.
inline constexpr int stage_alignment = 128;
struct alignas(stage_alignment) StageUnit {
    unsigned char bytes[stage_alignment];
};

/// `blocks` blocks of 16 make a window, of which 16 are results: radius 8 (blocks - 1) at most, in samples.
template <class Sample, int block_count, TapForm tap_form, int term_count, Finish finish_kind>
struct ChainShape {
    using T = Sample;
    static constexpr int blocks = block_count;
    static constexpr TapForm form = tap_form;
    static constexpr int planes = tap_bytes(form);
    static constexpr int terms = term_count;
    static constexpr Finish finish = finish_kind;
    static constexpr int bytes = sizeof(T);

    static constexpr int tiles = 2;
    static constexpr int columns = 16 * tiles;     ///< of a warp
    static constexpr int warps = 4;                ///< of a block
    static constexpr int width = warps * columns;  ///< columns of a block
    static constexpr int threads = 32 * warps;
    /// Blocks that a multiprocessor is to hold: as many as registers allow with next to no spills in the loop.
    static constexpr bool small = bytes == 1 && finish != Finish::any_sum;
    static constexpr int resident = terms == 2 || (blocks == 3 && !small) ? 3
                                    : blocks == 5                         ? (small ? 3 : 2)
                                    : blocks == 2 && small                ? 5
                                                                          : 4;
    static constexpr int apron = 8 * (blocks - 1);
    static constexpr int steps = (blocks + 1) / 2;
    static constexpr bool half_step = blocks % 2 != 0;  ///< the last one has 16 rows of B

    /// Windows of bytes that begin at odd multiples of 8 are read by eights.
    static constexpr bool eights = bytes == 1 && blocks % 2 == 0;
    static_assert(!eights || blocks == 2);
    static constexpr Order order = bytes == 2 ? Order::halves : eights ? Order::eights : Order::natural;
    static constexpr int row_weights = planes + bytes - 1;
    static constexpr int column_weights = planes + 1;

    /// What is loaded begins at a multiple of 32 bytes, a sector.
    static constexpr int lead = (apron * bytes + 31) / 32 * 32 / bytes;
    static constexpr int row_bytes = (width + 2 * lead) * bytes;
    /// So that no two lanes meet in a bank: ldmatrix reads 8 rows of 16 bytes, eights are read by 4 rows of 32.
    static constexpr int pitch =
        eights ? (row_bytes + 31) / 64 * 64 + 32 : row_bytes + (row_bytes / 16 % 2 == 0 ? 16 : 0);
    static_assert(!eights || pitch % 64 == 32);

    static constexpr int stage_blocks = blocks == 5 ? 1 : 2;  ///< of 16 rows
    static constexpr int stage_rows = 16 * stage_blocks;
    static constexpr int stages = blocks == 5 ? 5 : 3;
    /// The walk is unrolled until a window of intermediate samples is where it was, and so is the stage.
    static constexpr int turn = stages * stage_blocks;
    static_assert(turn % blocks == 0);
    static constexpr int stage_bytes = stage_rows * pitch;
    static_assert(stage_bytes % stage_alignment == 0);
    static constexpr int block_bytes = stages * (stage_bytes + 2 * static_cast<int>(sizeof(Arrivals)));
};

/// The shared memory of a block.
template <class S>
struct Stages {
    unsigned char* first;

    [[nodiscard]] __device__ __forceinline__ unsigned char* at(int stage) const {
        return first + stage * S::stage_bytes;
    }
    /// Copies that have come to a stage: 32, as many as the warp that asks has lanes.
    [[nodiscard]] __device__ __forceinline__ Arrivals* filled(int stage) const {
        return reinterpret_cast<Arrivals*>(at(S::stages)) + stage;
    }
    /// Warps that read a stage no more.
    [[nodiscard]] __device__ __forceinline__ Arrivals* left(int stage) const { return filled(S::stages) + stage; }

    /// By one thread of a block, before anything else.
    __device__ __forceinline__ void make() const {
#pragma unroll
        for (int stage = 0; stage < S::stages; ++stage) {
            arrivals_init(filled(stage), 32);
            arrivals_init(left(stage), S::warps);
        }
        arrivals_made();
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
    int place;    ///< where in a stage it goes
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

    /// Asks for the rows of a stage from y on, which are inside of the picture, of a strip that is not ragged.
    __device__ __forceinline__ void load(unsigned char* stage, const unsigned char* src, int y, int pitch) const {
        if (valid > 0) {
            const unsigned char* from = src + std::int64_t{pitch} * (y + row) + byte;
#pragma unroll
            for (int later = 0; later < S::stage_rows; later += rows_at_once) {
                copy_async_16(stage + place + later * S::pitch, from, 16);
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
    __device__ __noinline__ static void load(unsigned char* stage, Arrivals* filled, int left, int y,
                                             const PlaneParams& plane, const Picture& picture) {
        // By value: parameters would be fetched again behind each copy.
        const PlaneParams own = plane;
        const bool constant = picture.border == Border::constant;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const Strip<S> strip(own, left, lane);
        if (y >= 0 && y + S::stage_rows <= own.height && !strip.ragged) {
            strip.load(stage, own.src, y, static_cast<int>(own.src_pitch));
            arrive_with_copies(filled);
            return;
        }
        const std::uint32_t black = black_word<T>(own);
        if (strip.valid > 0) {
#pragma unroll 4
            for (int later = 0; later < S::stage_rows; later += Strip<S>::rows_at_once) {
                int row = y + strip.row + later;
                const bool beside = static_cast<unsigned>(row) >= static_cast<unsigned>(own.height);
                if (beside) {
                    row = fold(row, own.height, own.fold_y);
                }
                unsigned char* const to = stage + strip.place + later * S::pitch;
                if (beside && constant) {
                    *reinterpret_cast<uint4*>(to) = make_uint4(black, black, black, black);
                } else {
                    copy_async_16(to, own.src + own.src_pitch * row + strip.byte, strip.valid);
                }
            }
        }
        if (constant) {
            copy_async_wait();
            arrive(filled);
        } else {
            arrive_with_copies(filled);
        }
    }

    /// The sample that stands at x, or -1 for black.
    [[nodiscard]] __device__ __forceinline__ static int source_of(int x, const PlaneParams& plane, bool constant) {
        const int pixel = plane.step == 1 ? x : x >> 1;
        if (static_cast<unsigned>(pixel) >= static_cast<unsigned>(plane.width)) {
            return constant ? -1 : fold(pixel, plane.width, plane.fold_x) * plane.step + (x - pixel * plane.step);
        }
        return x;
    }

    /// What stands to the left and to the right of the picture, as far as one warp's results need it, put into a stage
    /// that begins at row y. By that warp.
    __device__ __noinline__ static void patch(unsigned char* stage, int y, int block_left, int left,
                                              const PlaneParams& plane, const Picture& picture) {
        const PlaneParams own = plane;
        const bool constant = picture.border == Border::constant;
        constexpr int rows_at_once = 32 / S::apron;
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int first = block_left - S::lead;  // sample
        const int end = block_left + S::width + S::lead;
        const T black = static_cast<T>(own.black << own.lsb);
#pragma unroll 1
        for (int side = 0; side < 2; ++side) {
            const int x = side == 0 ? lane % S::apron - S::apron : own.samples + lane % S::apron;
            if (x < left - S::apron || x >= left + S::columns + S::apron) {
                continue;
            }
            const int from = source_of(x, own, constant);
            T* to = reinterpret_cast<T*>(stage + lane / S::apron * S::pitch) + (x - first);
            if (from < 0 || (from >= max(first, 0) && from < end)) {
                const int away = from < 0 ? 0 : from - x;
#pragma unroll 8
                for (int row = 0; row < S::stage_rows; row += rows_at_once) {
                    T* const sample = to + row * (S::pitch / static_cast<int>(sizeof(T)));
                    *sample = from < 0 ? black : sample[away];
                }
            } else {
                // Further away than the strip reaches.
#pragma unroll 1
                for (int row = 0; row < S::stage_rows; row += rows_at_once) {
                    int line = y + row + lane / S::apron;
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

}  // namespace vfilter::cuda
