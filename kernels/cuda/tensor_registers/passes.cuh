#pragma once
// The row and the column pass of a tile, from fragments to fragments.

#include <utility>

#include "kernels/cuda/tensor_registers/edge.cuh"

namespace vfilter::cuda::tensor_registers {

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
            return lane / 4 * S::pitch + S::lead - S::halo + warp * S::columns + 8 * (lane % 4);
        } else {
            // Of bytes, two neighbouring chunks of 8 rows, then of the other 8; of words, 16 rows of a chunk, then of
            // its neighbour.
            const int row = S::bytes == 1 ? lane % 8 + lane / 16 * 8 : lane % 16;
            const int chunk = S::bytes == 1 ? lane / 8 % 2 : lane / 16;
            return row * S::pitch + (S::lead - S::halo + warp * S::columns) * S::bytes + 16 * chunk;
        }
    }

    __device__ __forceinline__ void fetch(const unsigned char* from, int lsb, unsigned max_value) {
        if constexpr (S::eights) {
#pragma unroll
            for (int tile = 0; tile < S::tiles; ++tile) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
#pragma unroll
                    for (int group = 0; group < groups; group += 2) {
                        const uint2 two =
                            *reinterpret_cast<const uint2*>(from + 16 * (tile + group) + 8 * half * S::pitch);
                        words[tile][half][0][group] = two.x;
                        words[tile][half][0][group + 1] = two.y;
                    }
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

/// One pass of a filter as the A operand, for windows of that many blocks.
template <class S, int blocks>
struct Bands {
    static constexpr int steps = (blocks + 1) / 2;
    static constexpr bool half_step = blocks % 2 != 0;  ///< the last one has 16 rows of B
    static constexpr int fragments = S::planes * steps * 32;
    std::uint32_t words[S::planes][steps][4];

    __device__ __forceinline__ void load(const uint4* from, int lane) {
#pragma unroll
        for (int plane = 0; plane < S::planes; ++plane) {
#pragma unroll
            for (int step = 0; step < steps; ++step) {
                const uint4 four = from[(plane * steps + step) * 32 + lane];
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
        static_assert(steps == 1);
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
        for (int step = 0; step < steps; ++step) {
            if (half_step && step == steps - 1) {
                const std::uint32_t half[2] = {words[plane][step][0], words[plane][step][1]};
                mma_m16n8k16<sign(plane), b_sign>(sums, half, b(2 * step));
            } else {
                mma_m16n8k32<sign(plane), b_sign>(sums, words[plane][step], b(2 * step), b(2 * step + 1));
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
    std::uint32_t row_scale[3];  ///< and the rest as in TermNumbers
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
__device__ __forceinline__ Middle filter_rows(const Samples<S>& samples, int tile, const Bands<S, S::blocks>& bands,
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
__device__ __forceinline__ void filter_columns(std::int32_t (&results)[4], const Bands<S, S::down>& bands,
                                               const Numbers& numbers, const TermNumbers& term, int columns,
                                               const Middle (&window)[S::down]) {
    std::int32_t sums[S::column_weights][4] = {};
    if constexpr (S::form != TapForm::byte) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            sums[0][i] = numbers.start[i];
        }
    }
    constexpr int oldest = S::down == 2 ? 0 : (newest + 1) % S::down;  // of two, the bands are the other way round
    const auto block = [&](int i) -> const Middle& { return window[(oldest + i) % S::down]; };
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

}  // namespace vfilter::cuda::tensor_registers
