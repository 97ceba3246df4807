#pragma once
// Medians of large square windows of bytes, by histograms of columns in shared memory (Perreault and Hebert, 2007). A
// block owns a strip and walks down. For each column of the strip and its halo there are 16 counts of groups of 16
// values, and 16 counts in each group, of the rows that a window covers: one byte each. A thread sums up the groups of
// its window's columns, finds the median's group, and sums up that one's values. Two threads next to each other share
// the sums of the groups of all columns but two.

#include <cstdint>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/median/parameters.h"

namespace vfilter::cuda::median {

/// Where in shared memory the counts of a column are, in pieces of 16 bytes: first the groups of all columns, then the
/// values of group 0, of group 1... Even columns come before odd ones, so that those that the threads of a warp read
/// together lie in different banks.
struct ColumnPlaces {
    int half;   ///< pieces before the odd columns
    int level;  ///< pieces from one group's values to the next one's

    constexpr explicit ColumnPlaces(int columns)
        : half(round_up((columns + 1) / 2, 8) + 4), level(round_up(2 * half, 8)) {}
    [[nodiscard]] constexpr int of(int column) const { return (column >> 1) + (column & 1) * half; }
    [[nodiscard]] constexpr int all_pieces() const { return (1 + 16) * level; }
};

/// Counts of 16 bins in pairs of 16 bits: those of word i are bins 4i and 4i + 2 in even, 4i + 1 and 4i + 3 in odd.
struct Bins {
    std::uint32_t even[4];
    std::uint32_t odd[4];

    __device__ __forceinline__ void add(const std::uint32_t (&bytes)[4]) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            even[i] += bytes[i] & 0x00ff00ff;
            odd[i] += bytes[i] >> 8 & 0x00ff00ff;
        }
    }
    __device__ __forceinline__ void add(const uint4& bytes) {
        const std::uint32_t words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
        add(words);
    }
    /// The bin of the sample of that rank, which becomes its rank in the bin.
    __device__ __forceinline__ int find(int& rank) const {
        const auto sum = [&](int i) {
            const std::uint32_t both = even[i] + odd[i];
            return static_cast<int>((both & 0xffff) + (both >> 16));
        };
        int word = 0;
        std::uint32_t own_even = even[0];
        std::uint32_t own_odd = odd[0];
        int left = rank;
        int below = 0;
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            below += sum(i);
            const bool further = below <= rank;
            word = further ? i + 1 : word;
            own_even = further ? even[i + 1] : own_even;
            own_odd = further ? odd[i + 1] : own_odd;
            left = further ? rank - below : left;
        }
        const int counts[3] = {static_cast<int>(own_even & 0xffff), static_cast<int>(own_odd & 0xffff),
                               static_cast<int>(own_even >> 16)};
        int bin = 4 * word;
#pragma unroll
        for (const int count : counts) {
            const bool further = count <= left;
            if (!further) {
                break;
            }
            left -= count;
            ++bin;
        }
        rank = left;
        return bin;
    }
};

/// Sums of two runs of `count` columns each, from pieces `a` and `b` on. `in_bytes` columns fit bytes, two at least.
__device__ __forceinline__ Bins sum_columns(const uint4* a, const uint4* b, int count, int in_bytes) {
    Bins bins{};
    for (int i = 0; i < count;) {
        const int end = min(i + in_bytes / 2, count);
        std::uint32_t bytes[4] = {};
#pragma unroll 4
        for (; i < end; ++i) {
            const uint4 one = a[i];
            const uint4 two = b[i];
            bytes[0] += one.x + two.x;
            bytes[1] += one.y + two.y;
            bytes[2] += one.z + two.z;
            bytes[3] += one.w + two.w;
        }
        bins.add(bytes);
    }
    return bins;
}

/// The same of one run.
__device__ __forceinline__ Bins sum_columns(const uint4* a, int count, int in_bytes) {
    Bins bins = sum_columns(a, a + count / 2, count / 2, in_bytes);
    if (count % 2 != 0) {
        bins.add(a[count - 1]);
    }
    return bins;
}

/// A row's samples, each at the place of its column; black outside of a constant border.
struct CountedRow {
    const unsigned char* row;
    int black;

