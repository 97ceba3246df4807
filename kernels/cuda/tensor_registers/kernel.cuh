#pragma once
// Filters of small and middle size on tensor cores, row and column pass chained through registers.
//
// A block owns a strip of columns of samples and walks down it in steps of 16 rows; each of its warps owns a part
// of them, in tiles of 16 columns. The row pass is a product of a banded matrix of taps (A) and 16 rows of samples (B),
// the column pass one of another banded matrix and the last `blocks` blocks of intermediate samples, which stay in
// registers: what the row pass leaves in a lane's accumulators is, rounded and cut into bytes, what the column pass
// wants in its B operand. docs/kernels.md has the drawings.
//
// Samples come through shared memory, asked for some steps ahead. What lies beside the picture is put in there by the
// blocks at its edges alone.

#include <algorithm>
#include <utility>

#include "kernels/cuda/tensor_finish.cuh"
#include "kernels/cuda/tensor_stages.cuh"

namespace vfilter::cuda {

/// Samples as the row pass wants them: a word for each tile, half of the block's rows, byte of a sample, and 16
/// columns.
template <class S>
struct Samples {
    static constexpr int groups = S::eights ? S::blocks : S::blocks + S::tiles - 1;  ///< of 16 columns
    std::uint32_t words[S::eights ? S::tiles : 1][2][S::bytes][groups];

    [[nodiscard]] __device__ __forceinline__ std::uint32_t at(int tile, int half, int byte, int group) const {
        return S::eights ? words[tile][half][byte][group] : words[0][half][byte][tile + group];
    }

    /// Where a lane begins to read a block of 16 rows.
    [[nodiscard]] __device__ static int place_of(int warp, int lane) {
        if constexpr (S::eights) {
            return lane / 4 * S::pitch + S::lead - S::apron + warp * S::columns + 8 * (lane % 4);
        } else {
            // Of bytes, two neighbouring chunks of 8 rows, then of the other 8; of words, 16 rows of a chunk, then of
            // its neighbour.
            const int row = S::bytes == 1 ? lane % 8 + lane / 16 * 8 : lane % 16;
            const int chunk = S::bytes == 1 ? lane / 8 % 2 : lane / 16;
            return row * S::pitch + (S::lead - S::apron + warp * S::columns) * S::bytes + 16 * chunk;
        }
    }

    __device__ __forceinline__ void fetch(const unsigned char* from, int lsb, unsigned max_value) {
        if constexpr (S::eights) {
#pragma unroll
            for (int tile = 0; tile < S::tiles; ++tile) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const uint2 two = *reinterpret_cast<const uint2*>(from + 16 * tile + 8 * half * S::pitch);
                    words[tile][half][0][0] = two.x;
                    words[tile][half][0][1] = two.y;
                }
            }
        } else if constexpr (S::bytes == 1) {
            static_assert(groups % 2 == 0);
#pragma unroll
            for (int group = 0; group < groups; group += 2) {
                std::uint32_t four[4];
                ldmatrix_x4(four, from + 16 * group);
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
                ldmatrix_x4(four, from + 32 * group);
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

    /// The same for windows of two blocks whose second one comes first. As another set of registers: an operand's are
    /// neighbours, and to move those of A once costs less than those of B each time.
    [[nodiscard]] __device__ __forceinline__ Bands swapped() const {
        static_assert(S::steps == 1);
        Bands other;
#pragma unroll
        for (int plane = 0; plane < S::planes; ++plane) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                other.words[plane][0][i] =
                    __shfl_sync(0xffffffff, words[plane][0][i ^ 2], static_cast<int>(threadIdx.x));
            }
        }
        return other;
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

/// The numbers of a term that the walk needs.
struct Numbers {
    std::int32_t start[4];  ///< what the products of the column pass are added to: the C operand, four times the same
    std::uint32_t row_scale[3];  ///< and the rest as in TensorTerm
    std::uint32_t row_start;

    /// From global memory, as the assembler would fetch parameters again and again rather than keep them.
    __device__ __forceinline__ void load(const uint4* from) {
        const uint4 first = from[0];
        const uint4 second = from[1];
        start[0] = static_cast<std::int32_t>(first.x);
        start[1] = static_cast<std::int32_t>(first.y);
        start[2] = static_cast<std::int32_t>(first.z);
        start[3] = static_cast<std::int32_t>(first.w);
        row_scale[0] = second.x;
        row_scale[1] = second.y;
        row_scale[2] = second.z;
        row_start = second.w;
    }
};

/// The sums by powers of 256 as one.
template <int weights>
[[nodiscard]] __device__ __forceinline__ std::uint32_t join(const std::int32_t (&sums)[weights][4], int i) {
    auto sum = static_cast<std::uint32_t>(sums[weights - 1][i]);
#pragma unroll
    for (int weight = weights - 2; weight >= 0; --weight) {
        sum = sum * 256 + static_cast<std::uint32_t>(sums[weight][i]);
    }
    return sum;
}

/// The row pass of one tile.
template <class S>
__device__ __forceinline__ Middle filter_rows(const Samples<S>& samples, int tile, const Bands<S>& bands,
                                              const Numbers& numbers) {
    constexpr bool exact = S::form == TapForm::exact_byte;
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
            if constexpr (exact) {
                mid[half][i] = join(sums, i);
                continue;
            }
            mid[half][i] = numbers.row_start;
#pragma unroll
            for (int weight = 0; weight < S::row_weights; ++weight) {
                mid[half][i] += static_cast<std::uint32_t>(sums[weight][i]) * numbers.row_scale[weight];
            }
        }
    }
    // Exact sums are intermediate samples as they are, others have them in their upper half.
    constexpr unsigned pairs = exact ? 0x5140 : 0x7362;
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

/// The column pass of one tile's half of columns. `newest`: which block of the window is its last.
template <class S, int newest>
__device__ __forceinline__ void filter_columns(std::int32_t (&results)[4], const Bands<S>& bands,
                                               const Numbers& numbers, const TensorTerm& term, int columns,
                                               const Middle (&window)[S::blocks]) {
    std::int32_t sums[S::column_weights][4] = {};
    if constexpr (S::form != TapForm::byte) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            sums[0][i] = numbers.start[i];
        }
    }
    constexpr int oldest = S::blocks == 2 ? 0 : (newest + 1) % S::blocks;  // of two, the bands are the other way round
    const auto block = [&](int i) -> const Middle& { return window[(oldest + i) % S::blocks]; };
    bands.template multiply<Sign::s8, 1>(sums, [&](int i) { return block(i).words[1][columns]; });
    bands.template multiply<Sign::u8, 0>(sums, [&](int i) { return block(i).words[0][columns]; });
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t sum = join(sums, i);
        results[i] = static_cast<std::int32_t>(S::form == TapForm::byte ? sum * term.column_scale + term.start : sum);
    }
}

