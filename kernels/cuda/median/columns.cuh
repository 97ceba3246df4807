#pragma once
// Medians of large square windows of bytes, by histograms of columns in shared memory (Perreault and Hebert, 2007). A
// block owns a strip and walks down. For each column of the strip and its halo there are counts of the rows that a
// window covers, one byte each: of 16 groups of 16 values, of the four quarters of each group, and of each value. A
// thread sums up the groups of its window's columns, finds the median's one, sums up that one's quarters, and then that
// quarter's values. Four threads next to each other share the sums of the groups of all columns but three.

#include <cstdint>
#include <utility>

#include "kernels/cuda/load.cuh"
#include "kernels/cuda/median/column_sums.cuh"
#include "kernels/cuda/median/parameters.h"

namespace vfilter::cuda::median {

/// Where in shared memory the counts are, in words of four. Of groups those of a column lie together, of quarters and
/// values those of one group or quarter: a column's are always in the same bank, whatever its samples are.
struct ColumnPlaces {
    int pitch;

    constexpr explicit ColumnPlaces(int columns) : pitch(round_up(columns, 32)) {}
    [[nodiscard]] constexpr int quarters(int group) const { return (4 + group) * pitch; }
    [[nodiscard]] constexpr int values(int quarter) const { return (4 + 16 + quarter) * pitch; }
    [[nodiscard]] constexpr int words() const { return values(64); }
};

/// A row of the picture or of what its border puts above and below, and those after it.
class CountedRow {
public:
    __device__ CountedRow(const PlaneParams& plane, const Picture& picture, int y)
        : plane_(plane),
          picture_(picture),
          pitch_(plane.src_pitch),
          height_(plane.height),
          y_(y),
          row_(row_at(plane, picture, y)),
          is_there_(row_ != nullptr) {}
    /// The sample at a place of the row; black below 0.
    [[nodiscard]] __device__ __forceinline__ int at(int place, int black) const {
        return is_there_ && place >= 0 ? row_[place] : black;
    }
    __device__ __forceinline__ void go_on() {
        ++y_;
        if (y_ > 0 && y_ < height_) {
            row_ += pitch_;
        } else {
            row_ = row_at(plane_, picture_, y_);
            is_there_ = row_ != nullptr;
        }
    }

private:
    const PlaneParams& plane_;
    const Picture& picture_;
    // By value: parameters of a plane whose number is not known are fetched each time.
    std::int64_t pitch_;
    int height_;
    int y_;
    const unsigned char* row_;
    bool is_there_;
};

/// The columns that a thread counts: every `column_threads`-th.
template <int passes>
class OwnColumns {
public:
    struct Samples {
        int at[passes];
    };

    __device__ OwnColumns(std::uint32_t* counts, const ColumnPlaces& places, int columns, int first,
                          const PlaneParams& plane, const Picture& picture)
        : counts_(reinterpret_cast<unsigned char*>(counts)),
          pitch_(4 * places.pitch),
          columns_(columns),
          black_(plane.black) {
#pragma unroll
        for (int pass = 0; pass < passes; ++pass) {
            from_[pass] =
                is_there(pass) ? source_of(first + column(pass), plane, picture.border == Border::constant) : -1;
        }
    }

    [[nodiscard]] __device__ __forceinline__ Samples load(const CountedRow& row) const {
        Samples samples;
#pragma unroll
        for (int pass = 0; pass < passes; ++pass) {
            samples.at[pass] = row.at(from_[pass], black_);
        }
        return samples;
    }
    __device__ __forceinline__ void gain(const Samples& samples) const {
#pragma unroll
        for (int pass = 0; pass < passes; ++pass) {
            if (is_there(pass)) {
                change<1>(pass, samples.at[pass]);
            }
        }
    }
    __device__ __forceinline__ void change(const Samples& gained, const Samples& lost) const {
#pragma unroll
        for (int pass = 0; pass < passes; ++pass) {
            if (is_there(pass) && gained.at[pass] != lost.at[pass]) {
                change<1>(pass, gained.at[pass]);
                change<-1>(pass, lost.at[pass]);
            }
        }
    }

private:
    [[nodiscard]] __device__ __forceinline__ int column(int pass) const {
        return static_cast<int>(threadIdx.x) + pass * column_threads;
    }
    /// The strip itself is.
    [[nodiscard]] __device__ __forceinline__ bool is_there(int pass) const {
        return pass == 0 || column(pass) < columns_;
    }
    /// Nobody else changes a column's counts meanwhile: an atomic one that returns nothing is an instruction for three.
    template <int by>
    __device__ __forceinline__ void change(int pass, int sample) const {
        unsigned char* const own = counts_ + 4 * column(pass);
        const auto add = [](unsigned char* word, int bin) {
            atomicAdd(reinterpret_cast<std::uint32_t*>(word),
                      __funnelshift_l(0, static_cast<std::uint32_t>(by), static_cast<unsigned>(8 * bin)));
        };
        add(own + 12 * column(pass) + 4 * (sample >> 6), sample >> 4);
        add(own + 4 * pitch_ + (sample >> 4) * pitch_, sample >> 2);
        add(own + 20 * pitch_ + (sample >> 2) * pitch_, sample);
    }

