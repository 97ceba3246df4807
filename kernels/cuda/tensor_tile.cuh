#pragma once
// Filters of large size, and of any number of terms, on tensor cores: the row pass goes to shared memory, the column
// pass comes from there.
//
// A block makes 64 columns of samples by a multiple of 64 rows of results. Both passes are products of a banded matrix
// of taps (A) and of samples (B), as in tensor_chain.cuh. A warp makes four tiles of 16 results that lie beside (row
// pass) or below each other (column pass) at once. What A has for a tile and 16 places of B depends on their distance
// alone, so that a band is kept as one matrix of 16 x 16 for every distance, `halves` of the 16 x 32 that are
// multiplied: tile i and places c of 16 want half c - i. From step to step, of 32 places, they move on through
// registers, and two new ones are read from shared memory.
//
// What the row pass leaves in a lane is, rounded and cut into bytes, a word of B of the column pass: shared memory has
// words in the order of lanes, and no two lanes meet in a bank.

#include "kernels/cuda/tensor_finish.cuh"
#include "kernels/cuda/tensor_launch.h"
#include "kernels/cuda/tensor_ops.cuh"

namespace vfilter::cuda {

inline constexpr int tile_columns = 64;  ///< of a block, in samples
inline constexpr int tile_group = 64;    ///< of results that a warp makes at once, of 16 columns
inline constexpr int tile_warps = 12;    ///< of a multiprocessor: what registers there are for
inline constexpr int tile_half = 32;     ///< of 16 bytes: one of every lane
inline constexpr int tile_block = 128;   ///< of 16 bytes that 16 rows of intermediate samples take

/// What is the same for all lanes of a term's pass.
struct TilePass {
    int halves;    ///< of the band, an even number, of which the last is 0
    int first;     ///< from a tile's first result to the first place of its band, in samples: a multiple of 4 in rows
    int low_bits;  ///< of wide taps
};

struct TileTerm {
    const uint4* bands;  ///< rows, then columns; of wide taps of either the low parts first
    TilePass rows;
    TilePass columns;
    int blocks_more;  ///< blocks of 16 rows that the column pass needs, less those that it makes
    TensorTerm numbers;
};

struct TileFilter {
    const TileTerm* terms[2];  ///< for planes with step 1 and 2
    int term_count;
    TensorEnd end;
};

struct TileLaunch {
    Picture picture;
    TileFilter filters[CudaConvolver::max_filters];
    int band_words;  ///< of 16 bytes
    int middle;      ///< where the intermediate samples begin, in the same
};

/// B of a step of 32 places: bytes of a sample, low first, two groups of 8 columns of B, two sixteens of places.
template <int bytes>
struct StepWords {
    std::uint32_t words[bytes][2][2];
};

/// Sums by powers of 256, of four tiles and two groups of 8 columns of B.
template <int weights>
using Sums = std::int32_t[weights][4][2][4];

/// A of a step for two tiles, of the low and the high byte of the taps.
struct StepTaps {
    std::uint32_t even[2][4];  ///< of tile 0, halves 2 s and 2 s + 1
    std::uint32_t odd[2][4];   ///< of tile 1, halves 2 s - 1 and 2 s
};

/// Adds the products of tiles first_tile and first_tile + 1.
template <int first_tile, Sign high_sign, int bytes>
__device__ __forceinline__ void multiply_two(Sums<bytes + 1>& sums, const StepTaps& taps, const StepWords<bytes>& b) {
#pragma unroll
    for (int byte = 0; byte < bytes; ++byte) {
#pragma unroll
        for (int plane = 0; plane < 2; ++plane) {
#pragma unroll
            for (int tile = first_tile; tile < first_tile + 2; ++tile) {
                const std::uint32_t(&a)[4] = tile == first_tile ? taps.even[plane] : taps.odd[plane];
#pragma unroll
                for (int n = 0; n < 2; ++n) {
                    const std::uint32_t(&own)[2] = b.words[byte][n];
                    std::int32_t(&to)[4] = sums[byte + plane][tile][n];
                    if (byte == 0) {
                        plane == 0 ? mma_k32<Sign::u8, Sign::u8>(to, a, own[0], own[1])
                                   : mma_k32<Sign::s8, Sign::u8>(to, a, own[0], own[1]);
                    } else {
                        plane == 0 ? mma_k32<Sign::u8, high_sign>(to, a, own[0], own[1])
                                   : mma_k32<Sign::s8, high_sign>(to, a, own[0], own[1]);
                    }
                }
            }
        }
    }
}

/// Adds a whole band's products. `band` is this lane's first word, `b.next(step)` the words of B.
template <Sign high_sign, int bytes>
__device__ __forceinline__ void sweep(Sums<bytes + 1>& sums, const uint4* band, int halves, auto& b) {
    const int steps = halves / 2;
    // Tiles 2 and 3 are where tiles 0 and 1 were a step before.
    const auto advance = [&](int step, StepTaps& taps, const StepTaps& before) {
        const StepWords<bytes> words = b.next(step);
        if (step < steps) {
#pragma unroll
            for (int plane = 0; plane < 2; ++plane) {
                const uint4 four = band[tile_half * (2 * step + plane)];
                taps.even[plane][0] = four.x;
                taps.even[plane][1] = four.y;
                taps.even[plane][2] = four.z;
                taps.even[plane][3] = four.w;
                taps.odd[plane][0] = before.even[plane][2];
                taps.odd[plane][1] = before.even[plane][3];
                taps.odd[plane][2] = four.x;
                taps.odd[plane][3] = four.y;
            }
            multiply_two<0, high_sign, bytes>(sums, taps, words);
        }
        if (step > 0) {
            multiply_two<2, high_sign, bytes>(sums, before, words);
        }
    };
    StepTaps first;
    StepTaps second = {};
#pragma unroll 1
    for (int step = 0; step <= steps; step += 2) {
        advance(step, first, second);
        if (step < steps) {
            advance(step + 1, second, first);
        }
    }
}

template <int weights>
__device__ __forceinline__ void clear(Sums<weights>& sums) {
#pragma unroll
    for (int weight = 0; weight < weights; ++weight) {
#pragma unroll
        for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
            for (int n = 0; n < 2; ++n) {
#pragma unroll
                for (std::int32_t& sum : sums[weight][tile][n]) {
                    sum = 0;
                }
            }
        }
    }
}

