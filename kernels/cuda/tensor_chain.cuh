#pragma once
// Filters of small and middle size on tensor cores, row and column pass chained through registers.
//
// A block owns a strip of columns of samples and walks down it in steps of 16 rows; each of its warps owns a part
// of them, in tiles of 16 columns. The row pass is a product of a banded matrix of taps (A) and 16 rows of samples (B),
// the column pass one of another banded matrix and the last `blocks` blocks of intermediate samples, which stay in
// registers: what the row pass leaves in a lane's accumulators is, rounded and cut into bytes, what the column pass
// wants in its B operand. docs/kernels.md has the drawings.
//
// Samples come through shared memory, asked for `stages` - 1 steps ahead. What lies beside the picture is put in there
// by the blocks at its edges alone.

#include <algorithm>
#include <utility>

#include "kernels/cuda/tensor_finish.cuh"
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
    /// Blocks that a multiprocessor is to hold: as many as registers allow without a spill.
    static constexpr int resident = blocks == 5 ? 2 : blocks == 3 || terms == 2 ? 3 : planes == 2 ? 4 : 5;
    static constexpr int apron = 8 * (blocks - 1);
    static constexpr int steps = (blocks + 1) / 2;
    static constexpr bool half_step = blocks % 2 != 0;  ///< the last one has 16 rows of B

    /// What is loaded begins at a multiple of 16 bytes.
    static constexpr int lead = (apron * bytes + 15) / 16 * 16 / bytes;
    static constexpr int pitch = (width + 2 * lead) * bytes;
    static constexpr int chunks = pitch / 16;
    /// Two blocks, for fewer barriers, where that does not take too many registers.
    static constexpr int stage_rows = blocks == 5 ? 16 : 32;
    static constexpr int stages = blocks == 5 ? 4 : 3;
    static constexpr int stage_bytes = stage_rows * pitch;
    static constexpr int most_patched = 2 * (apron * bytes / 4) + 1;  ///< words of a row
    static constexpr int block_bytes = stages * stage_bytes + most_patched * 8;

    /// Windows of bytes that begin at odd multiples of 8 are read by eights.
    static constexpr bool eights = bytes == 1 && blocks % 2 == 0;
    static_assert(!eights || blocks == 2);
    static constexpr Order order = bytes == 2 ? Order::halves : eights ? Order::eights : Order::natural;
    static constexpr int row_weights = planes + bytes - 1;
    static constexpr int column_weights = planes + 1;

    /// Chunks of 16 bytes change places so that no two lanes meet in a bank: chunk c of a row lies at c ^ swizzle(row),
    /// which has no other bits than `swizzled`.
    static constexpr int swizzled = eights ? 0 : pitch % 128 == 0 ? 7 : pitch % 64 == 0 ? 3 : 1;
    __host__ __device__ static constexpr int swizzle(int row) {
        return (swizzled == 7 ? row : swizzled == 3 ? row >> 1 : row >> 2) & swizzled;
    }
    /// Bytes from the beginning of a stage.
    __host__ __device__ static constexpr int place(int row, int chunk) {
        return row * pitch + (chunk ^ swizzle(row)) * 16;
    }
};

/// Where a word beside the picture comes from: bytes of two others of the same row.
struct alignas(8) PatchedWord {
    static constexpr unsigned black = 0xff;  ///< instead of the number of a word
    unsigned char to;                        ///< words from the beginning of what is loaded
    unsigned char first;
    unsigned char second;
    unsigned char selector[4];
};

/// What of a block's strip every step needs.
template <class S>
struct Strip {
    static constexpr int lanes_of_row = S::chunks <= 16 ? 16 : 32;
    static constexpr int rows_at_once = 32 / lanes_of_row;                                ///< of a warp
    static constexpr int chunks_of_lane = (S::chunks + lanes_of_row - 1) / lanes_of_row;  ///< of a row
    static constexpr int next = S::warps * rows_at_once;

    int row;                   ///< of a stage, that this lane asks for first; then every `next`
    int place;                 ///< where in a stage it goes
    const unsigned char* src;  ///< what it asks for, in row 0 of the picture
    int wanted;                ///< a bit for each of its chunks
    bool ragged;               ///< a chunk of the strip lies across the end of the row