/// Two neighbouring lanes change words: the even one gets both first words, the odd one both second words.
/// `own_second`: 0x7654 in odd lanes, 0x3210 in even ones, as a byte permutation of two words that takes one of them;
/// of a choice the compiler would make branches.
[[nodiscard]] __device__ __forceinline__ uint2 gather(std::uint32_t first, std::uint32_t second, unsigned own_second) {
    const std::uint32_t other = __shfl_xor_sync(0xffffffff, __byte_perm(second, first, own_second), 1);
    return make_uint2(__byte_perm(first, other, own_second), __byte_perm(other, second, own_second));
}

/// In global memory: the numbers, the bands of the row pass, those of the column pass.
template <class S>
inline constexpr int fragments_of_term = 2 + 2 * S::planes* S::steps * 32;

/// A warp's part of a strip: its intermediate samples, and where its results go.
template <class S>
struct Walk {
    using T = typename S::T;

    const PlaneParams& plane;
    const ChainFilter<S::terms>& filter;
    unsigned max_value;
    int lsb;
    int left;
    int y;                ///< of a lane's first result in the next 16 rows
    int rows;             ///< from there on that are to be stored
    unsigned own_second;  ///< see gather()
    bool second_tile;     ///< whether a lane stores something of it, of samples of 9 to 16 bits
    unsigned picked;      ///< which bytes of two sums are results
    int shift;
    unsigned char* to;
    std::int64_t half_pitch;  ///< bytes of 8 rows of results
    Numbers numbers[S::terms];
    Bands<S> row_bands[S::terms];
    Bands<S> column_bands[S::terms];
    Bands<S> swapped_bands[S::blocks == 2 ? S::terms : 1];  ///< of the column pass, for the other order of two blocks
    Middle middles[S::terms][S::tiles][S::blocks];

    /// Numbers and bands, from what the filter has for planes like this one.
    __device__ __forceinline__ void load(const uint4* fragments, int lane) {
#pragma unroll
        for (int term = 0; term < S::terms; ++term) {
            numbers[term].load(fragments);
            row_bands[term].load(fragments + 2, lane);
            column_bands[term].load(fragments + 2 + S::planes * S::steps * 32, lane);
            if constexpr (S::blocks == 2) {
                swapped_bands[term] = column_bands[term].swapped();
            }
            fragments += fragments_of_term<S>;
        }
    }

