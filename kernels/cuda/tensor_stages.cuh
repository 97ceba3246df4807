#pragma once
// The chain's samples on their way through shared memory: its shape, what of a strip is loaded, and what stands beside
// the picture. docs/kernels.md has the drawings.

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/tensor_launch.h"
#include "kernels/cuda/tensor_ops.cuh"

namespace vfilter::cuda {

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
    static constexpr int columns = 16 * tiles;  ///< of a warp
    static constexpr int warps = chain_warps;
    static constexpr int width = warps * columns;  ///< columns of a block
    static constexpr int threads = 32 * warps;
    /// Blocks that a multiprocessor is to hold: as many as registers allow with next to no spills in the loop.
    static constexpr bool small = bytes == 1 && finish != Finish::any_sum;
    static constexpr int resident = blocks == 5 ? (small ? 3 : 2) : (blocks == 3 && !small) || terms == 2 ? 3 : 4;
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
    static constexpr int pitch = row_bytes + (eights ? 32 : row_bytes / 16 % 2 == 0 ? 16 : 0);
    static_assert(!eights || pitch % 64 == 32);

    static constexpr int stage_blocks = blocks == 5 ? 1 : 2;  ///< of 16 rows
    static constexpr int stage_rows = 16 * stage_blocks;
    static constexpr int stages = blocks == 5 ? 5 : 3;
    /// The walk is unrolled until a window of intermediate samples is where it was, and so is the stage.
    static constexpr int turn = stages * stage_blocks;
    static_assert(turn % blocks == 0);
    static constexpr int stage_bytes = stage_rows * pitch;
    static constexpr int most_patched = 2 * (apron * bytes / 4) + 1;  ///< words of a row
    static constexpr int block_bytes =
        stages * (stage_bytes + 2 * static_cast<int>(sizeof(Arrivals))) + most_patched * 8;
};

/// Where a word beside the picture comes from: bytes of two others of the same row.
struct alignas(8) PatchedWord {
    static constexpr unsigned black = 0xff;  ///< instead of the number of a word
    unsigned char to;                        ///< words from the beginning of what is loaded
    unsigned char first;
    unsigned char second;
    unsigned char selector[4];
};

/// The shared memory of a block.
template <class S>
struct Stages {
    unsigned char* first;

    [[nodiscard]] __device__ __forceinline__ unsigned char* at(int stage) const {
        return first + stage * S::stage_bytes;
    }
    /// Copies that have come to a stage: the lanes of the warp that asked for them.
    [[nodiscard]] __device__ __forceinline__ Arrivals* filled(int stage) const {
        return reinterpret_cast<Arrivals*>(at(S::stages)) + stage;
    }
    /// Warps that read a stage no more.
    [[nodiscard]] __device__ __forceinline__ Arrivals* left(int stage) const { return filled(S::stages) + stage; }
    [[nodiscard]] __device__ __forceinline__ PatchedWord* patched() const {
        return reinterpret_cast<PatchedWord*>(left(S::stages));
    }