    __device__ Strip(const PlaneParams& plane, int warp, int lane, int left)
        : row(warp + S::warps * (lane / lanes_of_row)),
          place(S::place(row, lane % lanes_of_row)),
          src(plane.src + std::int64_t{(left - S::lead) * S::bytes + lane % lanes_of_row * 16}),
          wanted(0),
          ragged(plane.samples * S::bytes % 16 != 0 && left + S::width + S::lead > plane.samples) {
#pragma unroll
        for (int i = 0; i < chunks_of_lane; ++i) {
            const int chunk = lane % lanes_of_row + lanes_of_row * i;
            const int x = (left - S::lead) * S::bytes + 16 * chunk;
            wanted |= x >= 0 && chunk < S::chunks && x < plane.samples * S::bytes ? 1 << i : 0;
        }
        keep(wanted);
    }

    /// Asks for the rows of a stage from y on, which are inside of the picture: each warp for some of them.
    __device__ __forceinline__ void load(unsigned char* stage, int y, int pitch) const {
        const unsigned char* from = src + std::int64_t{pitch} * (y + row);
#pragma unroll
        for (int later = 0; later < S::stage_rows; later += next) {
            // Bits of a row's number that are added here are 0 in `row`.
            unsigned char* const to = stage + (place ^ 16 * S::swizzle(later)) + later * S::pitch;
#pragma unroll
            for (int i = 0; i < chunks_of_lane; ++i) {
                if ((wanted & 1 << i) != 0) {
                    copy_async_16(to + 16 * lanes_of_row * i, from + 16 * lanes_of_row * i, 16);
                }
            }
            from += std::int64_t{pitch} * next;
        }
    }
};

/// What only the picture's edges need. Functions of their own, so that the others' code and registers stay free of it.
template <class S>
struct Edge {
    using T = typename S::T;
    static constexpr int per_word = 4 / S::bytes;

    [[nodiscard]] __device__ static std::uint32_t& word_at(unsigned char* stage, int row, int word) {
        return *reinterpret_cast<std::uint32_t*>(stage + S::place(row, word >> 2) + word % 4 * 4);
    }

    /// Whether something that is loaded lies beside the picture.
    [[nodiscard]] __device__ static bool beside(const PlaneParams& plane, int left) {
        return left < S::lead || left + S::width + S::lead > plane.samples;
    }

