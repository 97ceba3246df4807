#pragma once
// Decimation: t and p of kernels/arithmetic/decimated_filter.h.
//
// A thread owns four neighbouring samples of every row, all that a word of bytes has, and walks down. A row belongs to
// four decimated rows at most, and D rows, a group, to the same four: so a thread has four sums for each column, of
// which one is finished with each group. The products are those of bytes with words of taps, four or two rows at once:
// taps above 255, which only D = 8 has, and few, are a second product. Finished rows of a tile wait in shared memory,
// where their columns are decimated in the end.

#include "kernels/cuda/decimated/parameters.h"
#include "kernels/cuda/decimated/spline.cuh"
#include "kernels/cuda/load.cuh"

namespace vfilter::cuda::decimated {

/// Four samples of a row.
template <class T>
struct Line {
    unsigned words[sizeof(T)];
};

/// Where a thread finds its four samples of any row.
template <class T, int step>
class Source {
public:
    __device__ Source(const PlaneParams& plane, const Picture& picture, int x, bool wanted)
        : plane_(plane), picture_(picture), x_(x), inside_(wanted && x >= 0 && x + 4 <= plane.samples) {
        if (inside_) {
            return;
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int pixel = step == 1 ? x + i : (x + i) >> 1;
            const bool outside = static_cast<unsigned>(pixel) >= static_cast<unsigned>(plane.width);
            from_[i] = !wanted || (outside && picture.border == Border::constant)
                           ? -1
                           : fold(pixel, plane.width, plane.fold_x) * step + (x + i - pixel * step);
        }
    }

    template <int rows>
    __device__ __forceinline__ void load(Line<T> (&lines)[rows], int y) const {
        if (y >= 0 && y + rows <= plane_.height) {
            const unsigned char* row = plane_.src + plane_.src_pitch * y;
#pragma unroll
            for (int r = 0; r < rows; ++r) {
                lines[r] = load_row(row);
                row += plane_.src_pitch;
            }
            return;
        }
#pragma unroll
        for (int r = 0; r < rows; ++r) {
            const unsigned char* const row = row_at(plane_, picture_, y + r);
            lines[r] = row != nullptr ? load_row(row) : black();
        }
    }

    /// Without the other bits of a sample's storage.
    __device__ __forceinline__ unsigned clean(unsigned word) const {
        return sizeof(T) == 1 ? word : word >> plane_.lsb & picture_.max_value * 0x00010001U;
    }

private:
    __device__ __forceinline__ Line<T> black() const {
        Line<T> line;
#pragma unroll
        for (unsigned& word : line.words) {
            word = black_word<T>(plane_);
        }
        return line;
    }
    __device__ __forceinline__ Line<T> load_row(const unsigned char* row) const {
        Line<T> line{};
        if (inside_) {
            if constexpr (sizeof(T) == 1) {
                line.words[0] = __ldg(reinterpret_cast<const unsigned*>(row + x_));
            } else {
                const uint2 two = __ldg(reinterpret_cast<const uint2*>(row + 2 * x_));
                line.words[0] = two.x;
                line.words[1] = two.y;
            }
            return line;
        }
        const unsigned black = static_cast<unsigned>(plane_.black) << plane_.lsb;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            constexpr int in_word = 4 / sizeof(T);
            const unsigned sample = from_[i] < 0 ? black : reinterpret_cast<const T*>(row)[from_[i]];
            line.words[i / in_word] |= sample << (8 * static_cast<int>(sizeof(T)) * (i % in_word));
        }
        return line;
    }

    const PlaneParams& plane_;
    const Picture& picture_;
    int x_;
    bool inside_;
    int from_[4];  ///< where the samples are if not all are inside; -1: black
};

/// Words of one column each, of the next rows that a word holds.
template <class T, int step>
__device__ __forceinline__ void transpose(const Line<T>* lines, const Source<T, step>& source, unsigned (&columns)[4]) {
    if constexpr (sizeof(T) == 1) {
        const unsigned a = lines[0].words[0];
        const unsigned b = lines[1].words[0];
        const unsigned c = lines[2].words[0];
        const unsigned d = lines[3].words[0];
        const unsigned ab = __byte_perm(a, b, 0x5140);
        const unsigned cd = __byte_perm(c, d, 0x5140);
        columns[0] = __byte_perm(ab, cd, 0x5410);
        columns[1] = __byte_perm(ab, cd, 0x7632);
        const unsigned more_ab = __byte_perm(a, b, 0x7362);
        const unsigned more_cd = __byte_perm(c, d, 0x7362);
        columns[2] = __byte_perm(more_ab, more_cd, 0x5410);
        columns[3] = __byte_perm(more_ab, more_cd, 0x7632);
    } else {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const unsigned a = source.clean(lines[0].words[half]);
            const unsigned b = source.clean(lines[1].words[half]);
            columns[2 * half] = __byte_perm(a, b, 0x5410);
            columns[2 * half + 1] = __byte_perm(a, b, 0x7632);
        }
    }
}