/// Makes the sums b over the low parts of wide taps what those over the high ones begin with, b >> low_bits.
template <int weights>
__device__ __forceinline__ void carry(Sums<weights>& sums, int low_bits) {
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
        for (int n = 0; n < 2; ++n) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                std::int64_t sum = 0;
#pragma unroll
                for (int weight = weights - 1; weight >= 0; --weight) {
                    sum = sum * 256 + sums[weight][tile][n][i];
                    sums[weight][tile][n][i] = 0;
                }
                sums[0][tile][n][i] = static_cast<std::int32_t>(sum >> low_bits);
            }
        }
    }
}

/// The word of the samples from x on, wherever they are, of a row, which is null where it is black.
template <class T>
__device__ __forceinline__ std::uint32_t word_anywhere(const unsigned char* line, const PlaneParams& plane,
                                                       const Picture& picture, int x) {
    constexpr int samples = 4 / sizeof(T);
    if (line == nullptr) {
        return black_word<T>(plane);
    }
    if (x >= 0 && x + samples <= plane.samples) {
        return *reinterpret_cast<const std::uint32_t*>(line + x * static_cast<int>(sizeof(T)));
    }
    const bool constant = picture.border == Border::constant;
    std::uint32_t word = 0;
#pragma unroll 1
    for (int i = samples - 1; i >= 0; --i) {
        const int pixel = plane.step == 1 ? x + i : (x + i) >> 1;
        const int from = fold(pixel, plane.width, plane.fold_x);
        const std::uint32_t sample =
            from != pixel && constant
                ? static_cast<std::uint32_t>(plane.black) << plane.lsb
                : reinterpret_cast<const T*>(line)[from * plane.step + (x + i - pixel * plane.step)];
        word = word << (8 * sizeof(T)) | sample;
    }
    return word;
}