    /// Strip::load wherever rows or chunks lie across the picture's edges.
    __device__ __noinline__ static void load(unsigned char* stage, int y, const PlaneParams& plane,
                                             const Picture& picture, int left) {
        const std::uint32_t black = black_word<T>(plane);
        for (int i = static_cast<int>(threadIdx.x); i < S::stage_rows * S::chunks; i += S::threads) {
            const int row = i / S::chunks;
            const int chunk = i - row * S::chunks;
            const unsigned char* const line = row_at(plane, picture, y + row);
            unsigned char* const to = stage + S::place(row, chunk);
            const int x = (left - S::lead) * S::bytes + 16 * chunk;
            const int valid = min(plane.samples * S::bytes - x, 16);
            if (line == nullptr) {
                *reinterpret_cast<uint4*>(to) = make_uint4(black, black, black, black);
            } else if (x >= 0 && valid > 0) {
                copy_async_16(to, line + x, valid);
            }
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

    /// Puts that into a stage, with all threads.
    __device__ __noinline__ static void patch(unsigned char* stage, const PatchedWord* words, int count,
                                              const PlaneParams& plane) {
        const int row = static_cast<int>(threadIdx.x) % S::stage_rows;
        const std::uint32_t black = black_word<T>(plane);
        for (int i = static_cast<int>(threadIdx.x) / S::stage_rows; i < count; i += S::threads / S::stage_rows) {
            const PatchedWord word = words[i];
            const unsigned selector =
                word.selector[0] | word.selector[1] << 4 | word.selector[2] << 8 | word.selector[3] << 12;
            const std::uint32_t first = word.first == PatchedWord::black ? black : word_at(stage, row, word.first);
            const std::uint32_t second = word.second == PatchedWord::black ? black : word_at(stage, row, word.second);
            word_at(stage, row, word.to) = __byte_perm(first, second, selector);
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
            const int byte = (x - (left - S::lead)) * S::bytes;
            *reinterpret_cast<T*>(stage + S::place(row, byte >> 4) + byte % 16) =
                from < 0 ? static_cast<T>(plane.black << plane.lsb) : line[from];
        }
    }
};

/// Samples as the row pass wants them: a word for each tile, half of the block's rows, byte of a sample, and 16
/// columns.
template <class S>
struct Samples {
    static constexpr int groups = S::eights ? S::blocks : S::blocks + S::tiles - 1;  ///< of 16 columns
    std::uint32_t words[S::eights ? S::tiles : 1][2][S::bytes][groups];

    [[nodiscard]] __device__ __forceinline__ std::uint32_t at(int tile, int half, int byte, int group) const {
        return S::eights ? words[tile][half][byte][group] : words[0][half][byte][tile + group];
    }

    /// Where a lane begins to read a stage, and where it goes on after the columns of one warp.
    struct Places {
        int first;
        int second;
    };
    static constexpr int chunks_of_warp = S::tiles * S::bytes;
    /// A swizzle reaches into the number of the warp's columns by one bit at most.
    static constexpr bool crosses = S::swizzled >= chunks_of_warp;
    static_assert(S::swizzled < 2 * chunks_of_warp);

    __device__ static Places places_of(int warp, int lane) {
        if constexpr (S::eights) {
            return {lane / 4 * S::pitch + S::lead - S::apron + warp * S::columns + 8 * (lane % 4), 0};
        } else {
            // Of bytes, two neighbouring chunks of 8 rows, then of the other 8; of words, 16 rows of a chunk, then of
            // its neighbour.
            const int row = S::bytes == 1 ? lane % 8 + lane / 16 * 8 : lane % 16;
            const int chunk = warp * chunks_of_warp + (S::bytes == 1 ? lane / 8 % 2 : lane / 16);
            return {S::place(row, chunk), S::place(row, chunk + chunks_of_warp)};
        }
    }

    __device__ __forceinline__ void fetch(unsigned char* stage, const Places& places, int lsb, unsigned max_value) {
        // An even number of chunks later; the lane's first is chunk 0 or 1 of its warp's.
        const auto later = [&](int chunks) {
            const int whole = chunks / chunks_of_warp;
            const int rest = chunks % chunks_of_warp;
            const int from = crosses && whole % 2 != 0 ? places.second : places.first;
            return stage + (from ^ 16 * (rest & S::swizzled)) + 16 * (rest & ~S::swizzled) +
                   16 * chunks_of_warp * (crosses ? whole / 2 * 2 : whole);
        };
        if constexpr (S::eights) {
#pragma unroll
            for (int tile = 0; tile < S::tiles; ++tile) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const uint2 two =
                        *reinterpret_cast<const uint2*>(stage + places.first + 16 * tile + 8 * half * S::pitch);
                    words[tile][half][0][0] = two.x;
                    words[tile][half][0][1] = two.y;
                }
            }
        } else if constexpr (S::bytes == 1) {
            static_assert(groups % 2 == 0);
#pragma unroll
            for (int group = 0; group < groups; group += 2) {
                std::uint32_t four[4];
                ldmatrix_x4(four, later(group));
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    words[0][i / 2][0][group + i % 2] = four[i];
                }
            }
        } else {
            const std::uint32_t mask = max_value * 0x00010001U;
#pragma unroll
            for (int group = 0; group < groups; ++group) {
                std::uint32_t four[4];
                ldmatrix_x4(four, later(2 * group));
#pragma unroll
                for (std::uint32_t& pair : four) {
                    pair = (pair >> lsb) & mask;
                }
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    words[0][half][0][group] = __byte_perm(four[half], four[half + 2], 0x6420);
                    words[0][half][1][group] = __byte_perm(four[half], four[half + 2], 0x7531);
                }
            }
        }
    }
};

/// One pass of a filter as the A operand.
template <class S>
struct Bands {
    std::uint32_t words[S::planes][S::steps][4];

    __device__ __forceinline__ void load(const uint4* fragments, int lane) {
#pragma unroll
        for (int plane = 0; plane < S::planes; ++plane) {
#pragma unroll
            for (int step = 0; step < S::steps; ++step) {
                const uint4 four = fragments[(plane * S::steps + step) * 32 + lane];
                words[plane][step][0] = four.x;
                words[plane][step][1] = four.y;
                words[plane][step][2] = four.z;
                words[plane][step][3] = four.w;
            }
        }
    }