/// Adds the D rows of group g to the sums of the decimated rows g - 1 to g + 2.
template <class T, int bits, int step>
__device__ __forceinline__ void add_group(const Line<T> (&lines)[1 << bits], const Source<T, step>& source,
                                          unsigned (&sums)[4][4]) {
    constexpr int factor = 1 << bits;
    constexpr int at_once = 4 / sizeof(T);
    unrolled<factor / at_once>([&](auto word) {
        constexpr int first = word * at_once;
        unsigned columns[4];
        transpose<T, step>(lines + first, source, columns);
        unrolled<4>([&](auto k) {
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                sums[k][c] = add_products<T, bits, first + factor - k * factor>(columns[c], sums[k][c]);
            }
        });
    });
}

/// Decimated columns of the rows in shared memory, `count` of them.
template <int bits, int step>
__device__ __forceinline__ void decimate_columns(const std::uint16_t* rows, int count, int left, int top,
                                                 const PlaneParams& plane, const DecimatedPlane& decimated) {
    constexpr int factor = 1 << bits;
    constexpr int columns = decimated_tile_columns(bits, step);
    constexpr int chunk_words = factor * step / 2;
    for (int i = static_cast<int>(threadIdx.x); i < count * columns * step; i += threads) {
        const int row = i / (columns * step);
        const int sample = i - row * (columns * step);
        const int pixel = sample / step;
        if (left + pixel >= decimated.columns) {
            continue;
        }
        const std::uint16_t* const from = rows + row * tile_samples + pixel * factor * step;
        const unsigned selector = step == 1 || sample % step == 0 ? 0x5410 : 0x7632;
        unsigned sum = half<unsigned>(4 * bits);
        unrolled<4>([&](auto chunk) {
            unsigned words[chunk_words];
            load_words<0, chunk_words >= 4 ? 16 : 8>(
                words, reinterpret_cast<const unsigned char*>(from + chunk * factor * step));
            unrolled<factor / 2>([&](auto pair) {
                const unsigned two = step == 1 ? words[pair]
                                               : __byte_perm(words[2 * pair % chunk_words],
                                                             words[(2 * pair + 1) % chunk_words], selector);
                sum = add_products<std::uint16_t, bits, (chunk - 2) * factor + 2 * pair>(two, sum);
            });
        });
        reinterpret_cast<std::uint16_t*>(plane.dst +
                                         plane.dst_pitch * (top + row))[(left + pixel) * step + sample % step] =
            static_cast<std::uint16_t>(sum >> (4 * bits));
    }
}

template <class T, int bits, int step>
__device__ __forceinline__ void decimate_tile(const Launch& launch, const PlaneParams& plane,
                                              std::uint16_t* shared_rows) {
    constexpr int factor = 1 << bits;
    const DecimatedPlane& decimated = launch.decimated[&plane - launch.picture.planes];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    // In the decimated plane.
    const int left = tile % plane.tiles_x * decimated_tile_columns(bits, step);
    const int top = tile / plane.tiles_x * launch.picture.tile_rows;
    const int count = min(launch.picture.tile_rows, decimated.rows - top);
    const int x = (decimated.first_column + left - 2) * factor * step + 4 * static_cast<int>(threadIdx.x);
    const bool wanted = x < (decimated.first_column + decimated.columns + 1) * factor * step;
    const Source<T, step> source(plane, launch.picture, x, wanted);
    const int first = decimated.first_row + top;
    const unsigned rounding = half<unsigned>(launch.decimate_rows_shift);
    unsigned sums[4][4] = {};
    Line<T> next[factor];
    source.load(next, (first - 2) * factor);
    for (int g = first - 2; g <= first + count; ++g) {
        Line<T> now[factor];
#pragma unroll
        for (int r = 0; r < factor; ++r) {
            now[r] = next[r];
        }
        if (g < first + count) {
            source.load(next, (g + 1) * factor);
        }
        add_group<T, bits, step>(now, source, sums);
        if (g > first) {
            unsigned made[4];
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                made[c] = (sums[0][c] + rounding) >> launch.decimate_rows_shift;
            }
            std::uint16_t* const row = shared_rows + (g - 1 - first) * tile_samples;
            reinterpret_cast<uint2*>(row)[threadIdx.x] = make_uint2(made[0] | made[1] << 16, made[2] | made[3] << 16);
        }
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            sums[0][c] = sums[1][c];
            sums[1][c] = sums[2][c];
            sums[2][c] = sums[3][c];
            sums[3][c] = 0;
        }
    }
    __syncthreads();
    decimate_columns<bits, step>(shared_rows, count, left, top, plane, decimated);
}

template <class T, int bits>
__global__ void __launch_bounds__(threads, sizeof(T) == 1 ? 8 : 6)
    decimate_planes(const __grid_constant__ Launch launch) {
    extern __shared__ uint4 shared[];
    auto* const rows = reinterpret_cast<std::uint16_t*>(shared);
    const PlaneParams& plane = own_plane(launch.picture);
    if (plane.step == 1) {
        decimate_tile<T, bits, 1>(launch, plane, rows);
    } else {
        decimate_tile<T, bits, 2>(launch, plane, rows);
    }
}

}  // namespace vfilter::cuda::decimated
