#pragma once
// The kernels of the filter ladder's rungs, each as short as its one idea allows. All but those of libraries read bytes
// and write bytes, and compute in fp32 as their time did; that of the tensor cores says otherwise.

#include <cuda_runtime.h>

#include "study/filter_bench.cuh"

namespace vfilter::study {

namespace {

constexpr int max_size = 2 * max_radius + 1;

__constant__ float square_taps[max_size * max_size];
__constant__ float line_taps[max_size];

// The texture unit has a cache made for neighbourhoods and clamps positions by itself.
template <class Sample>
struct Textures {
    cudaTextureObject_t of[group];

    __device__ float at(int x, int y) const {
        return static_cast<float>(
            tex2D<Sample>(of[blockIdx.z], static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f));
    }
};

// Where taps come from: global memory; or constant memory, which hands one to all threads of a warp at once, as they
// all want the same at the same time.
struct GlobalTaps {
    const float* taps;

    __device__ float operator[](int i) const { return taps[i]; }
};
struct ConstantTaps {
    __device__ float operator[](int i) const { return square_taps[i]; }
};

// The definition, a thread for each result: samples come from global memory, k x k times.
template <class Taps>
__global__ void whole_square(Bytes from, Bytes to, Taps taps, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (!to.holds(x, y)) {
        return;
    }
    float sum = 0;
    int tap = 0;
    for (int j = -radius; j <= radius; ++j) {
        const Byte* const row = from.row(clamped(y + j, from.height));
        for (int i = -radius; i <= radius; ++i) {
            sum += taps[tap++] * static_cast<float>(row[clamped(x + i, from.width)]);
        }
    }
    to.put(x, y, sum);
}

// A Gaussian is a row of taps and then a column of them: 2k multiply-adds instead of k x k, for a second trip through
// memory.
template <bool along_rows, class From, class To>
__global__ void line(const __grid_constant__ From from, To to, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (!to.holds(x, y)) {
        return;
    }
    float sum = 0;
    for (int i = -radius; i <= radius; ++i) {
        sum += line_taps[radius + i] * (along_rows ? from.at(x + i, y) : from.at(x, y + i));
    }
    to.put(x, y, sum);
}

constexpr int tile = 32;  // of the next two: a block's threads are a square of that side

// Each thread brings one sample into shared memory; then those of the halo have nothing to do. With the radius their
// number grows until nobody is left: 2 x 2 of 1024 threads compute at radius 15, none at 16.
__global__ void __launch_bounds__(tile* tile) tile_full_halo(Bytes from, Bytes to, int radius) {
    __shared__ float samples[tile][tile];
    const int inner = tile - 2 * radius;
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int x = static_cast<int>(blockIdx.x) * inner + tx - radius;
    const int y = static_cast<int>(blockIdx.y) * inner + ty - radius;
    samples[ty][tx] = from.at(x, y);
    __syncthreads();
    const bool halo = tx < radius || tx >= tile - radius || ty < radius || ty >= tile - radius;
    if (halo || !to.holds(x, y)) {
        return;
    }
    float sum = 0;
    int tap = 0;
    for (int j = -radius; j <= radius; ++j) {
        for (int i = -radius; i <= radius; ++i) {
            sum += square_taps[tap++] * samples[ty + j][tx + i];
        }
    }
    to.put(x, y, sum);
}

// No thread is idle: the tile holds what the block computes, and what lies around it is in the cache anyway, because
// the neighbours have just read it.
__global__ void __launch_bounds__(tile* tile) tile_and_cache(Bytes from, Bytes to, int radius) {
    __shared__ float samples[tile][tile];
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int x = column_of_thread();
    const int y = row_of_thread();
    samples[ty][tx] = from.at(x, y);
    __syncthreads();
    if (!to.holds(x, y)) {
        return;
    }
    float sum = 0;
    int tap = 0;
    for (int j = -radius; j <= radius; ++j) {
        const Byte* const row = from.row(clamped(y + j, from.height));
        const bool row_inside = ty + j >= 0 && ty + j < tile;
        for (int i = -radius; i <= radius; ++i) {
            const bool inside = row_inside && tx + i >= 0 && tx + i < tile;
            const float sample = inside ? samples[ty + j][tx + i] : static_cast<float>(row[clamped(x + i, from.width)]);
            sum += square_taps[tap++] * sample;
        }
    }
    to.put(x, y, sum);
}

constexpr int coarse_columns = 32;
constexpr int coarse_threads = 8;  // one below the other
constexpr int coarse_results = 8;  // of a thread, one below the other
constexpr int coarse_rows = coarse_threads * coarse_results;

// A thread computes eight results: a sample, once in a register, serves all of them that it is a neighbour of, so that
// a multiply-add costs an eighth of a load. The tile, with its halo, is brought in by a loop: no thread is idle.
__global__ void __launch_bounds__(coarse_columns* coarse_threads) coarsened(Bytes from, Bytes to, int radius) {
    extern __shared__ __align__(128) Byte shared[];
    float* const samples = reinterpret_cast<float*>(shared);
    const int size = 2 * radius + 1;
    const int pitch = coarse_columns + 2 * radius;
    const int left = static_cast<int>(blockIdx.x) * coarse_columns;
    const int top = static_cast<int>(blockIdx.y) * coarse_rows;
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    for (int j = ty; j < coarse_rows + 2 * radius; j += coarse_threads) {
        const Byte* const row = from.row(clamped(top + j - radius, from.height));
        for (int i = tx; i < pitch; i += coarse_columns) {
            samples[j * pitch + i] = static_cast<float>(row[clamped(left + i - radius, from.width)]);
        }
    }
    __syncthreads();
    float sums[coarse_results] = {};
    for (int i = 0; i < size; ++i) {
        const float* sample = samples + ty * coarse_results * pitch + tx + i;
        float window[coarse_results];
#pragma unroll
        for (int n = 0; n < coarse_results - 1; ++n) {
            window[n] = *sample;
            sample += pitch;
        }
#pragma unroll 8
        for (int j = 0; j < size; ++j) {
            window[coarse_results - 1] = *sample;
            sample += pitch;
            const float tap = square_taps[i * size + j];  // [j][i] is the same number, but not next to the last one
#pragma unroll
            for (int n = 0; n < coarse_results; ++n) {
                sums[n] += tap * window[n];
            }
#pragma unroll
            for (int n = 0; n < coarse_results - 1; ++n) {
                window[n] = window[n + 1];
            }
        }
    }
    const int x = left + tx;
#pragma unroll
    for (int n = 0; n < coarse_results; ++n) {
        const int y = top + ty * coarse_results + n;
        if (to.holds(x, y)) {
            to.put(x, y, sums[n]);
        }
    }
}

constexpr int line_results = 8;        // of a thread
constexpr int row_columns = 32;        // threads side by side
constexpr int row_rows = 4;            // and one below the other
constexpr int row_halo = row_columns;  // a whole step, so that its loads are aligned as the others are
constexpr int row_span = line_results * row_columns;
static_assert(row_halo >= max_radius);

// The samples pass through shared memory, in steps that stay aligned, with loops that the compiler unrolls; neighbours
// in a warp read neighbours in a tile: no two of them the same bank.
template <int radius>
__global__ void __launch_bounds__(row_columns* row_rows) aligned_rows(Bytes from, Floats to) {
    __shared__ float samples[row_rows][row_span + 2 * row_halo];
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int left = static_cast<int>(blockIdx.x) * row_span;
    const int y = row_of_thread();
    const Byte* const row = from.row(clamped(y, from.height));
#pragma unroll
    for (int i = tx; i < row_span + 2 * row_halo; i += row_columns) {
        samples[ty][i] = static_cast<float>(row[clamped(left - row_halo + i, from.width)]);
    }
    __syncthreads();
    if (y >= to.height) {
        return;
    }
#pragma unroll
    for (int n = 0; n < line_results; ++n) {
        const int i = n * row_columns + tx;
        float sum = 0;
#pragma unroll
        for (int tap = -radius; tap <= radius; ++tap) {
            sum += line_taps[radius + tap] * samples[ty][row_halo + i + tap];
        }
        if (left + i < to.width) {
            to.put(left + i, y, sum);
        }
    }
}

constexpr int column_columns = 32;
constexpr int column_rows = 8;
constexpr int column_span = line_results * column_rows;

template <int radius>
__global__ void __launch_bounds__(column_columns* column_rows) aligned_columns(Floats from, Bytes to) {
    constexpr int halo = (radius + column_rows - 1) / column_rows * column_rows;
    __shared__ float samples[column_span + 2 * halo][column_columns];
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int top = static_cast<int>(blockIdx.y) * column_span;
    const int x = column_of_thread();
    const int inside = clamped(x, from.width);
#pragma unroll
    for (int j = ty; j < column_span + 2 * halo; j += column_rows) {
        samples[j][tx] = from.row(clamped(top - halo + j, from.height))[inside];
    }
    __syncthreads();
    if (x >= to.width) {
        return;
    }
#pragma unroll
    for (int n = 0; n < line_results; ++n) {
        const int j = n * column_rows + ty;
        float sum = 0;
#pragma unroll
        for (int tap = -radius; tap <= radius; ++tap) {
            sum += line_taps[radius + tap] * samples[halo + j + tap][tx];
        }
        if (top + j < to.height) {
            to.put(x, top + j, sum);
        }
    }
}

}  // namespace

}  // namespace vfilter::study