    static constexpr Sign sign(int plane) {
        return plane == S::planes - 1 ? Sign::s8 : Sign::u8;
    }

    /// Adds the products with one byte of B to the sums of those powers of 256. `b(i)` is word i of B.
    template <Sign b_sign, int weight, int weights>
    __device__ __forceinline__ void multiply(std::int32_t (&sums)[weights][4], const auto& b) const {
        multiply_planes<b_sign, weight>(sums, b, std::make_integer_sequence<int, S::planes>());
    }

private:
    template <Sign b_sign, int weight, int weights, int... plane>
    __device__ __forceinline__ void multiply_planes(std::int32_t (&sums)[weights][4], const auto& b,
                                                    std::integer_sequence<int, plane...>) const {
        (multiply_plane<b_sign, plane>(sums[weight + plane], b), ...);
    }
    template <Sign b_sign, int plane>
    __device__ __forceinline__ void multiply_plane(std::int32_t (&sums)[4], const auto& b) const {
#pragma unroll
        for (int step = 0; step < S::steps; ++step) {
            if (S::half_step && step == S::steps - 1) {
                const std::uint32_t half[2] = {words[plane][step][0], words[plane][step][1]};
                mma_k16<sign(plane), b_sign>(sums, half, b(2 * step));
            } else {
                mma_k32<sign(plane), b_sign>(sums, words[plane][step], b(2 * step), b(2 * step + 1));
            }
        }
    }
};

/// Intermediate samples of 16 rows and columns as the column pass wants them: bytes, low and high, of both halves of
/// the columns.
struct Middle {
    std::uint32_t words[2][2];
};

/// The row pass of one tile.
template <class S>
__device__ __forceinline__ Middle filter_rows(const Samples<S>& samples, int tile, const Bands<S>& bands,
                                              const TensorTerm& term) {
    std::uint32_t mid[2][4];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        std::int32_t sums[S::row_weights][4] = {};
        bands.template multiply<Sign::u8, 0>(sums, [&](int group) { return samples.at(tile, half, 0, group); });
        if constexpr (S::bytes == 2) {
            bands.template multiply<Sign::u8, 1>(sums, [&](int group) { return samples.at(tile, half, 1, group); });
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            if constexpr (S::form == TapForm::exact_byte) {
                mid[half][i] = static_cast<std::uint32_t>(sums[0][i]);
                if constexpr (S::bytes == 2) {
                    mid[half][i] += 256 * static_cast<std::uint32_t>(sums[1][i]);
                }
                continue;
            }
            mid[half][i] = term.row_start;
#pragma unroll
            for (int weight = 0; weight < S::row_weights; ++weight) {
                mid[half][i] += static_cast<std::uint32_t>(sums[weight][i]) * term.row_scale[weight];
            }
        }
    }
    // Exact sums are intermediate samples as they are, others have them in their upper half.
    constexpr unsigned pairs = S::form == TapForm::exact_byte ? 0x5140 : 0x7362;
    Middle made;
#pragma unroll
    for (int columns = 0; columns < 2; ++columns) {
        const std::uint32_t first = __byte_perm(mid[0][2 * columns], mid[0][2 * columns + 1], pairs);
        const std::uint32_t second = __byte_perm(mid[1][2 * columns], mid[1][2 * columns + 1], pairs);
        made.words[0][columns] = __byte_perm(first, second, 0x5410);
        made.words[1][columns] = __byte_perm(first, second, 0x7632);
    }
    return made;
}

/// The column pass of one tile's half of columns.
template <class S>
__device__ __forceinline__ void filter_columns(std::int32_t (&results)[4], const Bands<S>& bands,
                                               const TensorTerm& term, const std::int32_t (&start)[4], int columns,
                                               const Middle (&window)[S::blocks]) {
    std::int32_t sums[S::column_weights][4] = {};
    constexpr bool factor = S::form == TapForm::byte;
    if constexpr (!factor) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            sums[0][i] = start[i];
        }
    }
    bands.template multiply<Sign::s8, 1>(sums, [&](int i) { return window[i].words[1][columns]; });
    bands.template multiply<Sign::u8, 0>(sums, [&](int i) { return window[i].words[0][columns]; });
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        auto sum = static_cast<std::uint32_t>(sums[S::column_weights - 1][i]);
#pragma unroll
        for (int weight = S::column_weights - 2; weight >= 0; --weight) {
            sum = sum * 256 + static_cast<std::uint32_t>(sums[weight][i]);
        }
        results[i] = static_cast<std::int32_t>(factor ? sum * term.column_scale + term.start : sum);
    }
}

