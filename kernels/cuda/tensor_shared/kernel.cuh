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
// words in the order of lanes.

#include <type_traits>

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
    int steps;     ///< halves of the band, of which the last is 0, by twos
    int first;     ///< from a tile's first result to the first place of its band, in samples: a multiple of 4 in rows
    int low_bits;  ///< of wide taps
};

struct TileTerm {
    const uint4* bands;  ///< rows, then columns; of wide taps of either the low parts first
    TilePass rows;
    TilePass columns;
    int row_down;     ///< by what the row pass's sums are shifted down once they are scaled
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
    int partial;     ///< where the sums of earlier terms begin, in the same, behind the samples' sources
    int middle;      ///< and where the intermediate samples do
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
__device__ __forceinline__ void sweep(Sums<bytes + 1>& sums, const uint4* band, int steps, auto& b) {
    [[maybe_unused]] constexpr int unrolled = bytes == 1 ? 2 : 1;  // what is left of registers
    StepTaps taps = {};
    const auto load = [&](int step) {
#pragma unroll
        for (int plane = 0; plane < 2; ++plane) {
            const uint4 four = band[tile_half * (2 * step + plane)];
            taps.odd[plane][0] = taps.even[plane][2];
            taps.odd[plane][1] = taps.even[plane][3];
            taps.odd[plane][2] = four.x;
            taps.odd[plane][3] = four.y;
            taps.even[plane][0] = four.x;
            taps.even[plane][1] = four.y;
            taps.even[plane][2] = four.z;
            taps.even[plane][3] = four.w;
        }
    };
    load(0);
    multiply_two<0, high_sign, bytes>(sums, taps, b.next(0));
    // Tiles 2 and 3 are where tiles 0 and 1 were a step before.
#pragma unroll unrolled
    for (int step = 1; step < steps; ++step) {
        const StepWords<bytes> words = b.next(step);
        multiply_two<2, high_sign, bytes>(sums, taps, words);
        load(step);
        multiply_two<0, high_sign, bytes>(sums, taps, words);
    }
    multiply_two<2, high_sign, bytes>(sums, taps, b.next(steps));
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

/// The sample that stands at x, or -1 for black.
__device__ __forceinline__ int source_of(const PlaneParams& plane, const Picture& picture, int x) {
    const int pixel = plane.step == 1 ? x : x >> 1;
    if (static_cast<unsigned>(pixel) < static_cast<unsigned>(plane.width)) {
        return x;
    }
    return picture.border == Border::constant
               ? -1
               : fold(pixel, plane.width, plane.fold_x) * plane.step + (x - pixel * plane.step);
}

/// The samples that stand at four neighbouring places of a row, which is null where it is black.
template <class T>
__device__ __forceinline__ void load_sources(std::uint32_t (&words)[sizeof(T)], const unsigned char* line,
                                             const int4& sources, const PlaneParams& plane) {
    constexpr int bytes = sizeof(T);
    const T* const samples = reinterpret_cast<const T*>(line);
    const std::uint32_t black = static_cast<std::uint32_t>(plane.black) << plane.lsb;
    if (line == nullptr) {
#pragma unroll
        for (std::uint32_t& word : words) {
            word = black_word<T>(plane);
        }
    } else if (sources.x >= 0 && sources.x % 4 == 0 && sources.w == sources.x + 3) {
        load_words<0, 4 * bytes>(words, line + sources.x * bytes);
    } else {
        const auto at = [&](int source) { return source < 0 ? black : static_cast<std::uint32_t>(samples[source]); };
        const std::uint32_t four[4] = {at(sources.x), at(sources.y), at(sources.z), at(sources.w)};
        if constexpr (bytes == 1) {
            words[0] =
                __byte_perm(__byte_perm(four[0], four[1], 0x0040), __byte_perm(four[2], four[3], 0x0040), 0x5410);
        } else {
            words[0] = __byte_perm(four[0], four[1], 0x5410);
            words[1] = __byte_perm(four[2], four[3], 0x5410);
        }
    }
}

/// B of the row pass: 16 rows of samples. `inner`: all that is asked for is in the picture, or in a row that is.
template <class T, bool inner>
class SampleWords {
public:
    static constexpr int bytes = sizeof(T);
    /// Steps that samples are asked for before they are multiplied: those of 16 bits have twice the products. Inner
    /// ones are asked for that many more than there are.
    static constexpr int ahead = bytes == 1 ? 2 : 1;

    /// From sample x, row y on. `sources`: what stands at these places and those behind them, four by four.
    __device__ __forceinline__ SampleWords(const PlaneParams& plane, const Picture& picture, int lane, int x, int y,
                                           int steps, const int4* sources)
        : plane_(plane),
          picture_(picture),
          lsb_(plane.lsb),
          last_step_(steps),
          rows_{row_at(plane, picture, y + lane / 4), row_at(plane, picture, y + 8 + lane / 4)},
          sources_(sources + lane % 4) {
        if constexpr (inner) {
            rows_[0] += (x + 4 * (lane % 4)) * bytes;
            rows_[1] += (x + 4 * (lane % 4)) * bytes;
        }
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            coming_[i] = load();  // there are two steps at least
        }
    }

    /// Those of one step after the other.
    __device__ __forceinline__ StepWords<bytes> next(int step) {
        const Raw raw = coming_[0];
#pragma unroll
        for (int i = 0; i + 1 < ahead; ++i) {
            coming_[i] = coming_[i + 1];
        }
        if (inner || step + ahead <= last_step_) {
            coming_[ahead - 1] = load();
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
    /// Rows g and g + 8, two sixteens of places; four samples.
    struct Raw {
        std::uint32_t words[2][2][bytes];
    };

    __device__ __forceinline__ Raw load() {
        Raw raw = {};
        if constexpr (inner) {
#pragma unroll
            for (int row = 0; row < 2; ++row) {
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    load_words<0, 4 * bytes>(raw.words[row][half], rows_[row] + 16 * bytes * half);
                }
                rows_[row] += 32 * bytes;
            }
        } else {
            // One piece of code for all words, which move up for the next ones to come in.
#pragma unroll 1
            for (int i = 0; i < 4; ++i) {
                std::uint32_t words[bytes];
                load_sources<T>(words, i < 2 ? rows_[0] : rows_[1], sources_[4 * (i % 2)], plane_);
#pragma unroll
                for (int word = 0; word < bytes; ++word) {
                    raw.words[0][0][word] = raw.words[0][1][word];
                    raw.words[0][1][word] = raw.words[1][0][word];
                    raw.words[1][0][word] = raw.words[1][1][word];
                    raw.words[1][1][word] = words[word];
                }
            }
            sources_ += 8;
        }
        return raw;
    }

    const PlaneParams& plane_;
    const Picture& picture_;
    int lsb_;
    int last_step_;
    const unsigned char* rows_[2];  ///< if `inner`, what is loaded next
    const int4* sources_;
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
__device__ __forceinline__ void store_middle(std::uint32_t* to, const Sums<weights>& sums, const TensorTerm& numbers,
                                             int down) {
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
                mid[n][i] = static_cast<std::uint32_t>(static_cast<std::int32_t>(mid[n][i]) >> down);
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
    // Of eight rows, by fours.
    std::uint32_t all[8][4];
#pragma unroll
    for (int tile = 0; tile < 4; ++tile) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const auto sum = [&](int weight) {
                return static_cast<std::uint32_t>(sums[weight][tile][i % 4 / 2][i / 4 * 2 + i % 2]);
            };
            all[2 * tile + i / 4][i % 4] = (sum(2) * 256 + sum(1)) * 256 + sum(0) + start;
        }
    }
    const int samples = plane.samples;
    const int lsb = plane.lsb;
    int rows_left = part.end - part.y - lane / 4;
    unsigned char* to = plane.dst + plane.dst_pitch * (part.y + lane / 4) + static_cast<std::int64_t>(sizeof(T)) * x;
    const std::int64_t eight_rows = 8 * plane.dst_pitch;
    const auto store = [&](const std::int32_t(&results)[4]) {
        if constexpr (sizeof(T) == 1) {
            *reinterpret_cast<std::uint32_t*>(to) = pack_four(results);
        } else {
            *reinterpret_cast<uint2*>(to) = pack_four(results, lsb, max_value);
        }
    };
    // What is the same for all threads is asked once: this is what most filters are.
    if (first_term && last_term && end.ending == TensorEnding::sum && end.gain == 0) {
        const std::int32_t shift = end.shift;
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            std::int32_t results[4];
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                results[k] = unsigned_sums ? static_cast<std::int32_t>(all[i][k] >> shift)
                                           : static_cast<std::int32_t>(all[i][k]) >> shift;
            }
            if (8 * i < rows_left && x < samples) {
                store(results);
            }
            to += eight_rows;
        }
        return;
    }
    const TensorEnd numbers = end;
    // One piece of code for all of them, which move up.
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
        // All terms before this one, and this one.
        std::int32_t own[2][4] = {};
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            own[1][k] = static_cast<std::int32_t>(all[0][k]);
#pragma unroll
            for (int next = 1; next < 8; ++next) {
                all[next - 1][k] = all[next][k];
            }
        }
        uint4* const kept = partial + i * tile_half;
        if (!first_term) {
            const uint4 before = *kept;
            own[0][0] = static_cast<std::int32_t>(before.x);
            own[0][1] = static_cast<std::int32_t>(before.y);
            own[0][2] = static_cast<std::int32_t>(before.z);
            own[0][3] = static_cast<std::int32_t>(before.w);
        }
        if (!last_term) {
            const auto both = [&](int k) {
                return static_cast<std::uint32_t>(own[0][k]) + static_cast<std::uint32_t>(own[1][k]);
            };
            *kept = make_uint4(both(0), both(1), both(2), both(3));
            continue;
        }
        if (8 * i < rows_left && x < samples) {
            std::int32_t results[4];
            finish<T, Finish::magnitude>(results, own, numbers, [&](std::uint32_t(&given)[4]) {
                load_four<T>(given, plane.src + plane.src_pitch * (part.y + lane / 4 + 8 * i), x, plane, max_value);
            });
            store(results);
        }
        to += eight_rows;
    }
}