    __device__ CountedRow(const PlaneParams& plane, const Picture& picture, int y)
        : row(row_at(plane, picture, y)), black(plane.black) {}
    [[nodiscard]] __device__ int at(int place) const { return row == nullptr || place < 0 ? black : row[place]; }
};

/// Counts what a window's columns gain, and lose if there is `out`.
template <bool loses>
__device__ __forceinline__ void count_rows(unsigned char* counts, const ColumnPlaces& places, int columns, int first,
                                           const PlaneParams& plane, const Picture& picture, int y_in, int y_out) {
    const CountedRow in(plane, picture, y_in);
    const CountedRow out(plane, picture, loses ? y_out : y_in);
    for (int column = static_cast<int>(threadIdx.x); column < columns; column += column_threads) {
        const int place = source_of(first + column, plane, picture.border == Border::constant);
        unsigned char* const own = counts + 16 * places.of(column);
        const auto change = [&](int sample, int by) {
            unsigned char& group = own[sample >> 4];
            unsigned char& value = own[16 * (1 + (sample >> 4)) * places.level + (sample & 15)];
            group = static_cast<unsigned char>(group + by);
            value = static_cast<unsigned char>(value + by);
        };
        const int gained = in.at(place);
        const int lost = loses ? out.at(place) : -1;
        if (gained != lost) {
            change(gained, 1);
            if constexpr (loses) {
                change(lost, -1);
            }
        }
    }
}

__global__ void __launch_bounds__(column_threads) sum_histograms(const __grid_constant__ Launch launch) {
    extern __shared__ uint4 shared[];
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const int radius = launch.window.radius_x;
    const int radius_y = launch.window.radius_y;
    const int rank = launch.window.rank();
    const int step = plane.step;
    const int block = static_cast<int>(blockIdx.x) - plane.first_block;
    const int left = block % plane.tiles_x * column_strip;
    const int top = block / plane.tiles_x * column_rows;
    const int bottom = min(top + column_rows, plane.height);
    const int before = left - radius * step;
    const int columns = column_strip + 2 * radius * step;
    const int in_bytes = 255 / launch.window.height();
    const ColumnPlaces places(columns);
    auto* const counts = reinterpret_cast<unsigned char*>(shared);
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < places.all_pieces(); i += column_threads) {
        shared[i] = make_uint4(0, 0, 0, 0);
    }
    __syncthreads();
    for (int j = -radius_y; j < radius_y; ++j) {
        count_rows<false>(counts, places, columns, before, plane, picture, top + j, 0);
    }
    // Results next to each other, of one component: x and x + step. The columns x + step to x + 2 radius step are
    // common to both. With step 1 each thread takes those of one parity, with step 2 one half.
    const int second = thread % 2;
    const int pair = thread / 2;
    const int x = step == 1 ? 2 * pair : 4 * (pair / 2) + pair % 2;
    const int own = x + second * step;
    const uint4* const common = shared + (step == 1 ? places.of(x + 1 + second) : places.of(x + 2) + second * radius);
    const uint4* const alone = shared + places.of(second != 0 ? x + (2 * radius + 1) * step : x);
    for (int y = top; y < bottom; ++y) {
        if (y == top) {
            count_rows<false>(counts, places, columns, before, plane, picture, y + radius_y, 0);
        } else {
            count_rows<true>(counts, places, columns, before, plane, picture, y + radius_y, y - radius_y - 1);
        }
        __syncthreads();
        Bins groups = sum_columns(common, radius, in_bytes);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            groups.even[i] += __shfl_xor_sync(0xffffffff, groups.even[i], 1);
            groups.odd[i] += __shfl_xor_sync(0xffffffff, groups.odd[i], 1);
        }
        groups.add(*alone);
        int rest = rank;
        const int group = groups.find(rest);
        const uint4* const values = shared + (1 + group) * places.level;
        Bins in_group;
        if (step == 1) {
            in_group = sum_columns(values + places.of(own), values + places.of(own + 1), radius, in_bytes);
            in_group.add(values[places.of(own + 2 * radius)]);
        } else {
            in_group = sum_columns(values + places.of(own), 2 * radius + 1, in_bytes);
        }
        const int value = in_group.find(rest);
        if (left + own < plane.samples) {
            plane.dst[plane.dst_pitch * y + left + own] = static_cast<unsigned char>(16 * group + value);
        }
        __syncthreads();
    }
}

}  // namespace vfilter::cuda::median