template <class S>
__global__ void __launch_bounds__(S::threads, S::resident)
    filter_chain(const __grid_constant__ ChainLaunch<S::terms> launch) {
#ifdef VFILTER_TENSOR_CORES
    using T = typename S::T;
    extern __shared__ uint4 shared[];
    auto* const first_stage = reinterpret_cast<unsigned char*>(shared);
    unsigned char* const end_of_stages = first_stage + S::stages * S::stage_bytes;
    auto* const patched = reinterpret_cast<PatchedWord*>(end_of_stages);

    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const ChainFilter<S::terms>& filter = launch.filters[plane.filter];
    const int tile_of_plane = static_cast<int>(blockIdx.x) - plane.first_block;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    // So the compiler knows that it is the same for all lanes.
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 32, 0);
    const int block_left = tile_of_plane % plane.tiles_x * S::width;
    const int left = block_left + warp * S::columns;
    const int top = tile_of_plane / plane.tiles_x * picture.tile_rows;
    const int samples_of_row = plane.samples;
    const int end = min(top + picture.tile_rows, plane.height);
    const int count = (end - top + 15) / 16 + S::blocks - 1;  // blocks of rows that are walked
    constexpr int blocks_of_stage = S::stage_rows / 16;
    const int loads = (count + blocks_of_stage - 1) / blocks_of_stage;
    const Strip<S> strip(plane, warp, lane, block_left);
    const int reach = filter.reach * plane.step;
    const int patched_words =
        Edge<S>::beside(plane, block_left) ? Edge<S>::find_words(patched, reach, plane, picture, block_left) : 0;

    // What every step needs is kept in registers: without this the compiler would fetch it again from the parameters.
    const unsigned max_value = picture.max_value;
    const int lsb = plane.lsb;
    const TensorEnd numbers_of_end = filter.end;
    int height = plane.height;
    int src_pitch = static_cast<int>(plane.src_pitch);
    int dst_pitch = static_cast<int>(plane.dst_pitch);
    keep(height);
    keep(src_pitch);
    keep(dst_pitch);

    int y = top + lane / 4;  // of a lane's first result in the next 16 rows
    const int first_x = left + 4 * (lane % 4);
    // Samples of 8 bits are stored by sixteens: lane 4 g + q has those of tile q / 2 in row g + q % 2 * 8.
    const int sixteens = 8 * (lane & 2);
    const int row_of_lane = S::bytes == 1 ? y + 8 * (lane & 1) : y;
    unsigned char* to = plane.dst + plane.dst_pitch * row_of_lane +
                        (S::bytes == 1 ? std::int64_t{left + sixteens} : std::int64_t{2 * first_x});
    const int to_end = samples_of_row - left - sixteens;
    int rows_left = end - row_of_lane;

    const auto load = [&](unsigned char* to_stage, int first) {
        if (first >= 0 && first + S::stage_rows <= height && !strip.ragged) [[likely]] {
            strip.load(to_stage, first, src_pitch);
        } else {
            Edge<S>::load(to_stage, first, plane, picture, block_left);
        }
    };
    int next_row = top - S::apron;
#pragma unroll
    for (int i = 0; i < S::stages - 1; ++i) {
        if (i < loads) {
            load(first_stage + i * S::stage_bytes, next_row);
        }
        copy_async_commit();
        next_row += S::stage_rows;
    }

    TensorTerm numbers[S::terms];
    std::int32_t starts[S::terms][4];  // what the products of a tile are added to
    Bands<S> row_bands[S::terms];
    Bands<S> column_bands[S::terms];
    const uint4* fragments = filter.fragments[plane.step - 1];