    /// By all threads of a block, before anything else.
    __device__ __forceinline__ void make() const {
        if (threadIdx.x < S::stages) {
            arrivals_init(filled(static_cast<int>(threadIdx.x)), 32);
            arrivals_init(left(static_cast<int>(threadIdx.x)), S::warps);
        }
        __syncthreads();
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
    static constexpr int per_word = 4 / S::bytes;

    [[nodiscard]] __device__ static std::uint32_t& word_at(unsigned char* stage, int row, int word) {
        return *reinterpret_cast<std::uint32_t*>(stage + row * S::pitch + 4 * word);
    }

    /// Whether something that is loaded lies beside the picture.
    [[nodiscard]] __device__ static bool beside(const PlaneParams& plane, int left) {
        return left < S::lead || left + S::width + S::lead > plane.samples;
    }

    /// Strip::load, and the arrival, wherever rows or chunks lie across the picture's edges. By one warp.
    __device__ __noinline__ static void load(unsigned char* stage, Arrivals* filled, int y, const PlaneParams& plane,
                                             const Picture& picture, const Strip<S>& strip) {
        const std::uint32_t black = black_word<T>(plane);
        if (strip.valid > 0) {
#pragma unroll 4
            for (int later = 0; later < S::stage_rows; later += Strip<S>::rows_at_once) {
                const unsigned char* const line = row_at(plane, picture, y + strip.row + later);
                unsigned char* const to = stage + strip.place + later * S::pitch;
                if (line == nullptr) {
                    *reinterpret_cast<uint4*>(to) = make_uint4(black, black, black, black);
                } else {
                    copy_async_16(to, line + strip.byte, strip.valid);
                }
            }
        }
        if (picture.border == Border::constant) {
            copy_async_wait();
            arrive(filled);
        } else {
            arrive_with_copies(filled);
        }
    }

    /// The sample that stands at x, or -1 for black.
    [[nodiscard]] __device__ static int source_of(int x, const PlaneParams& plane, const Picture& picture) {
        const int pixel = plane.step == 1 ? x : x >> 1;
        if (static_cast<unsigned>(pixel) >= static_cast<unsigned>(plane.width)) {
            return picture.border == Border::constant
                       ? -1
                       : fold(pixel, plane.width, plane.fold_x) * plane.step + (x - pixel * plane.step);
        }
        return x;
    }

    /// What stands beside the picture, for results that need `reach` samples on either side: how many words of `words`
    /// it fills, or -1 where something does not come from two words of the strip. Every warp finds the same.
    __device__ __noinline__ static int find_words(PatchedWord* words, int reach, const PlaneParams& plane,
                                                  const Picture& picture, int left) {
        const int lane = static_cast<int>(threadIdx.x) % 32;
        const int first = left - S::lead;
        const int end = min(left + S::width, plane.samples) + reach;
        const int before = max(reach - left + per_word - 1, 0) / per_word;
        const int behind = end > plane.samples ? (end - 1) / per_word - plane.samples / per_word + 1 : 0;
        bool found = true;
        for (int i = lane; i < before + behind; i += 32) {
            const int x = i < before ? (i - before) * per_word : (plane.samples / per_word + i - before) * per_word;
            PatchedWord word{static_cast<unsigned char>((x - first) / per_word), 0, 0, {}};
            int known = 0;
            unsigned numbers[2] = {};
            for (int k = 0; k < per_word; ++k) {
                const int from = source_of(x + k, plane, picture);
                const bool here = from >= max(first, 0) && from < left + S::width + S::lead;
                found = found && (here || from < 0);
                const unsigned number = from < 0 ? PatchedWord::black : static_cast<unsigned>(from - first) / per_word;
                if (known == 0 || (number != numbers[0] && known == 1)) {
                    numbers[known++] = number;
                }
                const unsigned which = number == numbers[0] ? 0 : 1;
                found = found && (which == 0 || number == numbers[1]);
                const unsigned byte = from < 0 ? 0 : static_cast<unsigned>(from - first) % per_word * S::bytes;
                for (unsigned b = 0; b < S::bytes; ++b) {
                    word.selector[k * S::bytes + b] = static_cast<unsigned char>(which * 4 + byte + b);
                }
            }
            word.first = static_cast<unsigned char>(numbers[0]);
            word.second = static_cast<unsigned char>(known == 2 ? numbers[1] : numbers[0]);
            if (threadIdx.x < 32) {
                words[i] = word;
            }
        }
        return __all_sync(0xffffffff, found) ? before + behind : -1;
    }

    /// Puts that into a stage, with all threads. A word that is partly in the picture is read for others, too, so that
    /// all are read before any is written.
    __device__ __noinline__ static void patch(unsigned char* stage, const PatchedWord* words, int count,
                                              const PlaneParams& plane) {
        constexpr int lines = S::threads / S::stage_rows;  // threads of a row
        constexpr int most = (S::most_patched + lines - 1) / lines;
        const int row = static_cast<int>(threadIdx.x) % S::stage_rows;
        const int line = static_cast<int>(threadIdx.x) / S::stage_rows;
        const std::uint32_t black = black_word<T>(plane);
        std::uint32_t made[most];
#pragma unroll
        for (int i = 0; i < most; ++i) {
            if (line + lines * i < count) {
                const PatchedWord word = words[line + lines * i];
                const unsigned selector =
                    word.selector[0] | word.selector[1] << 4 | word.selector[2] << 8 | word.selector[3] << 12;
                const std::uint32_t first = word.first == PatchedWord::black ? black : word_at(stage, row, word.first);
                const std::uint32_t second =
                    word.second == PatchedWord::black ? black : word_at(stage, row, word.second);
                made[i] = __byte_perm(first, second, selector);
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < most; ++i) {
            if (line + lines * i < count) {
                word_at(stage, row, words[line + lines * i].to) = made[i];
            }
        }
    }

    /// The same for the rows from y on of a picture that is smaller than what results need, or goes round: sample by
    /// sample from memory.
    __device__ __noinline__ static void patch_slowly(unsigned char* stage, int y, int reach, const PlaneParams& plane,
                                                     const Picture& picture, int left) {
        const int before = max(reach - left, 0);
        const int behind = max(min(left + S::width, plane.samples) + reach - plane.samples, 0);
        const int row = static_cast<int>(threadIdx.x) % S::stage_rows;
        const T* const line = reinterpret_cast<const T*>(row_at(plane, picture, y + row));
        for (int i = static_cast<int>(threadIdx.x) / S::stage_rows; i < before + behind;
             i += S::threads / S::stage_rows) {
            const int x = i < before ? left - reach + i : plane.samples + i - before;
            const int from = line == nullptr ? -1 : source_of(x, plane, picture);
            *reinterpret_cast<T*>(stage + row * S::pitch + (x - (left - S::lead)) * S::bytes) =
                from < 0 ? static_cast<T>(plane.black << plane.lsb) : line[from];
        }
    }
};

}  // namespace vfilter::cuda