    /// The column pass of the window: results of 16 rows, to memory.
    template <int newest>
    __device__ __forceinline__ void make_results() {
        [[maybe_unused]] std::uint32_t packed[S::tiles][2];
#pragma unroll
        for (int tile = 0; tile < S::tiles; ++tile) {
            std::int32_t sums[S::terms][2][4];
#pragma unroll
            for (int term = 0; term < S::terms; ++term) {
#pragma unroll
                for (int columns = 0; columns < 2; ++columns) {
                    const Bands<S>& bands = S::blocks == 2 && newest == 0 ? swapped_bands[term] : column_bands[term];
                    filter_columns<S, newest>(sums[term][columns], bands, numbers[term], filter.terms[term], columns,
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
                if constexpr (S::finish == Finish::aligned) {
                    const auto pair = [&](int i) {
                        return __byte_perm(static_cast<std::uint32_t>(own[0][i]),
                                           static_cast<std::uint32_t>(own[0][i + 1]), picked);
                    };
                    packed[tile][half] = __byte_perm(pair(0), pair(2), 0x5410);
                    continue;
                }
                std::int32_t results[4];
                TensorEnd end = filter.end;
                end.shift = shift;
                finish<T, S::finish>(results, own, end, [&](std::uint32_t(&given)[4]) {
                    const int from = left + 16 * tile + static_cast<int>(threadIdx.x) % 4 * 4;
                    load_four<T>(given, plane.src + plane.src_pitch * min(y + 8 * half, plane.height - 1), from, plane,
                                 max_value);
                });
                if constexpr (S::bytes == 1) {
                    packed[tile][half] = pack_four(results);
                } else if (8 * half < rows && (tile == 0 || second_tile)) {
                    *reinterpret_cast<uint2*>(to + 32 * tile + half_pitch * half) = pack_four(results, lsb, max_value);
                }
            }
        }
        if constexpr (S::bytes == 1) {
            static_assert(S::tiles == 2);
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                const uint2 eight = gather(packed[0][half], packed[1][half], own_second);
                if (8 * half < rows) {
                    *reinterpret_cast<uint2*>(to + half_pitch * half) = eight;
                }
            }
        }
        y += 16;
        rows -= 16;
        to += 2 * half_pitch;
    }

    template <int newest>
    __device__ __forceinline__ void filter_rows_of(const Samples<S>& samples) {
#pragma unroll
        for (int tile = 0; tile < S::tiles; ++tile) {
#pragma unroll
            for (int term = 0; term < S::terms; ++term) {
                middles[term][tile][newest] = filter_rows<S>(samples, tile, row_bands[term], numbers[term]);
            }
        }
    }
};

/// The strip that a block makes.
struct Piece {
    int plane;
    int left;  ///< sample
    int top;
    int bottom;
    int height;  ///< of the plane
};

template <class S>
[[nodiscard]] __device__ __forceinline__ Piece own_piece(const ChainLaunch<S::terms>& launch) {
    const int number = static_cast<int>(blockIdx.x);
    // Without a loop, whose every turn would wait for the one before.
    int index = -1;
#pragma unroll
    for (int first : launch.first_blocks) {
        index += number >= first ? 1 : 0;
    }
    const Part& part = launch.parts[index];
    const int tile = number - part.first_block;
    const int band = part.inverse == 0 ? tile : static_cast<int>(__umulhi(static_cast<unsigned>(tile), part.inverse));
    // Edges take longest and come first: the last column before the others.
    const int column = tile - band * part.tiles_x;
    const int top = part.top + band * part.rows;
    return {part.plane, (column == 0 ? part.tiles_x - 1 : column - 1) * S::width, top,
            min(top + part.rows, part.bottom), part.height};
}

/// How a warp asks for the stages of a strip.
template <class S>
struct Loader {
    const ChainLaunch<S::terms>& launch;
    const Stages<S>& stages;
    Piece piece;
    int first_row;  ///< of stage 0
    int inside;     ///< stages from there on that end in the picture
    int lane;
#ifndef VFILTER_TENSOR_BOXES
    const PlaneParams& plane = launch.picture.planes[piece.plane];
    Strip<S> strip{plane, piece.left, lane};
    int pitch = static_cast<int>(plane.src_pitch);
#endif