/// Shared memory: bands, what stands at the places of the row pass, where there are several terms the sums of those
/// before, intermediate samples.
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
    int4* const sources = reinterpret_cast<int4*>(shared + launch.band_words);
    uint4* const partial = shared + launch.partial + lane;
    uint2* const middle = reinterpret_cast<uint2*>(shared + launch.middle) + lane;
    const int parts = (rows + tile_group - 1) / tile_group * (tile_columns / 16);
    const int blocks = (rows + 15) / 16;

#pragma unroll 1
    for (int t = 0; t < filter.term_count; ++t) {
        const TileTerm& term = filter.terms[plane.step - 1][t];
        const TilePass of_rows = term.rows;
        const TilePass of_columns = term.columns;
        __syncthreads();  // the last term's bands and intermediate samples have been read
        const int band_words = (of_rows.steps + of_columns.steps) * 2 * tile_half * (wide ? 2 : 1);
        for (int i = static_cast<int>(threadIdx.x); i < band_words; i += static_cast<int>(blockDim.x)) {
            shared[i] = term.bands[i];
        }
        const int first_x = left + of_rows.first;
        const int places = 32 * (of_rows.steps + 1);
        const bool inner = first_x >= 0 && first_x + places + 32 * SampleWords<T, true>::ahead <= plane.samples;
        if (!inner || picture.border == Border::constant) {
            for (int i = static_cast<int>(threadIdx.x); i < places; i += static_cast<int>(blockDim.x)) {
                reinterpret_cast<int*>(sources)[i] = source_of(plane, picture, first_x + i);
            }
        }
        __syncthreads();

        const uint4* row_band = shared + lane;
        const uint4* column_band = row_band + of_rows.steps * 2 * tile_half * (wide ? 2 : 1);
#pragma unroll 1
        for (int block = warp; block < blocks + term.blocks_more; block += warps) {
            Sums<bytes + 1> row_sums;
            clear<bytes + 1>(row_sums);
            const int first_y = top + of_columns.first + 16 * block;
            const auto make = [&]<bool all_inner>(std::bool_constant<all_inner>) {
                const auto add = [&](const uint4* band) {
                    SampleWords<T, all_inner> samples(plane, picture, lane, first_x, first_y, of_rows.steps, sources);
                    sweep<Sign::u8, bytes>(row_sums, band, of_rows.steps, samples);
                };
                if constexpr (wide) {
                    add(row_band);
                    carry<bytes + 1>(row_sums, of_rows.low_bits);
                    add(row_band + of_rows.steps * 2 * tile_half);
                } else {
                    add(row_band);
                }
            };
            if (inner && (picture.border != Border::constant || (first_y >= 0 && first_y + 16 <= plane.height))) {
                make(std::true_type());
            } else {
                make(std::false_type());
            }
            store_middle<bytes + 1>(
                reinterpret_cast<std::uint32_t*>(middle + block / 2 * MiddleWords::pair) + block % 2, row_sums,
                term.numbers, term.row_down);
        }
        __syncthreads();

#pragma unroll 1
        for (int part = warp; part < parts; part += warps) {
            Sums<3> sums;
            clear<3>(sums);
            MiddleWords words(middle + part / 4 * (tile_group / 32) * MiddleWords::pair +
                              part % 4 * MiddleWords::of_columns);
            if constexpr (wide) {
                sweep<Sign::s8, 2>(sums, column_band, of_columns.steps, words);
                carry<3>(sums, of_columns.low_bits);
                sweep<Sign::s8, 2>(sums, column_band + of_columns.steps * 2 * tile_half, of_columns.steps, words);
            } else {
                sweep<Sign::s8, 2>(sums, column_band, of_columns.steps, words);
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
