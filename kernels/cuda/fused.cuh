#pragma once
// Rows and columns in one kernel, for one radius: a block makes a tile's intermediate rows in shared memory, then its
// results from there.
//
// Against the contract's text nothing changes but the form, and every step is exact:
// - The intermediate is not centred. The taps of a pass sum to a power of two, so what centring takes away comes back
//   as the same number, and an unsigned 16-bit word holds it; sums stay below 2^32 as unsigned numbers.
// - With taps >= 0 that sum to 2^scale no result is above the largest sample: nothing is left to clamp.
// - Taps are multiplied by a power of two, half and shift with them, where that puts the result at the upper end of a
//   word.
// - Taps are symmetric: two samples are added before they are multiplied. A multiplication takes one of the two integer
//   pipes of an SM, an addition the other. Rows of bytes are multiplied two by two (dp2a) instead, and four by four
//   (dp4a) where the taps are whole multiples of the intermediate's unit that fit a byte, as those of OpenCV's
//   Gaussians 3, 5 and 7 are.

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "kernels/cuda/load.cuh"

namespace vfilter::cuda {

constexpr int threads = 256;
constexpr int tile_columns = 128;  // samples
constexpr int group = 8;           // results of the row pass that one thread makes at a time

template <class T, int R>
struct Taps;

template <int R>
struct Taps<std::uint8_t, R> {
    std::uint32_t row_even[R + 1];  ///< two taps a word, for windows that begin at an even byte
    std::uint32_t row_odd[R + 1];   ///< the same, one position later
    std::uint32_t row_half;
    std::uint32_t row_shift;      ///< byte_row_shift for the radii of byte_shifted
    std::uint32_t column[R + 1];  ///< by distance from the middle
    std::uint32_t column_half;
    /// Four taps a word, for windows that begin at byte 0, 1, 2 and 3 of one; nothing is rounded then.
    std::uint32_t row_quads[4][(2 * R + 7) / 4];
    std::uint32_t use_quads;
    /// Taps for two neighbouring columns in one word, with a result in the upper byte of each half, where every sum
    /// fits 16 bits: OpenCV's Gaussians 3 and 5. The quads are then without their common factor.
    std::uint32_t word_column[R + 1];
    std::uint32_t use_words;
};

template <int R>
struct Taps<std::uint16_t, R> {
    std::uint32_t row[R + 1];
    std::uint32_t row_half;
    std::uint32_t column[R + 1];
    std::uint32_t column_half;
};

/// Bits to the right of the result in the column pass's sum: fixed for bytes; for words the result is at the upper end.
constexpr int byte_column_shift = 24;
/// The same for the row pass of short convolutions of bytes: a whole number of bytes, so that nothing is shifted at
/// all.
constexpr int byte_row_shift = 8;
template <class T, int R>
inline constexpr bool byte_shifted = sizeof(T) == 1 && R <= 3;
template <class T, int R>
inline constexpr bool has_words = sizeof(T) == 1 && R <= 2;

template <class T, int R>
struct Launch {
    Picture picture;
    Taps<T, R> taps[CudaConvolver::max_convolutions];
};

template <class T, int R>
struct Shape {
    static constexpr int per_word = 4 / static_cast<int>(sizeof(T));
    // Rounded so that all but the shortest lines begin where 8 bytes may be loaded at once.
    static constexpr int apron = R <= per_word ? per_word : (R + 2 * per_word - 1) / (2 * per_word) * (2 * per_word);
    static constexpr int words = (group + 2 * apron) / per_word;
    static constexpr int words_ahead = R <= 3 ? 20 : 36;  // registers for what is on its way
    // The column pass: neighbouring columns and rows of one thread.
    static constexpr int columns = R <= 4 ? 4 : 2;
    static constexpr int rows = 8;
    static constexpr int rows_at_once = threads / (tile_columns / columns) * rows;
    // Blocks of a multiprocessor at once, which bounds the registers.
    static constexpr int blocks = R <= 2                            ? 4
                                  : R <= (sizeof(T) == 1 ? 15 : 7)  ? 3
                                  : R <= (sizeof(T) == 1 ? 63 : 31) ? 2
                                                                    : 1;
};

/// The row pass for one group of bytes, with taps four by four.
template <int R>
__device__ __forceinline__ void filter_quads(const std::uint32_t (&words)[Shape<std::uint8_t, R>::words],
                                             std::uint32_t (&mid)[group], const Taps<std::uint8_t, R>& taps) {
#pragma unroll
    for (int i = 0; i < group; ++i) {
        constexpr int apron = Shape<std::uint8_t, R>::apron;
        const int begin = apron - R + i;
        const int phase = begin % 4;
        mid[i] = 0;
#pragma unroll
        for (int word = 0; 4 * word < phase + 2 * R + 1; ++word) {
            mid[i] = __dp4a(taps.row_quads[phase][word], words[begin / 4 + word], mid[i]);
        }
    }
}

/// The row pass for one group of bytes: `words` begin `apron` samples before the group.
template <int R>
__device__ __forceinline__ void filter_row(const std::uint32_t (&words)[Shape<std::uint8_t, R>::words],
                                           std::uint32_t (&mid)[group], const Taps<std::uint8_t, R>& taps,
                                           const PlaneParams&, unsigned) {
    constexpr int apron = Shape<std::uint8_t, R>::apron;
#pragma unroll
    for (int i = 0; i < group; ++i) {
        mid[i] = taps.row_half;
    }
#pragma unroll
    for (int pair = 0; pair <= R; ++pair) {
#pragma unroll
        for (int i = 0; i < group; ++i) {
            const int begin = apron - R + i;
            const int byte = begin / 2 * 2 + 2 * pair;
            const std::uint32_t two = begin % 2 == 0 ? taps.row_even[pair] : taps.row_odd[pair];
            mid[i] = byte % 4 == 0 ? __dp2a_lo(two, words[byte / 4], mid[i]) : __dp2a_hi(two, words[byte / 4], mid[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < group; ++i) {
        if constexpr (!byte_shifted<std::uint8_t, R>) {
            mid[i] >>= taps.row_shift;
        }
    }
}

/// The same for 16-bit samples.
template <int R>
__device__ __forceinline__ void filter_row(const std::uint32_t (&words)[Shape<std::uint16_t, R>::words],
                                           std::uint32_t (&mid)[group], const Taps<std::uint16_t, R>& taps,
                                           const PlaneParams& plane, unsigned max_value) {
    constexpr int apron = Shape<std::uint16_t, R>::apron;
    std::uint32_t samples[group + 2 * R];
#pragma unroll
    for (int i = 0; i < group + 2 * R; ++i) {
        const int at = i + apron - R;
        samples[i] = (words[at / 2] >> (plane.lsb + at % 2 * 16)) & max_value;
    }
#pragma unroll
    for (int i = 0; i < group; ++i) {
        mid[i] = taps.row_half + taps.row[0] * samples[i + R];
    }
#pragma unroll
    for (int j = 1; j <= R; ++j) {
#pragma unroll
        for (int i = 0; i < group; ++i) {
            mid[i] += taps.row[j] * (samples[i + R - j] + samples[i + R + j]);
        }
    }
}

/// Interleaved components apart: `both` has twice the words of each.
template <class T, int words>
__device__ __forceinline__ void part(const std::uint32_t (&both)[2 * words], std::uint32_t (&first)[words],
                                     std::uint32_t (&second)[words]) {
#pragma unroll
    for (int i = 0; i < words; ++i) {
        first[i] = __byte_perm(both[2 * i], both[2 * i + 1], sizeof(T) == 1 ? 0x6420 : 0x5410);
        second[i] = __byte_perm(both[2 * i], both[2 * i + 1], sizeof(T) == 1 ? 0x7531 : 0x7632);
    }
}

__device__ __forceinline__ std::uint32_t pack(std::uint32_t low, std::uint32_t high) {
    return __byte_perm(low, high, 0x5410);
}

/// Two intermediate samples as the row pass leaves them.
template <class T, int R, bool quads>
__device__ __forceinline__ std::uint32_t join(std::uint32_t low, std::uint32_t high) {
    return __byte_perm(low, high, sizeof(T) == 2 ? 0x7632 : byte_shifted<T, R> && !quads ? 0x6521 : 0x5410);
}

template <class T, int R, bool quads, int words>
__device__ __forceinline__ void filter_group(const std::uint32_t (&line)[words], std::uint32_t (&mid)[group],
                                             const Taps<T, R>& taps, const PlaneParams& plane, unsigned max_value) {
    if constexpr (quads) {
        filter_quads<R>(line, mid, taps);
    } else {
        filter_row<R>(line, mid, taps, plane, max_value);
    }
}

/// The results of the row pass for the words of one line, as they lie in the intermediate row.
template <class T, int R, int step, bool quads, int words>
__device__ __forceinline__ void filter_line(std::uint16_t* to, const std::uint32_t (&line)[words],
                                            const Taps<T, R>& taps, const PlaneParams& plane, unsigned max_value) {
    auto* const four = reinterpret_cast<uint4*>(to);
    if constexpr (step == 1) {
        std::uint32_t a[group];
        filter_group<T, R, quads>(line, a, taps, plane, max_value);
        four[0] = make_uint4(join<T, R, quads>(a[0], a[1]), join<T, R, quads>(a[2], a[3]),
                             join<T, R, quads>(a[4], a[5]), join<T, R, quads>(a[6], a[7]));
    } else {
        std::uint32_t first[words / 2];
        std::uint32_t second[words / 2];
        part<T, words / 2>(line, first, second);
        std::uint32_t a[group];
        std::uint32_t b[group];
        filter_group<T, R, quads>(first, a, taps, plane, max_value);
        filter_group<T, R, quads>(second, b, taps, plane, max_value);
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            four[i] = make_uint4(join<T, R, quads>(a[4 * i], b[4 * i]), join<T, R, quads>(a[4 * i + 1], b[4 * i + 1]),
                                 join<T, R, quads>(a[4 * i + 2], b[4 * i + 2]),
                                 join<T, R, quads>(a[4 * i + 3], b[4 * i + 3]));
        }
    }
}

/// How the row pass divides a tile among threads.
template <class T, int R, int step>
struct Lines {
    using S = Shape<T, R>;
    static constexpr int samples = step * group;  ///< of one thread
    static constexpr int apron = step * S::apron;
    static constexpr int words = step * S::words;
    static constexpr int threads_per_row = tile_columns / samples;
    static constexpr int rows_at_once = threads / threads_per_row;
};

/// Intermediate rows of a tile: `count` of them from row `top` on, the first at mid[0].
template <class T, int R, int step, bool quads>
__device__ __forceinline__ void row_pass(std::uint16_t* mid, const Taps<T, R>& taps, const PlaneParams& plane,
                                         const Picture& picture, int left, int top, int count) {
    using L = Lines<T, R, step>;
    constexpr int bytes = static_cast<int>(sizeof(T));
    // So many lines are asked for before the first one is worked on.
    constexpr int ahead = std::max(1, Shape<T, R>::words_ahead / L::words);
    // The groups of a line that read nothing from outside of it: from `first` to before `last`.
    const int groups = (min(tile_columns, plane.samples - left) + L::samples - 1) / L::samples;
    const int first = min(max((L::apron - left + L::samples - 1) / L::samples, 0), groups);
    const int last = max(min((plane.samples - L::apron - left) / L::samples, groups), first);

    const bool rows_inside = top >= 0 && top + count <= plane.height;
    const int own = static_cast<int>(threadIdx.x) % L::threads_per_row;
    if (own >= first && own < last) {
        const int from = (left + own * L::samples - L::apron) * bytes;
        std::uint16_t* const to = mid + own * L::samples;
        for (int row = static_cast<int>(threadIdx.x) / L::threads_per_row; row < count;
             row += ahead * L::rows_at_once) {
            std::uint32_t lines[ahead][L::words];
            // One row too many is read again rather than asked about: so all loads stand together.
            const auto row_of = [&](int i) { return top + min(row + i * L::rows_at_once, count - 1); };
            if (rows_inside) {
#pragma unroll
                for (int i = 0; i < ahead; ++i) {
                    load_words<L::apron * bytes / 4, L::samples * bytes>(
                        lines[i], plane.src + plane.src_pitch * row_of(i) + from);
                }
            } else {
#pragma unroll
                for (int i = 0; i < ahead; ++i) {
                    const unsigned char* const line = row_at(plane, picture, row_of(i));
                    if (line != nullptr) {
                        load_words<L::apron * bytes / 4, L::samples * bytes>(lines[i], line + from);
                    } else {
#pragma unroll
                        for (std::uint32_t& word : lines[i]) {
                            word = black_word<T>(plane);
                        }
                    }
                }
            }
#pragma unroll
            for (int i = 0; i < ahead; ++i) {
                if (i == 0 || row + i * L::rows_at_once < count) {
                    filter_line<T, R, step, quads>(to + (row + i * L::rows_at_once) * tile_columns, lines[i], taps,
                                                   plane, picture.max_value);
                }
            }
        }
    }
    // The others, shared out among all threads.
    const int others = first + groups - last;
    for (int item = static_cast<int>(threadIdx.x); item < others * count; item += threads) {
        const int row = item / others;
        const int number = item - row * others;
        const int column = (number < first ? number : number - first + last) * L::samples;
        const unsigned char* const from = row_at(plane, picture, top + row);
        std::uint32_t line[L::words];
#pragma unroll
        for (int i = 0; i < L::words; ++i) {
            line[i] = from == nullptr
                          ? black_word<T>(plane)
                          : border_word<T, step>(from, plane, picture, left + column - L::apron + i * 4 / bytes);
        }
        filter_line<T, R, step, quads>(mid + row * tile_columns + column, line, taps, plane, picture.max_value);
    }
}

/// Neighbouring results to where they belong. Bytes: the upper one of each sum.
template <int count>
__device__ __forceinline__ void store(std::uint8_t* to, const std::uint32_t (&sums)[count], const PlaneParams&,
                                      const Picture&) {
    const std::uint32_t low = __byte_perm(sums[0], sums[1], 0x0073);
    if constexpr (count == 2) {
        *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(low);
    } else {
        const std::uint32_t high = __byte_perm(sums[2], sums[3], 0x0073);
        *reinterpret_cast<std::uint32_t*>(to) = __byte_perm(low, high, 0x5410);
    }
}
template <int count>
__device__ __forceinline__ void store(std::uint16_t* to, const std::uint32_t (&sums)[count], const PlaneParams& plane,
                                      const Picture& picture) {
    std::uint32_t pairs[count / 2];
#pragma unroll
    for (int i = 0; i < count / 2; ++i) {
        pairs[i] = pack(sums[2 * i] >> picture.result_shift << plane.lsb,
                        sums[2 * i + 1] >> picture.result_shift << plane.lsb);
    }
    if constexpr (count == 2) {
        *reinterpret_cast<std::uint32_t*>(to) = pairs[0];
    } else {
        *reinterpret_cast<uint2*>(to) = make_uint2(pairs[0], pairs[1]);
    }
}

/// Intermediate samples of `count` neighbouring columns.
template <int count>
__device__ __forceinline__ void fetch(std::uint32_t (&samples)[count], const std::uint16_t* mid) {
    std::uint32_t pairs[count / 2];
    if constexpr (count == 2) {
        pairs[0] = *reinterpret_cast<const std::uint32_t*>(mid);
    } else {
        const uint2 two = *reinterpret_cast<const uint2*>(mid);
        pairs[0] = two.x;
        pairs[1] = two.y;
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        samples[i] = i % 2 == 0 ? pairs[i / 2] & 0xffff : pairs[i / 2] >> 16;
    }
}

/// The column pass for rows [row, row + rows) of a tile, of which the first `count` are wanted.
template <class T, int R>
__device__ __forceinline__ void filter_columns(const std::uint16_t* mid, unsigned char* to, int wanted,
                                               const Taps<T, R>& taps, const PlaneParams& plane,
                                               const Picture& picture) {
    using S = Shape<T, R>;
    constexpr int rows = S::rows;
    constexpr int columns = S::columns;
    std::uint32_t sums[rows][columns];
    // Two windows on the intermediate rows, at distance j above and below the rows that are made: each slides by one
    // row from step to step, and row i of a window lies in slot i % rows.
    std::uint32_t above[rows][columns];
    std::uint32_t below[rows][columns];
#pragma unroll
    for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            sums[i][c] = taps.column_half;
        }
        if (i + 1 < rows) {
            fetch(above[i], mid + i * tile_columns);
            fetch(below[(2 * R + 1 + i) % rows], mid + (2 * R + 1 + i) * tile_columns);
        }
    }
#pragma unroll
    for (int j = R; j >= 1; --j) {
        fetch(above[(R - j + rows - 1) % rows], mid + (R - j + rows - 1) * tile_columns);
        fetch(below[(R + j) % rows], mid + (R + j) * tile_columns);
#pragma unroll
        for (int i = 0; i < rows; ++i) {
#pragma unroll
            for (int c = 0; c < columns; ++c) {
                sums[i][c] += taps.column[j] * (above[(R - j + i) % rows][c] + below[(R + j + i) % rows][c]);
            }
        }
    }
    fetch(above[(R + rows - 1) % rows], mid + (R + rows - 1) * tile_columns);
#pragma unroll
    for (int i = 0; i < rows; ++i) {
#pragma unroll
        for (int c = 0; c < columns; ++c) {
            sums[i][c] += taps.column[0] * above[(R + i) % rows][c];
        }
    }
    if (wanted >= rows) {
#pragma unroll
        for (int i = 0; i < rows; ++i) {
            store(reinterpret_cast<T*>(to), sums[i], plane, picture);
            to += plane.dst_pitch;
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        if (i < wanted) {
            store(reinterpret_cast<T*>(to), sums[i], plane, picture);
            to += plane.dst_pitch;
        }
    }
}

/// filter_columns, two columns in one word: see word_column.
template <int R>
__device__ __forceinline__ void filter_column_words(const std::uint16_t* mid, unsigned char* to, int wanted,
                                                    const Taps<std::uint8_t, R>& taps, const PlaneParams& plane) {
    constexpr int rows = Shape<std::uint8_t, R>::rows;
    static_assert(Shape<std::uint8_t, R>::columns == 4);
    constexpr std::uint32_t half = 0x00800080;
    uint2 lines[rows + 2 * R];
#pragma unroll
    for (int i = 0; i < rows + 2 * R; ++i) {
        lines[i] = *reinterpret_cast<const uint2*>(mid + i * tile_columns);
    }
#pragma unroll
    for (int i = 0; i < rows; ++i) {
        uint2 sum =
            make_uint2(half + taps.word_column[0] * lines[i + R].x, half + taps.word_column[0] * lines[i + R].y);
#pragma unroll
        for (int j = 1; j <= R; ++j) {
            sum.x += taps.word_column[j] * (lines[i + R - j].x + lines[i + R + j].x);
            sum.y += taps.word_column[j] * (lines[i + R - j].y + lines[i + R + j].y);
        }
        if (i < wanted) {
            *reinterpret_cast<std::uint32_t*>(to) = __byte_perm(sum.x, sum.y, 0x7531);
            to += plane.dst_pitch;
        }
    }
}

template <class T, int R>
__global__ void __launch_bounds__(threads, Shape<T, R>::blocks)
    filter_tiles(const __grid_constant__ Launch<T, R> launch) {
    using S = Shape<T, R>;
    extern __shared__ __align__(16) std::uint16_t mid[];
    const Picture& picture = launch.picture;
    const int block = static_cast<int>(blockIdx.x);
    int index = 0;
    while (index + 1 < picture.plane_count && block >= picture.planes[index + 1].first_block) {
        ++index;
    }
    const PlaneParams& plane = picture.planes[index];
    const int tile = block - plane.first_block;
    const int left = tile % plane.tiles_x * tile_columns;
    const int top = tile / plane.tiles_x * picture.tile_rows;
    const int wanted = min(picture.tile_rows, plane.height - top);

    const Taps<T, R>& taps = launch.taps[plane.taps];
    const int rows = wanted + 2 * R;
    const auto make_rows = [&]<bool quads>() {
        if (plane.step == 1) {
            row_pass<T, R, 1, quads>(mid, taps, plane, picture, left, top - R, rows);
        } else {
            row_pass<T, R, 2, quads>(mid, taps, plane, picture, left, top - R, rows);
        }
    };
    if constexpr (byte_shifted<T, R>) {
        taps.use_quads ? make_rows.template operator()<true>() : make_rows.template operator()<false>();
    } else {
        make_rows.template operator()<false>();
    }
    __syncthreads();

    constexpr int groups = tile_columns / S::columns;
    const int column = static_cast<int>(threadIdx.x) % groups * S::columns;
    if (left + column >= plane.samples) {
        return;
    }
    for (int row = static_cast<int>(threadIdx.x) / groups * S::rows; row < wanted; row += S::rows_at_once) {
        unsigned char* const to =
            plane.dst + plane.dst_pitch * (top + row) + (left + column) * static_cast<int>(sizeof(T));
        const std::uint16_t* const from = mid + row * tile_columns + column;
        if constexpr (has_words<T, R>) {
            if (taps.use_words) {
                filter_column_words<R>(from, to, wanted - row, taps, plane);
                continue;
            }
        }
        filter_columns<T, R>(from, to, wanted - row, taps, plane, picture);
    }
}

/// The tap at that distance from the middle, 0 beyond the last one.
inline std::uint32_t tap_at(const Pass& pass, int distance) {
    const int radius = pass.radius();
    return distance > radius ? 0 : static_cast<std::uint32_t>(pass.taps[static_cast<std::size_t>(radius - distance)]);
}

inline std::uint32_t half_of(int shift) {
    return shift > 0 ? 1U << (shift - 1) : 0;
}

/// log2 of the largest power of two that divides all taps.
inline int common_factor(const Pass& pass) {
    std::uint32_t all = 0;
    for (const std::int32_t tap : pass.taps) {
        all |= static_cast<std::uint32_t>(tap);
    }
    return std::countr_zero(all);
}

template <int R>
void fill(Taps<std::uint8_t, R>& taps, const Convolution& convolution) {
    const Pass& rows = convolution.rows;
    const int row_up = byte_shifted<std::uint8_t, R> ? byte_row_shift - rows.shift : 0;
    const auto at = [&](int i) { return tap_at(rows, i < R ? R - i : i - R) << row_up; };  // from the left; 0 outside
    for (int pair = 0; pair <= R; ++pair) {
        taps.row_even[pair] = at(2 * pair) | at(2 * pair + 1) << 16;
        taps.row_odd[pair] = (pair == 0 ? 0 : at(2 * pair - 1)) | at(2 * pair) << 16;
    }
    taps.row_half = half_of(rows.shift) << row_up;
    taps.row_shift = static_cast<std::uint32_t>(rows.shift + row_up);
    const int up = byte_column_shift - convolution.columns.shift;
    for (int j = 0; j <= R; ++j) {
        taps.column[j] = tap_at(convolution.columns, j) << up;
    }
    taps.column_half = half_of(convolution.columns.shift) << up;

    std::uint32_t unit = 1U << rows.shift;
    const auto whole = [&](std::int32_t tap) {
        return static_cast<std::uint32_t>(tap) % unit == 0 && static_cast<std::uint32_t>(tap) / unit <= 255;
    };
    taps.use_quads = byte_shifted<std::uint8_t, R> && std::ranges::all_of(rows.taps, whole) ? 1 : 0;
    // Both passes without the powers of two that all of their taps have in common.
    const Pass& columns = convolution.columns;
    const int row_factor = common_factor(rows);
    const int column_factor = common_factor(columns);
    const int spare = 8 - (rows.scale - row_factor) - (columns.scale - column_factor);
    taps.use_words = has_words<std::uint8_t, R> && taps.use_quads != 0 && spare >= 0 ? 1 : 0;
    if (taps.use_words != 0) {
        unit = 1U << row_factor;
        for (int j = 0; j <= R; ++j) {
            taps.word_column[j] = tap_at(columns, j) >> column_factor << spare;
        }
    }
    for (std::uint32_t phase = 0; taps.use_quads != 0 && phase < 4; ++phase) {
        for (std::uint32_t i = 0; i < 2 * R + 1; ++i) {
            const int distance = std::abs(static_cast<int>(i) - R);
            taps.row_quads[phase][(phase + i) / 4] |= tap_at(rows, distance) / unit << ((phase + i) % 4 * 8);
        }
    }
}

template <int R>
void fill(Taps<std::uint16_t, R>& taps, const Convolution& convolution) {
    const int row_up = 16 - convolution.rows.shift;
    const int column_up = 32 - convolution.depth - convolution.columns.shift;
    for (int j = 0; j <= R; ++j) {
        taps.row[j] = tap_at(convolution.rows, j) << row_up;
        taps.column[j] = tap_at(convolution.columns, j) << column_up;
    }
    taps.row_half = half_of(convolution.rows.shift) << row_up;
    taps.column_half = half_of(convolution.columns.shift) << column_up;
}

/// Whether the sums of the row pass end where the kernel looks for them, and the taps fit.
template <class T, int R>
bool takes(const Convolution& convolution) {
    const Pass& rows = convolution.rows;
    if (byte_shifted<T, R>) {
        const int up = byte_row_shift - rows.shift;
        return up >= 0 && tap_at(rows, 0) << up <= 0xffff;  // the middle tap is the largest
    }
    return sizeof(T) == 1 || rows.shift <= 16;
}

template <class T, int R>
class Fused final : public CudaConvolver::Implementation {
public:
    Fused(const Convolutions& convolutions, Border border)
        : multiprocessors_(attribute(cudaDevAttrMultiProcessorCount)),
          most_shared_(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(convolutions.front().max_value());
        launch_.picture.result_shift = static_cast<unsigned>(32 - convolutions.front().depth);
        for (std::size_t i = 0; i < convolutions.size(); ++i) {
            fill(launch_.taps[i], convolutions[i]);
        }
        cuda_check(cudaFuncSetAttribute(filter_tiles<T, R>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        std::min(most_shared_, shared_bytes(most_rows))),
                   "cudaFuncSetAttribute");
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        Launch<T, R> launch = launch_;
        const int rows = tile_rows(planes);
        const unsigned blocks = describe(launch.picture, planes, tile_columns, rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(filter_tiles<T, R>, dim3(blocks), dim3(threads), arguments,
                                    static_cast<std::size_t>(shared_bytes(rows)), stream),
                   "cudaLaunchKernel");
    }

    [[nodiscard]] std::string name() const override { return "fused, radius " + std::to_string(R); }

private:
    static constexpr int unit = Shape<T, R>::rows_at_once;
    static constexpr int most_rows = 128;

    static int shared_bytes(int rows) {
        return (rows + 2 * R) * tile_columns * static_cast<int>(sizeof(std::uint16_t));
    }

    // High tiles repeat fewer rows of the row pass, low ones keep more multiprocessors busy and wait less for each
    // other: the lowest for which the busiest multiprocessor has little more to do than it could have.
    [[nodiscard]] int tile_rows(std::span<const PlaneJob> planes) const {
        int best = unit;
        std::int64_t least = 0;
        for (int rows = unit; rows <= most_rows && shared_bytes(rows) <= most_shared_; rows += unit) {
            std::int64_t blocks = 0;
            for (const PlaneJob& job : planes) {
                blocks += std::int64_t{(job.src.width * job.src.step + tile_columns - 1) / tile_columns} *
                          ((job.src.height + rows - 1) / rows);
            }
            const std::int64_t work = (blocks + multiprocessors_ - 1) / multiprocessors_ * (2 * rows + 2 * R);
            if (rows == unit || 10 * work < 9 * least) {
                best = rows;
                least = work;
            }
        }
        return best;
    }

    int multiprocessors_;
    int most_shared_;  // bytes of one block
    Launch<T, R> launch_{};
};

template <class T, int R>
std::unique_ptr<CudaConvolver::Implementation> make_fused(const Convolutions& convolutions, Border border) {
    return std::make_unique<Fused<T, R>>(convolutions, border);
}

/// Radii with a kernel of their own; a convolution takes the next larger one.
template <class T, int R>
inline constexpr FusedKernel fused_kernel{R, takes<T, R>, make_fused<T, R>};
template <class T>
inline constexpr FusedKernel fused_kernels[] = {
    fused_kernel<T, 1>,  fused_kernel<T, 2>,  fused_kernel<T, 3>,  fused_kernel<T, 5>,  fused_kernel<T, 7>,
    fused_kernel<T, 9>,  fused_kernel<T, 11>, fused_kernel<T, 15>, fused_kernel<T, 19>, fused_kernel<T, 23>,
    fused_kernel<T, 31>, fused_kernel<T, 47>, fused_kernel<T, 63>,
};

}  // namespace vfilter::cuda