/// B of the row pass: 16 rows of samples.
template <class T>
class SampleWords {
public:
    static constexpr int bytes = sizeof(T);

    /// From sample x, row y on, for that many places.
    __device__ __forceinline__ SampleWords(const PlaneParams& plane, const Picture& picture, int lane, int x, int y,
                                           int halves)
        : plane_(plane),
          picture_(picture),
          lsb_(plane.lsb),
          last_step_(halves / 2),
          x_(x + 4 * (lane % 4)),
          rows_{row_at(plane, picture, y + lane / 4), row_at(plane, picture, y + 8 + lane / 4)},
          inner_(x >= 0 && x + 16 * halves + 32 <= plane.samples &&
                 (picture.border != Border::constant || (y >= 0 && y + 16 <= plane.height))) {
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            coming_[i] = load(i);  // there are two steps at least
        }
    }

    __device__ __forceinline__ StepWords<bytes> next(int step) {
        const Raw raw = coming_[0];
#pragma unroll
        for (int i = 0; i + 1 < ahead; ++i) {
            coming_[i] = coming_[i + 1];
        }
        if (step + ahead <= last_step_) {
            coming_[ahead - 1] = load(step + ahead);
        }
        StepWords<bytes> made;
#pragma unroll
        for (int row = 0; row < 2; ++row) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                if constexpr (bytes == 1) {
                    made.words[0][row][half] = raw.words[row][half][0];
                } else {
                    const std::uint32_t mask = picture_.max_value * 0x00010001U;
                    const std::uint32_t first = (raw.words[row][half][0] >> lsb_) & mask;
                    const std::uint32_t second = (raw.words[row][half][1] >> lsb_) & mask;
                    made.words[0][row][half] = __byte_perm(first, second, 0x6420);
                    made.words[1][row][half] = __byte_perm(first, second, 0x7531);
                }
            }
        }
        return made;
    }

private:
    /// Steps that samples are asked for before they are multiplied: those of 16 bits have twice the products.
    static constexpr int ahead = bytes == 1 ? 2 : 1;
    /// Rows g and g + 8, two sixteens of places; four samples.
    struct Raw {
        std::uint32_t words[2][2][bytes];
    };

    __device__ __forceinline__ Raw load(int step) const {
        Raw raw = {};
        const int x = x_ + 32 * step;
        if (inner_) {
#pragma unroll
            for (int row = 0; row < 2; ++row) {
                const unsigned char* const from = rows_[row] + x * bytes;
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    load_words<0, 4 * bytes>(raw.words[row][half], from + 16 * bytes * half);
                }
            }
            return raw;
        }
        // One piece of code for all words, which move up for the next one to come in.
#pragma unroll 1
        for (int i = 0; i < 4 * bytes; ++i) {
            const int at = x + 16 * (i / bytes % 2) + i % bytes * (4 / bytes);
            const std::uint32_t word = word_anywhere<T>(i < 2 * bytes ? rows_[0] : rows_[1], plane_, picture_, at);
#pragma unroll
            for (int k = 0; k + 1 < 4 * bytes; ++k) {
                raw.words[k / bytes / 2][k / bytes % 2][k % bytes] =
                    raw.words[(k + 1) / bytes / 2][(k + 1) / bytes % 2][(k + 1) % bytes];
            }
            raw.words[1][1][bytes - 1] = word;
        }
        return raw;
    }

    const PlaneParams& plane_;
    const Picture& picture_;
    int lsb_;
    int last_step_;
    int x_;  ///< of this lane's first word
    const unsigned char* rows_[2];
    bool inner_;  ///< all of it is in the picture, or a row that is
    Raw coming_[ahead];
};

/// B of the column pass: 16 columns of intermediate samples. Shared memory has for every two blocks of 16 rows and 16
/// columns of theirs, bytes, low first, halves of the columns, lanes, and both blocks.
class MiddleWords {
public:
    static constexpr int of_columns = 4 * 32;    ///< words, of 8 bytes, of 16 columns
    static constexpr int pair = 4 * of_columns;  ///< and of all

    /// `first`: this lane's word of those columns in the first two blocks.
    __device__ __forceinline__ explicit MiddleWords(const uint2* first) : first_(first) {}

