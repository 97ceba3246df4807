#pragma once
// Filters of small and middle size on tensor cores, row and column pass chained through registers.
//
// A warp owns a strip of 32 columns of samples and walks down it in blocks of 16 rows. The row pass is a product of a
// banded matrix of taps (A) and the block's samples (B), the column pass one of another banded matrix and the last
// `blocks` blocks of intermediate samples, which stay in registers: what the row pass leaves in a lane's accumulators
// is, rounded and cut into bytes, what the column pass wants in its B operand. docs/kernels.md has the drawings.
//
// Samples come through shared memory of the warp's own, asked for `stages` - 1 blocks ahead. What lies outside of the
// picture is put in there by the warps at its edges alone.

#include <algorithm>
#include <utility>

#include "kernels/cuda/tensor_finish.cuh"
#include "kernels/cuda/tensor_launch.h"
#include "kernels/cuda/tensor_ops.cuh"

namespace vfilter::cuda {

/// `blocks` 16-row blocks make a window, of which 16 are results: radius 8 (blocks - 1) at most, in samples.
/// `planes`: bytes of a tap.
template <class Sample, int block_count, int tap_bytes, int term_count, Finish finish_kind>
struct ChainShape {
    using T = Sample;
    static constexpr int blocks = block_count;
    static constexpr int planes = tap_bytes;
    static constexpr int terms = term_count;
    static constexpr Finish finish = finish_kind;
    static constexpr int bytes = sizeof(T);

    static constexpr int warps = chain_warps;
    /// Blocks that a multiprocessor is to hold: what registers are left for them.
#ifndef VF_R21
#define VF_R21 5
#define VF_R22 4
#define VF_R3 4
#define VF_R5 3
#define VF_RT 4
#endif
    static constexpr int resident = blocks == 5   ? VF_R5
                                    : terms == 2  ? VF_RT
                                    : blocks == 3 ? VF_R3
                                    : planes == 1 ? VF_R21
                                                  : VF_R22;
    static constexpr int tiles = 2;
    static constexpr int columns = 16 * tiles;
    static constexpr int apron = 8 * (blocks - 1);
    static constexpr int steps = (blocks + 1) / 2;
    static constexpr bool half_step = blocks % 2 != 0;  ///< the last one has 16 rows of B

    /// What is loaded begins at a multiple of 16 bytes.
    static constexpr int lead = (apron * bytes + 15) / 16 * 16 / bytes;
    static constexpr int pitch = (columns + 2 * lead) * bytes;
    static constexpr int chunks = pitch / 16;
#ifndef VF_STAGES
#define VF_STAGES 4
#endif
    static constexpr int stages = VF_STAGES;
    static constexpr int stage_bytes = 16 * pitch;
    static constexpr int most_patched = 2 * (apron * bytes / 4) + 1;  ///< words of a row
    static constexpr int warp_bytes = (stages * stage_bytes + most_patched * 8 + 127) / 128 * 128;
    static constexpr int block_bytes = warps * warp_bytes;

    /// Windows of bytes that begin at odd multiples of 8 are read by eights.
    static constexpr bool eights = bytes == 1 && blocks % 2 == 0;
    static_assert(!eights || blocks == 2);
    static constexpr Order order = bytes == 2 ? Order::halves : eights ? Order::eights : Order::natural;
    static constexpr int row_weights = planes + bytes - 1;
    static constexpr int column_weights = planes + 1;