    unsigned char* counts_;
    int pitch_;  ///< bytes
    int columns_;
    int black_;
    int from_[passes];  ///< places in rows, below 0 where black stands
};

/// How often `column_threads` threads go over the columns of a strip.
constexpr int column_passes(int radius, int step) {
    return (column_strip + 2 * radius * step + column_threads - 1) / column_threads;
}

/// For windows of that width, or of any with 0.
template <Sums sums, int passes, int own_width, int step>
__device__ __forceinline__ void walk_strip(const Launch& launch, const PlaneParams& plane, std::uint32_t* counts) {
    const Picture& picture = launch.picture;
    const int radius = own_width != 0 ? own_width / 2 : launch.window.radius_x;
    const int radius_y = launch.window.radius_y;
    const int width = 2 * radius + 1;
    const int block = static_cast<int>(blockIdx.x) - plane.first_block;
    const int left = block % plane.tiles_x * column_strip;
    const int top = block / plane.tiles_x * picture.tile_rows;
    const int bottom = min(top + picture.tile_rows, plane.height);
    const int columns = column_strip + 2 * radius * step;
    const ColumnPlaces places(columns);
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < places.words(); i += column_threads) {
        counts[i] = 0;
    }
    const OwnColumns<passes> own_columns(counts, places, columns, left - radius * step, plane, picture);
    __syncthreads();
    CountedRow in(plane, picture, top - radius_y);
    CountedRow out = in;
    constexpr int at_once = 4;  // rows that are waited for together
    for (int left_rows = 2 * radius_y + 1; left_rows > 0; left_rows -= at_once) {
        typename OwnColumns<passes>::Samples samples[at_once];
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
            if (i < left_rows) {
                samples[i] = own_columns.load(in);
                in.go_on();
            }
        }
#pragma unroll
        for (int i = 0; i < at_once; ++i) {
            if (i < left_rows) {
                own_columns.gain(samples[i]);
            }
        }
    }
    __syncthreads();
    // Four lanes next to each other make results of one component.
    const int own = step == 1 ? thread : thread / 8 * 8 + thread % 4 * 2 + thread / 4 % 2;
    const bool is_there = left + own < plane.samples;
    unsigned char* to = plane.dst + plane.dst_pitch * top + left + own;
    const std::int64_t pitch = plane.dst_pitch;
    for (int rows = bottom - top;; --rows) {
        // Of the next row, which come while this one's results are made.
        typename OwnColumns<passes>::Samples gained{};
        typename OwnColumns<passes>::Samples lost{};
        if (rows > 1) {
            gained = own_columns.load(in);
            lost = own_columns.load(out);
            in.go_on();
            out.go_on();
        }
        int rank = launch.rank;
        const int group = find_group<sums, step>(reinterpret_cast<const uint4*>(counts) + own, radius, rank);
        const std::uint32_t* const quarters = counts + places.quarters(group) + own;
        const int quarter = 4 * group + sum_columns<sums, step>(quarters, width).find(rank);
        const std::uint32_t* const values = counts + places.values(quarter) + own;
        const int value = 4 * quarter + sum_columns<sums, step>(values, width).find(rank);
        if (is_there) {
            *to = static_cast<unsigned char>(value);
        }
        to += pitch;
        if (rows == 1) {
            break;
        }
        __syncthreads();
        own_columns.change(gained, lost);
        __syncthreads();
    }
}

template <Sums sums, int passes, int own_width = 0>
__global__ void __launch_bounds__(column_threads) sum_histograms(const __grid_constant__ Launch launch) {
    extern __shared__ uint4 shared[];
    auto* const counts = reinterpret_cast<std::uint32_t*>(shared);
    const PlaneParams& plane = own_plane(launch.picture);
    if (plane.step == 1) {
        walk_strip<sums, passes, own_width, 1>(launch, plane, counts);
    } else {
        walk_strip<sums, passes, own_width, 2>(launch, plane, counts);
    }
}

using ColumnKernel = void (*)(Launch);

/// The one for a width from `least` on, if it is among those.
template <Sums sums, int least, int... index>
ColumnKernel kernel_of_width(int width, std::integer_sequence<int, index...> /*every other one*/) {
    ColumnKernel found = nullptr;
    ((found = width == least + 2 * index ? sum_histograms<sums, 2, least + 2 * index> : found), ...);
    return found;
}

/// The one for a window. Of a width that it knows a kernel has no branches by it.
inline ColumnKernel column_kernel(const MedianFilter& filter, int step) {
    const bool narrow = column_passes(filter.radius_x, step) <= 2;
    const int width = filter.width();
    if (width <= most_of_window && filter.height() <= most_of_window) {
        const ColumnKernel own = kernel_of_width<Sums::of_window, 9>(width, std::make_integer_sequence<int, 4>());
        return own != nullptr ? own : sum_histograms<Sums::of_window, 2>;
    }
    if (narrow && filter.height() <= most_of_eight) {
        const ColumnKernel own = kernel_of_width<Sums::of_eight, 17>(width, std::make_integer_sequence<int, 8>());
        return own != nullptr ? own : sum_histograms<Sums::of_eight, 2>;
    }
    return narrow ? sum_histograms<Sums::of_one, 2> : sum_histograms<Sums::of_one, 3>;
}

}  // namespace vfilter::cuda::median