    __device__ __forceinline__ StepWords<2> next(int step) const {
        StepWords<2> made;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const uint2 two = first_[pair * step + 32 * i];
            made.words[i / 2][i % 2][0] = two.x;
            made.words[i / 2][i % 2][1] = two.y;
        }
        return made;
    }

private:
    const uint2* first_;
};

/// Rounds what the row pass has summed up and puts it where MiddleWords finds it. `to`: this lane's word of that block
/// in the first 16 columns.
template <int weights>
__device__ __forceinline__ void store_middle(std::uint32_t* to, const Sums<weights>& sums, const TensorTerm& numbers) {
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
        std::uint32_t mid[2][4];
#pragma unroll
        for (int n = 0; n < 2; ++n) {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                mid[n][i] = numbers.row_start;
#pragma unroll
                for (int weight = 0; weight < weights; ++weight) {
                    mid[n][i] += static_cast<std::uint32_t>(sums[weight][tile][n][i]) * numbers.row_scale[weight];
                }
            }
        }
        std::uint32_t words[2][2];
#pragma unroll
        for (int group = 0; group < 2; ++group) {
            const std::uint32_t first = __byte_perm(mid[0][2 * group], mid[0][2 * group + 1], 0x7362);
            const std::uint32_t second = __byte_perm(mid[1][2 * group], mid[1][2 * group + 1], 0x7362);
            words[0][group] = __byte_perm(first, second, 0x5410);
            words[1][group] = __byte_perm(first, second, 0x7632);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            to[2 * (MiddleWords::of_columns * tile + 32 * i)] = words[i / 2][i % 2];
        }
    }
}

/// Which part of a tile: 16 columns from x on and 64 rows from y on, of which those before `end` are stored.
struct TilePart {
    int x;
    int y;
    int end;
};

/// Adds a term to the sums of those before it, which are in `partial`, this lane's first word of the part, or makes
/// samples of them. `unsigned_sums`: those of a smoothing that may need 32 bits without a sign.
template <class T>
__device__ __forceinline__ void store_results(const Sums<3>& sums, std::uint32_t start, uint4* partial, bool first_term,
                                              bool last_term, bool unsigned_sums, const TensorEnd& end,
                                              const PlaneParams& plane, unsigned max_value, int lane,
                                              const TilePart& part) {
    const int x = part.x + 4 * (lane % 4);
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = part.y + lane / 4 + 16 * tile + 8 * half;
            // All terms before this one, and this one.
            std::int32_t own[2][4] = {};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const auto sum = [&](int weight) {
                    return static_cast<std::uint32_t>(sums[weight][tile][i / 2][2 * half + i % 2]);
                };
                own[1][i] = static_cast<std::int32_t>((sum(2) * 256 + sum(1)) * 256 + sum(0) + start);
            }
            uint4* const kept = partial + (2 * tile + half) * tile_half;
            if (!first_term) {
                const uint4 before = *kept;
                own[0][0] = static_cast<std::int32_t>(before.x);
                own[0][1] = static_cast<std::int32_t>(before.y);
                own[0][2] = static_cast<std::int32_t>(before.z);
                own[0][3] = static_cast<std::int32_t>(before.w);
            }
            if (!last_term) {
                const auto both = [&](int i) {
                    return static_cast<std::uint32_t>(own[0][i]) + static_cast<std::uint32_t>(own[1][i]);
                };
                *kept = make_uint4(both(0), both(1), both(2), both(3));
                continue;
            }
            std::int32_t results[4];
            if (unsigned_sums) {
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    results[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(own[1][i]) >> end.shift);
                }
            } else {
                finish<T, Finish::magnitude>(results, own, end, [&](std::uint32_t(&given)[4]) {
                    load_four<T>(given, plane.src + plane.src_pitch * min(row, plane.height - 1), x, plane, max_value);
                });
            }
            if (row < part.end && x < plane.samples) {
                unsigned char* const to = plane.dst + plane.dst_pitch * row + x * static_cast<int>(sizeof(T));
                if constexpr (sizeof(T) == 1) {
                    *reinterpret_cast<std::uint32_t*>(to) = pack_four(results);
                } else {
                    *reinterpret_cast<uint2*>(to) = pack_four(results, plane.lsb, max_value);
                }
            }
        }
    }
}