    /// Chunks of 16 bytes change places so that no two lanes meet in a bank: chunk c of a row lies at c ^ swizzle(row).
    /// Every bit of a swizzle is one of the row's, and the bits of `swizzled` are all that it has.
    static constexpr int swizzled = eights ? 2 : pitch % 128 == 0 ? 7 : pitch % 64 == 0 ? 3 : 1;
    __host__ __device__ static constexpr int swizzle(int row) {
        return (eights || swizzled == 7 ? row : swizzled == 3 ? row >> 1 : row >> 2) & swizzled;
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

/// The strip of one warp. What only the picture's edges need is read from `plane` there.
template <class S>
struct Strip {
    using T = typename S::T;
    static constexpr int per_word = 4 / S::bytes;

    const PlaneParams& plane;
    const Picture& picture;
    int src_pitch;
    const unsigned char* src;  ///< what this lane asks for first, of the 16 rows from row 0 on
    int first_place;           ///< and where in a stage it goes
    int height;
    int lane;
    int left;   ///< first column
    bool edge;  ///< something that is loaded lies beside the picture

    [[nodiscard]] __device__ static std::uint32_t& word_at(unsigned char* stage, int row, int word) {
        return *reinterpret_cast<std::uint32_t*>(stage + S::place(row, word >> 2) + word % 4 * 4);
    }

    static constexpr int lanes_per_row = S::chunks % 8 == 0 ? 8 : S::chunks % 4 == 0 ? 4 : 2;
    static constexpr int rows_at_once = 32 / lanes_per_row;

    __device__ Strip(const PlaneParams& plane, const Picture& picture, int lane, int left)
        : plane(plane),
          picture(picture),
          src_pitch(static_cast<int>(plane.src_pitch)),
          src(plane.src + (left - S::lead) * S::bytes + lane % lanes_per_row * 16 +
              std::int64_t{src_pitch} * (lane / lanes_per_row)),
          first_place(S::place(lane / lanes_per_row, lane % lanes_per_row)),
          height(plane.height),
          lane(lane),
          left(left),
          edge(left < S::lead || left + S::columns + S::lead > plane.samples) {}

    /// Asks for the 16 rows from y on.
    __device__ __forceinline__ void load(unsigned char* stage, int y) const {
        if (!edge && y >= 0 && y + 16 <= height) {
            const unsigned char* from = src + std::int64_t{src_pitch} * y;
#pragma unroll
            for (int row = 0; row < 16; row += rows_at_once) {
                // The first row of a lane is below rows_at_once, so that the bits of its swizzle and of this one are
                // others.
                unsigned char* const to = stage + (first_place ^ S::swizzle(row) * 16) + row * S::pitch;
#pragma unroll
                for (int chunk = 0; chunk < S::chunks; chunk += lanes_per_row) {
                    copy_async_16(to + 16 * chunk, from + 16 * chunk, 16);
                }
                from += std::int64_t{src_pitch} * rows_at_once;
            }
            return;
        }
        for (int row = lane / lanes_per_row; row < 16; row += rows_at_once) {
            const unsigned char* const line = row_at(plane, picture, y + row);
            for (int chunk = lane % lanes_per_row; chunk < S::chunks; chunk += lanes_per_row) {
                unsigned char* const to = stage + S::place(row, chunk);
                const int x = (left - S::lead) * S::bytes + 16 * chunk;
                const int valid = min(plane.samples * S::bytes - x, 16);
                if (line == nullptr) {
                    const std::uint32_t black = black_word<T>(plane);
                    *reinterpret_cast<uint4*>(to) = make_uint4(black, black, black, black);
                } else if (x >= 0 && valid > 0) {
                    copy_async_16(to, line + x, valid);
                }
            }
        }
    }

    /// The sample that stands at x, or -1 for black.
    [[nodiscard]] __device__ __forceinline__ int source_of(int x) const {
        const int pixel = plane.step == 1 ? x : x >> 1;
        if (static_cast<unsigned>(pixel) >= static_cast<unsigned>(plane.width)) {
            return picture.border == Border::constant
                       ? -1
                       : fold(pixel, plane.width, plane.fold_x) * plane.step + (x - pixel * plane.step);
        }
        return x;
    }

    /// What stands beside the picture, for results that need `reach` samples on either side: how many words of `words`
    /// it fills, or -1 where something does not come from two words of the strip.
    __device__ __forceinline__ int find_words(PatchedWord* words, int reach) const {
        const int first = left - S::lead;
        const int end = min(left + S::columns, plane.samples) + reach;
        const int before = max(reach - left + per_word - 1, 0) / per_word;
        const int behind = end > plane.samples ? (end - 1) / per_word - plane.samples / per_word + 1 : 0;
        bool found = true;
        for (int i = lane; i < before + behind; i += 32) {
            const int x = i < before ? (i - before) * per_word : (plane.samples / per_word + i - before) * per_word;
            PatchedWord word{static_cast<unsigned char>((x - first) / per_word), 0, 0, {}};
            int known = 0;
            unsigned numbers[2] = {};
            for (int k = 0; k < per_word; ++k) {
                const int from = source_of(x + k);
                const bool here = from >= max(first, 0) && from < left + S::columns + S::lead;
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
            words[i] = word;
        }
        __syncwarp();
        return __all_sync(0xffffffff, found) ? before + behind : -1;
    }

    /// Puts that into a stage.
    __device__ __forceinline__ void patch(unsigned char* stage, const PatchedWord* words, int count) const {
        const int row = lane % 16;
        const std::uint32_t black = black_word<T>(plane);
#pragma unroll 2
        for (int i = lane / 16; i < count; i += 2) {
            const PatchedWord word = words[i];
            const unsigned selector =
                word.selector[0] | word.selector[1] << 4 | word.selector[2] << 8 | word.selector[3] << 12;
            const std::uint32_t first = word.first == PatchedWord::black ? black : word_at(stage, row, word.first);
            const std::uint32_t second = word.second == PatchedWord::black ? black : word_at(stage, row, word.second);
            word_at(stage, row, word.to) = __byte_perm(first, second, selector);
        }
    }

    /// The same for 16 rows from y on of a picture that is smaller than what results need, or goes round: sample by
    /// sample from memory.
    __device__ __forceinline__ void patch_slowly(unsigned char* stage, int y, int reach) const {
        const int before = max(reach - left, 0);
        const int behind = max(min(left + S::columns, plane.samples) + reach - plane.samples, 0);
        const int row = lane % 16;
        const T* const line = reinterpret_cast<const T*>(row_at(plane, picture, y + row));
        for (int i = lane / 16; i < before + behind; i += 2) {
            const int x = i < before ? left - reach + i : plane.samples + i - before;
            const int from = line == nullptr ? -1 : source_of(x);
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

    /// Where a lane begins to read a stage: two places, for tile 0 and 1, of eights.
    struct Places {
        int first;
        int second;
    };
    __device__ static Places places_of(int lane) {
        if constexpr (S::eights) {
            const int byte = S::lead - S::apron + 8 * (lane % 4);
            const auto place = [&](int at) { return S::place(lane / 4, at >> 4) + at % 16; };
            return {place(byte), place(byte + 16)};
        } else {
            return {S::place(lane % 16, lane / 16), 0};
        }
    }

    __device__ __forceinline__ void fetch(unsigned char* stage, const Places& places, int lsb, unsigned max_value) {
        // The first chunk of a lane is 0 or 1: an even number of chunks later its swizzled bits are flipped.
        const auto later = [&](int chunks) {
            return stage + (places.first ^ 16 * (chunks & S::swizzled)) + 16 * (chunks & ~S::swizzled);
        };
        if constexpr (S::eights) {
#pragma unroll
            for (int tile = 0; tile < S::tiles; ++tile) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const uint2 two = *reinterpret_cast<const uint2*>(
                        stage + (tile == 0 ? places.first : places.second) + 8 * half * S::pitch);
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
                    words[0][i % 2][0][group + i / 2] = four[i];
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
            mid[half][i] = term.row_start;
#pragma unroll
            for (int weight = 0; weight < S::row_weights; ++weight) {
                mid[half][i] += static_cast<std::uint32_t>(sums[weight][i]) * term.row_scale[weight];
            }
        }
    }
    Middle made;
#pragma unroll
    for (int columns = 0; columns < 2; ++columns) {
        const std::uint32_t first = __byte_perm(mid[0][2 * columns], mid[0][2 * columns + 1], 0x7362);
        const std::uint32_t second = __byte_perm(mid[1][2 * columns], mid[1][2 * columns + 1], 0x7362);
        made.words[0][columns] = __byte_perm(first, second, 0x5410);
        made.words[1][columns] = __byte_perm(first, second, 0x7632);
    }
    return made;
}

/// The column pass of one tile's half of columns.
template <class S>
__device__ __forceinline__ void filter_columns(std::int32_t (&results)[4], const Bands<S>& bands,
                                               const TensorTerm& term, int columns, const Middle (&window)[S::blocks]) {
    std::int32_t sums[S::column_weights][4] = {};
    if constexpr (S::planes == 2) {
#pragma unroll
        for (std::int32_t& sum : sums[0]) {
            sum = static_cast<std::int32_t>(term.start);
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
        results[i] = static_cast<std::int32_t>(S::planes == 2 ? sum : sum * term.column_scale + term.start);
    }
}

template <class S>
__global__ void __launch_bounds__(S::warps * 32, S::resident)
    filter_chain(const __grid_constant__ ChainLaunch<S::terms> launch) {
#ifdef VFILTER_TENSOR_CORES
    using T = typename S::T;
    extern __shared__ uint4 shared[];
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const ChainFilter<S::terms>& filter = launch.filters[plane.filter];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    // So the compiler knows that it is the same for all lanes.
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 32, 0);
    const int left = (tile % plane.tiles_x * S::warps + warp) * S::columns;
    const int top = tile / plane.tiles_x * picture.tile_rows;
    const int samples_of_row = plane.samples;
    if (left >= samples_of_row) {
        return;
    }
    const int end = min(top + picture.tile_rows, plane.height);
    const int count = (end - top + 15) / 16 + S::blocks - 1;
    const int first_row = top - S::apron;
    unsigned char* const first_stage = reinterpret_cast<unsigned char*>(shared) + warp * S::warp_bytes;
    auto* const patched = reinterpret_cast<PatchedWord*>(first_stage + S::stages * S::stage_bytes);
    const Strip<S> strip(plane, picture, lane, left);
    const int reach = filter.reach * plane.step;
    const int patched_words = strip.edge ? strip.find_words(patched, reach) : 0;

    const unsigned max_value = picture.max_value;
    const int lsb = plane.lsb;
    const TensorEnd numbers_of_end = filter.end;
    int y = top + lane / 4;  // of a lane's first result in the next 16 rows
    const int first_x = left + 4 * (lane % 4);
    const int dst_pitch = static_cast<int>(plane.dst_pitch);
    // Samples of 8 bits are stored by sixteens: lane 4 g + q has those of row g + q % 2 * 8 and tile q / 2.
    unsigned char* to = S::bytes == 1 ? plane.dst + plane.dst_pitch * (y + 8 * (lane & 1)) + left + 8 * (lane & 2)
                                      : plane.dst + plane.dst_pitch * y + first_x * S::bytes;
    const int to_end = samples_of_row - left - 8 * (lane & 2);

    TensorTerm numbers[S::terms];
    Bands<S> row_bands[S::terms];
    Bands<S> column_bands[S::terms];
    const uint4* fragments = filter.fragments[plane.step - 1];
#pragma unroll
    for (int term = 0; term < S::terms; ++term) {
        numbers[term] = filter.terms[term];
        row_bands[term].load(fragments, lane);
        column_bands[term].load(fragments + S::planes * S::steps * 32, lane);
        fragments += 2 * S::planes * S::steps * 32;
    }

    unsigned char* const end_of_stages = first_stage + S::stages * S::stage_bytes;
#pragma unroll
    for (int block = 0; block < S::stages - 1; ++block) {
        if (block < count) {
            strip.load(first_stage + block * S::stage_bytes, first_row + 16 * block);
        }
        copy_async_commit();
    }

    const typename Samples<S>::Places places = Samples<S>::places_of(lane);
    unsigned char* stage = first_stage;
    unsigned char* next_stage = end_of_stages - S::stage_bytes;
    int next_row = first_row + 16 * (S::stages - 1);
    Middle middles[S::terms][S::tiles][S::blocks];
#pragma unroll 1
    for (int block = 0; block < count; ++block) {
        copy_async_wait<S::stages - 2>();
        __syncwarp();
        if (block + S::stages - 1 < count) {
            strip.load(next_stage, next_row);
        }
        copy_async_commit();
        if (patched_words != 0) {
            if (patched_words > 0) {
                strip.patch(stage, patched, patched_words);
            } else {
                strip.patch_slowly(stage, next_row - 16 * (S::stages - 1), reach);
            }
            __syncwarp();
        }
        next_row += 16;
        Samples<S> samples;
        samples.fetch(stage, places, lsb, max_value);
        next_stage = stage;
        stage += S::stage_bytes;
        stage = stage == end_of_stages ? first_stage : stage;
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
        }
        if (block < S::blocks - 1) {
            continue;
        }
        std::uint32_t packed[2 * S::tiles];
#pragma unroll
        for (int tile = 0; tile < S::tiles; ++tile) {
            std::int32_t sums[S::terms][2][4];
#pragma unroll
            for (int term = 0; term < S::terms; ++term) {
#pragma unroll
                for (int columns = 0; columns < 2; ++columns) {
                    filter_columns<S>(sums[term][columns], column_bands[term], numbers[term], columns,
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
                const int row = y + 8 * half;
                const int x = first_x + 16 * tile;
                std::int32_t results[4];
                finish<T, S::finish>(results, own, numbers_of_end, [&](std::uint32_t(&given)[4]) {
                    load_four<T>(given, plane.src + plane.src_pitch * min(row, plane.height - 1), x, plane, max_value);
                });
                if constexpr (S::bytes == 1) {
                    packed[2 * tile + half] = pack_four(results);
                } else if (row < end && x < samples_of_row) {
                    *reinterpret_cast<uint2*>(to + 32 * tile + (half == 0 ? 0 : std::int64_t{8} * dst_pitch)) =
                        pack_four(results, lsb, max_value);
                }
            }
        }
        if constexpr (S::bytes == 1) {
            const uint4 sixteen = transpose(packed, lane);
            if (y + 8 * (lane & 1) < end) {
                if (to_end >= 16) {
                    *reinterpret_cast<uint4*>(to) = sixteen;
                } else {
                    const std::uint32_t words[4] = {sixteen.x, sixteen.y, sixteen.z, sixteen.w};
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        if (4 * i < to_end) {
                            reinterpret_cast<std::uint32_t*>(to)[i] = words[i];
                        }
                    }
                }
            }
        }
        y += 16;
        to += std::int64_t{16} * dst_pitch;
    }
#else
    __trap();
#endif
}

}  // namespace vfilter::cuda