    __device__ __forceinline__ void load(int number, int stage) const {
        const int y = first_row + S::stage_rows * number;
        if (number < inside && y >= 0) [[likely]] {
#ifdef VFILTER_TENSOR_BOXES
            if (lane == 0) {
                copy_box(stages.at(stage), S::stage_bytes, &launch.maps[piece.plane], piece.left - S::lead, y,
                         stages.filled(stage), 32);
            }
#else
            strip.load(stages.at(stage), plane.src, y, pitch);
            arrive_with_copies(stages.filled(stage));
#endif
            return;
        }
        Edge<S>::load(stages.at(stage), stages.filled(stage), piece.left, y, launch.picture.planes[piece.plane],
                      launch.picture);
    }
};

template <class S>
__global__ void __launch_bounds__(S::threads, S::resident)
    filter_chain(const __grid_constant__ ChainLaunch<S::terms> launch) {
#ifdef VFILTER_TENSOR_CORES
    extern __shared__ StageUnit shared[];
    const Stages<S> stages{reinterpret_cast<unsigned char*>(shared)};
    allow_next_kernel();

    const Picture& picture = launch.picture;
    const Piece piece = own_piece<S>(launch);
    const PlaneParams& plane = picture.planes[piece.plane];
    const ChainFilter<S::terms>& filter = launch.filters[plane.filter];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    // So the compiler knows that it is the same for all lanes.
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 32, 0);
    const int count = (piece.bottom - piece.top + 15) / 16 + S::blocks - 1;  // blocks of rows that are walked
    const int loads = (count + S::stage_blocks - 1) / S::stage_blocks;
    const int first_row = piece.top - S::apron;
    constexpr int ahead = S::stages - 1;
#ifdef VFILTER_TENSOR_BOXES
    const bool plain = launch.boxes;
#else
    const bool plain = (plane.samples * S::bytes % 16) == 0 || piece.left + S::width + S::lead <= plane.samples;
#endif
    const int inside = plain ? min(loads, (piece.height - first_row) / S::stage_rows) : 0;
    const Loader<S> loader{launch, stages, piece, first_row, inside, lane};
    // One warp asks for the first stages before the others know that there are any.
    if (warp == 0) {
        if (lane == 0) {
            stages.make();
        }
        __syncwarp();
        wait_for_kernel_before();
#pragma unroll 1
        for (int stage = 0; stage < min(ahead, loads); ++stage) {
            loader.load(stage, stage);
        }
    }

    const int left = piece.left + warp * S::columns;
    // What stands on the left is read by the first warp alone; on the right by others, too.
    const bool right = piece.left + S::width + S::apron > plane.samples;
    const bool patches = left < S::apron || (right && left < plane.samples &&
                                             (left + S::columns >= plane.samples || warp == S::warps - 1));
    // Of samples of 8 bits a lane stores eight of one tile.
    const int x = left + (S::bytes == 1 ? 16 * (lane & 1) + 4 * (lane & 2) : 4 * (lane % 4));
    const int y = piece.top + lane / 4;
    const auto picked = static_cast<unsigned>(filter.end.shift / 8 * 0x11 + 0x40);
    Walk<S> walk{plane,
                 filter,
                 picture.max_value,
                 plane.lsb,
                 left,
                 y,
                 x < plane.samples ? piece.bottom - y : 0,
                 (lane & 1) != 0 ? 0x7654U : 0x3210U,
                 x + 16 < plane.samples,
                 picked,
                 filter.end.shift,
                 plane.dst + plane.dst_pitch * y + std::int64_t{x} * S::bytes,
                 plane.dst_pitch * 8};
    walk.load(filter.fragments[plane.step - 1], lane);
    __syncthreads();
    wait_for_kernel_before();

    const int place = Samples<S>::place_of(warp, lane);
    unsigned phase = 0;
    int block = 0;  // of rows
    const auto step = [&]<int k>(std::integral_constant<int, k>) {
        constexpr int stage = k / S::stage_blocks;
        constexpr bool first_of_stage = k % S::stage_blocks == 0;
        constexpr bool last_of_stage = (k + 1) % S::stage_blocks == 0;
        unsigned char* const rows = stages.at(stage) + k % S::stage_blocks * 16 * S::pitch;
        if constexpr (first_of_stage) {
            wait_for_arrivals(stages.filled(stage), phase);
            if (patches) [[unlikely]] {
                Edge<S>::patch(stages.at(stage), first_row + 16 * block, piece.left, left, plane, picture);
            }
            if (right) [[unlikely]] {
                __syncthreads();
            }
        }
        Samples<S> samples;
        samples.fetch(rows + place, walk.lsb, walk.max_value);
        if constexpr (last_of_stage) {
            __syncwarp();
            if (lane == 0) {
                arrive(stages.left(stage));
            }
        }
        if constexpr (first_of_stage) {
            const int number = block / S::stage_blocks + ahead;
            if (number < loads && number % S::warps == warp) {
                constexpr int free = (stage + ahead) % S::stages;
                wait_for_arrivals(stages.left(free), stage == 0 ? phase ^ 1 : phase);
                loader.load(number, free);
            }
        }
        walk.template filter_rows_of<k % S::blocks>(samples);
        if (block >= S::blocks - 1) {
            walk.template make_results<k % S::blocks>();
        }
        ++block;
        return count - block;
    };
    const auto make_turn = [&]<int... k>(std::integer_sequence<int, k...>) {
        return ((step(std::integral_constant<int, k>()) != 0) && ...);
    };
#pragma unroll 1
    while (make_turn(std::make_integer_sequence<int, S::turn>())) {
        phase ^= 1;
    }
#else
    __trap();
#endif
}

}  // namespace vfilter::cuda