/// Shared memory: bands, where there are several terms the sums of those before, intermediate samples.
template <class T, bool wide>
__global__ void __launch_bounds__(32 * tile_warps, 1) filter_tile(const __grid_constant__ TileLaunch launch) {
#ifdef VFILTER_TENSOR_CORES
    extern __shared__ uint4 shared[];
    constexpr int bytes = sizeof(T);
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const TileFilter& filter = launch.filters[plane.filter];
    const int number = static_cast<int>(blockIdx.x) - plane.first_block;
    const int left = number % plane.tiles_x * tile_columns;
    const int top = number / plane.tiles_x * picture.tile_rows;
    const int rows = min(picture.tile_rows, plane.height - top);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    // So the compiler knows that it is the same for all lanes.
    const int warp = __shfl_sync(0xffffffff, static_cast<int>(threadIdx.x) / 32, 0);
    const int warps = static_cast<int>(blockDim.x) / 32;
    uint4* const partial = shared + launch.band_words + lane;
    uint2* const middle = reinterpret_cast<uint2*>(shared + launch.middle) + lane;
    const int parts = (rows + tile_group - 1) / tile_group * (tile_columns / 16);
    const int blocks = (rows + 15) / 16;

#pragma unroll 1
    for (int t = 0; t < filter.term_count; ++t) {
        const TileTerm& term = filter.terms[plane.step - 1][t];
        const TilePass of_rows = term.rows;
        const TilePass of_columns = term.columns;
        __syncthreads();  // the last term's bands and intermediate samples have been read
        const int band_words = (of_rows.halves + of_columns.halves) * tile_half * (wide ? 2 : 1);
        for (int i = static_cast<int>(threadIdx.x); i < band_words; i += static_cast<int>(blockDim.x)) {
            shared[i] = term.bands[i];
        }
        __syncthreads();

        const uint4* row_band = shared + lane;
        const uint4* column_band = row_band + of_rows.halves * tile_half * (wide ? 2 : 1);
#pragma unroll 1
        for (int block = warp; block < blocks + term.blocks_more; block += warps) {
            Sums<bytes + 1> row_sums;
            clear<bytes + 1>(row_sums);
            const auto add = [&](const uint4* band) {
                SampleWords<T> samples(plane, picture, lane, left + of_rows.first, top + of_columns.first + 16 * block,
                                       of_rows.halves);
                sweep<Sign::u8, bytes>(row_sums, band, of_rows.halves, samples);
            };
            if constexpr (wide) {
                add(row_band);
                carry<bytes + 1>(row_sums, of_rows.low_bits);
                add(row_band + of_rows.halves * tile_half);
            } else {
                add(row_band);
            }
            store_middle<bytes + 1>(
                reinterpret_cast<std::uint32_t*>(middle + block / 2 * MiddleWords::pair) + block % 2, row_sums,
                term.numbers);
        }
        __syncthreads();

#pragma unroll 1
        for (int part = warp; part < parts; part += warps) {
            Sums<3> sums;
            clear<3>(sums);
            MiddleWords words(middle + part / 4 * (tile_group / 32) * MiddleWords::pair +
                              part % 4 * MiddleWords::of_columns);
            if constexpr (wide) {
                sweep<Sign::s8, 2>(sums, column_band, of_columns.halves, words);
                carry<3>(sums, of_columns.low_bits);
                sweep<Sign::s8, 2>(sums, column_band + of_columns.halves * tile_half, of_columns.halves, words);
            } else {
                sweep<Sign::s8, 2>(sums, column_band, of_columns.halves, words);
            }
            store_results<T>(sums, term.numbers.start, partial + part * 8 * tile_half, t == 0,
                             t + 1 == filter.term_count, wide && of_columns.low_bits > 0, filter.end, plane,
                             picture.max_value, lane, {left + part % 4 * 16, top + part / 4 * tile_group, top + rows});
        }
    }
#else
    __trap();
#endif
}

}  // namespace vfilter::cuda