#pragma unroll
    for (int term = 0; term < S::terms; ++term) {
        numbers[term] = filter.terms[term];
#pragma unroll
        for (std::int32_t& start : starts[term]) {
            start = static_cast<std::int32_t>(numbers[term].start);
            keep(start);
        }
        row_bands[term].load(fragments, lane);
        column_bands[term].load(fragments + S::planes * S::steps * 32, lane);
        fragments += 2 * S::planes * S::steps * 32;
    }

    const typename Samples<S>::Places places = Samples<S>::places_of(warp, lane);
    unsigned char* stage = first_stage;
    unsigned char* next_stage = end_of_stages - S::stage_bytes;
    Middle middles[S::terms][S::tiles][S::blocks];
    // The column pass of a tile, to memory or, for samples of 8 bits, to `packed`.
    const auto make_results = [&](int tile, [[maybe_unused]] std::uint32_t(&packed)[2 * S::tiles]) {
        std::int32_t sums[S::terms][2][4];
#pragma unroll
        for (int term = 0; term < S::terms; ++term) {
#pragma unroll
            for (int columns = 0; columns < 2; ++columns) {
                filter_columns<S>(sums[term][columns], column_bands[term], numbers[term], starts[term], columns,
                                  middles[term][tile]);
            }
        }
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            std::int32_t own[S::terms][4];
#pragma unroll
            for (int term = 0; term < S::terms; ++term) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    own[term][i] = sums[term][i / 2][2 * half + i % 2];
                }
            }
            const int x = first_x + 16 * tile;
            std::int32_t results[4];
            finish<T, S::finish>(results, own, numbers_of_end, [&](std::uint32_t(&given)[4]) {
                load_four<T>(given, plane.src + plane.src_pitch * min(y + 8 * half, height - 1), x, plane, max_value);
            });
            if constexpr (S::bytes == 1) {
                packed[2 * tile + half] = pack_four(results);
            } else if (8 * half < rows_left && x < samples_of_row) {
                *reinterpret_cast<uint2*>(to + 32 * tile + std::int64_t{dst_pitch} * (8 * half)) =
                    pack_four(results, lsb, max_value);
            }
        }
    };
    const auto walk = [&]<bool whole>(std::bool_constant<whole>, unsigned char* rows) {
        Samples<S> samples;
        samples.fetch(rows, places, lsb, max_value);
        [[maybe_unused]] std::uint32_t packed[2 * S::tiles];
#pragma unroll
        for (int tile = 0; tile < S::tiles; ++tile) {
#pragma unroll
            for (int term = 0; term < S::terms; ++term) {
                Middle(&window)[S::blocks] = middles[term][tile];
#pragma unroll
                for (int i = 0; i + 1 < S::blocks; ++i) {
                    window[i] = window[i + 1];
                }
                window[S::blocks - 1] = filter_rows<S>(samples, tile, row_bands[term], numbers[term]);
            }
            if constexpr (whole) {
                make_results(tile, packed);
            }
        }
        if constexpr (whole) {
            if constexpr (S::bytes == 1) {
                const uint4 sixteen = transpose(packed, lane);
                if (rows_left > 0 && to_end > 0) {
                    store_sixteen(to, sixteen, to_end);
                }
            }
            y += 16;
            to += std::int64_t{dst_pitch} * 16;
            rows_left -= 16;
        }
    };
#pragma unroll 1
    for (int i = 0; i < loads; ++i) {
        copy_async_wait<S::stages - 2>();
        // The stage that is read now has come, and nobody reads any more the one that is asked for next.
        __syncthreads();
        if (i + S::stages - 1 < loads) {
            load(next_stage, next_row);
        }
        copy_async_commit();
        if (patched_words != 0) [[unlikely]] {
            if (patched_words > 0) {
                Edge<S>::patch(stage, patched, patched_words, plane);
            } else {
                Edge<S>::patch_slowly(stage, next_row - S::stage_rows * (S::stages - 1), reach, plane, picture,
                                      block_left);
            }
            __syncthreads();
        }
        next_row += S::stage_rows;
#pragma unroll
        for (int k = 0; k < blocks_of_stage; ++k) {
            const int block = i * blocks_of_stage + k;
            unsigned char* const rows = stage + 16 * k * S::pitch;
            if (block < S::blocks - 1) {
                walk(std::false_type(), rows);  // the first ones only fill the window
            } else if (block < count) {
                walk(std::true_type(), rows);
            }
        }
        next_stage = stage;
        stage += S::stage_bytes;
        stage = stage == end_of_stages ? first_stage : stage;
    }
#else
    __trap();
#endif
}

}  // namespace vfilter::cuda
