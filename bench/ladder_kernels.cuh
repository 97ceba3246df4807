#pragma once
// The kernels of the filter ladder's rungs, each as short as its one idea allows. All but the libraries' read bytes and
// write bytes, and compute in fp32 as their time did; the tensor cores' says otherwise.

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/filter.h"

namespace vfilter::bench {

namespace {

using Byte = unsigned char;

constexpr int group = CudaFilter::max_planes;  // pictures of one launch
constexpr int max_radius = 31;
constexpr int max_size = 2 * max_radius + 1;

__constant__ float square_taps[max_size * max_size];
__constant__ float line_taps[max_size];

// Pictures one after the other; blockIdx.z is the number of one.
struct Planes {
    const Byte* from;
    Byte* to;
    int width;
    int height;
    std::size_t pitch;  // bytes of a row
    std::size_t plane;  // bytes of a picture

    __device__ const Byte* from_row(int y) const {
        return from + plane * blockIdx.z + pitch * static_cast<unsigned>(y);
    }
    __device__ Byte* to_row(int y) const { return to + plane * blockIdx.z + pitch * static_cast<unsigned>(y); }
};

// Where separable rungs put the result of their first pass.
struct Between {
    float* data;
    std::size_t pitch;  // floats
    std::size_t plane;  // floats

    __device__ float* row(int y) const { return data + plane * blockIdx.z + pitch * static_cast<unsigned>(y); }
};

__device__ int clamped(int index, int size) {
    return min(max(index, 0), size - 1);
}

__device__ Byte rounded(float value) {
    return static_cast<Byte>(value + 0.5f);
}

__device__ int column_of_thread() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ int row_of_thread() {
    return static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
}

// A thread for each result; samples and taps come from global memory, k x k times.
__global__ void naive(Planes planes, const float* taps, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (x >= planes.width || y >= planes.height) {
        return;
    }
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        const Byte* const from = planes.from_row(clamped(y + j, planes.height));
        for (int i = -radius; i <= radius; ++i) {
            sum += *taps++ * static_cast<float>(from[clamped(x + i, planes.width)]);
        }
    }
    planes.to_row(y)[x] = rounded(sum);
}

// The same, but all threads of a warp want the same tap at the same time: constant memory hands it to all at once.
__global__ void constant_memory(Planes planes, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (x >= planes.width || y >= planes.height) {
        return;
    }
    float sum = 0;
    int tap = 0;
    for (int j = -radius; j <= radius; ++j) {
        const Byte* const from = planes.from_row(clamped(y + j, planes.height));
        for (int i = -radius; i <= radius; ++i) {
            sum += square_taps[tap++] * static_cast<float>(from[clamped(x + i, planes.width)]);
        }
    }
    planes.to_row(y)[x] = rounded(sum);
}

constexpr int tile = 32;  // of the next two: a block's threads are a square of that side

// Each thread brings one sample into shared memory; then those of the halo have nothing to do. With the radius their
// number grows until nobody is left: 2 x 2 of 1024 threads compute at radius 15, none at 16.
__global__ void __launch_bounds__(tile* tile) tile_full_halo(Planes planes, int radius) {
    __shared__ float samples[tile][tile];
    const int inner = tile - 2 * radius;
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int x = static_cast<int>(blockIdx.x) * inner + tx - radius;
    const int y = static_cast<int>(blockIdx.y) * inner + ty - radius;
    samples[ty][tx] = static_cast<float>(planes.from_row(clamped(y, planes.height))[clamped(x, planes.width)]);
    __syncthreads();
    const bool halo = tx < radius || tx >= tile - radius || ty < radius || ty >= tile - radius;
    if (halo || x >= planes.width || y >= planes.height) {
        return;
    }
    float sum = 0;
    int tap = 0;
    for (int j = -radius; j <= radius; ++j) {
        for (int i = -radius; i <= radius; ++i) {
            sum += square_taps[tap++] * samples[ty + j][tx + i];
        }
    }
    planes.to_row(y)[x] = rounded(sum);
}

// No thread is idle: the tile holds what the block computes, and what lies around it is in the cache anyway, because
// the neighbours have just read it.
__global__ void __launch_bounds__(tile* tile) tile_and_cache(Planes planes, int radius) {
    __shared__ float samples[tile][tile];
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int x = column_of_thread();
    const int y = row_of_thread();
    samples[ty][tx] = static_cast<float>(planes.from_row(clamped(y, planes.height))[clamped(x, planes.width)]);
    __syncthreads();
    if (x >= planes.width || y >= planes.height) {
        return;
    }
    float sum = 0;
    int tap = 0;
    for (int j = -radius; j <= radius; ++j) {
        const Byte* const from = planes.from_row(clamped(y + j, planes.height));
        const bool row_inside = ty + j >= 0 && ty + j < tile;
        for (int i = -radius; i <= radius; ++i) {
            const bool inside = row_inside && tx + i >= 0 && tx + i < tile;
            const float sample =
                inside ? samples[ty + j][tx + i] : static_cast<float>(from[clamped(x + i, planes.width)]);
            sum += square_taps[tap++] * sample;
        }
    }
    planes.to_row(y)[x] = rounded(sum);
}

constexpr int coarse_columns = 32;
constexpr int coarse_threads = 8;  // one below the other
constexpr int coarse_results = 8;  // of a thread, one below the other
constexpr int coarse_rows = coarse_threads * coarse_results;

// A thread computes eight results: a sample, once in a register, serves all of them that it is a neighbour of, so that
// a multiply-add costs an eighth of a load. The tile, with its halo, is brought in by a loop: no thread is idle.
__global__ void __launch_bounds__(coarse_columns* coarse_threads) coarsened(Planes planes, int radius) {
    extern __shared__ __align__(128) Byte shared[];
    float* const samples = reinterpret_cast<float*>(shared);
    const int size = 2 * radius + 1;
    const int pitch = coarse_columns + 2 * radius;
    const int left = static_cast<int>(blockIdx.x) * coarse_columns;
    const int top = static_cast<int>(blockIdx.y) * coarse_rows;
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    for (int j = ty; j < coarse_rows + 2 * radius; j += coarse_threads) {
        const Byte* const from = planes.from_row(clamped(top + j - radius, planes.height));
        for (int i = tx; i < pitch; i += coarse_columns) {
            samples[j * pitch + i] = static_cast<float>(from[clamped(left + i - radius, planes.width)]);
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
            const float tap = square_taps[i * size + j];  // [j][i] is the same number, but not beside the one before
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
        if (x < planes.width && y < planes.height) {
            planes.to_row(y)[x] = rounded(sums[n]);
        }
    }
}

// A Gaussian is a row of taps and then a column of them: 2k multiply-adds instead of k x k, for a second trip through
// memory.
__global__ void plain_rows(Planes planes, Between between, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (x >= planes.width || y >= planes.height) {
        return;
    }
    const Byte* const from = planes.from_row(y);
    float sum = 0;
    for (int i = -radius; i <= radius; ++i) {
        sum += line_taps[radius + i] * static_cast<float>(from[clamped(x + i, planes.width)]);
    }
    between.row(y)[x] = sum;
}

__global__ void plain_columns(Planes planes, Between between, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (x >= planes.width || y >= planes.height) {
        return;
    }
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        sum += line_taps[radius + j] * between.row(clamped(y + j, planes.height))[x];
    }
    planes.to_row(y)[x] = rounded(sum);
}

constexpr int line_results = 8;         // of a thread
constexpr int row_columns = 32;         // threads side by side
constexpr int row_rows = 4;             // and one below the other
constexpr int row_apron = row_columns;  // a whole step, so that its loads are aligned as the others are
constexpr int row_span = line_results * row_columns;
static_assert(row_apron >= max_radius);

// The samples pass through shared memory, in steps that stay aligned, with loops that the compiler unrolls; neighbours
// in a warp read neighbours in a tile: no two of them the same bank.
template <int radius>
__global__ void __launch_bounds__(row_columns* row_rows) aligned_rows(Planes planes, Between between) {
    __shared__ float samples[row_rows][row_span + 2 * row_apron];
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int left = static_cast<int>(blockIdx.x) * row_span;
    const int y = row_of_thread();
    const Byte* const from = planes.from_row(clamped(y, planes.height));
#pragma unroll
    for (int i = tx; i < row_span + 2 * row_apron; i += row_columns) {
        samples[ty][i] = static_cast<float>(from[clamped(left - row_apron + i, planes.width)]);
    }
    __syncthreads();
    if (y >= planes.height) {
        return;
    }
    float* const to = between.row(y);
#pragma unroll
    for (int n = 0; n < line_results; ++n) {
        const int i = n * row_columns + tx;
        float sum = 0;
#pragma unroll
        for (int tap = -radius; tap <= radius; ++tap) {
            sum += line_taps[radius + tap] * samples[ty][row_apron + i + tap];
        }
        if (left + i < planes.width) {
            to[left + i] = sum;
        }
    }
}

constexpr int column_columns = 32;
constexpr int column_rows = 8;
constexpr int column_span = line_results * column_rows;

template <int radius>
__global__ void __launch_bounds__(column_columns* column_rows) aligned_columns(Planes planes, Between between) {
    constexpr int apron = (radius + column_rows - 1) / column_rows * column_rows;
    __shared__ float samples[column_span + 2 * apron][column_columns];
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int top = static_cast<int>(blockIdx.y) * column_span;
    const int x = column_of_thread();
    const int inside = clamped(x, planes.width);
#pragma unroll
    for (int j = ty; j < column_span + 2 * apron; j += column_rows) {
        samples[j][tx] = between.row(clamped(top - apron + j, planes.height))[inside];
    }
    __syncthreads();
    if (x >= planes.width) {
        return;
    }
#pragma unroll
    for (int n = 0; n < line_results; ++n) {
        const int j = n * column_rows + ty;
        float sum = 0;
#pragma unroll
        for (int tap = -radius; tap <= radius; ++tap) {
            sum += line_taps[radius + tap] * samples[apron + j + tap][tx];
        }
        if (top + j < planes.height) {
            planes.to_row(top + j)[x] = rounded(sum);
        }
    }
}

// The texture unit has a cache made for neighbourhoods and clamps positions by itself.
struct Textures {
    cudaTextureObject_t of[group];
};

__global__ void texture_rows(const __grid_constant__ Textures textures, Planes planes, Between between, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (x >= planes.width || y >= planes.height) {
        return;
    }
    const cudaTextureObject_t from = textures.of[blockIdx.z];
    float sum = 0;
    for (int i = -radius; i <= radius; ++i) {
        const Byte sample = tex2D<Byte>(from, static_cast<float>(x + i) + 0.5f, static_cast<float>(y) + 0.5f);
        sum += line_taps[radius + i] * static_cast<float>(sample);
    }
    between.row(y)[x] = sum;
}

__global__ void texture_columns(const __grid_constant__ Textures textures, Planes planes, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (x >= planes.width || y >= planes.height) {
        return;
    }
    const cudaTextureObject_t from = textures.of[blockIdx.z];
    float sum = 0;
    for (int j = -radius; j <= radius; ++j) {
        sum +=
            line_taps[radius + j] * tex2D<float>(from, static_cast<float>(x) + 0.5f, static_cast<float>(y + j) + 0.5f);
    }
    planes.to_row(y)[x] = rounded(sum);
}

// What the libraries take: fp32 planes, dense.
__global__ void to_floats(Planes planes, float* to) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (x < planes.width && y < planes.height) {
        const std::size_t width = static_cast<unsigned>(planes.width);
        const std::size_t row =
            std::size_t{blockIdx.z} * static_cast<unsigned>(planes.height) + static_cast<unsigned>(y);
        to[row * width + static_cast<unsigned>(x)] = static_cast<float>(planes.from_row(y)[x]);
    }
}

struct FloatPlane {
    float* data;
    int width;
    int height;

    __device__ float& at(int x, int y) const {
        const std::size_t row = std::size_t{blockIdx.z} * static_cast<unsigned>(height) + static_cast<unsigned>(y);
        return data[row * static_cast<unsigned>(width) + static_cast<unsigned>(x)];
    }
};

// A Fourier transform wraps around: the border goes into the picture, and zeros behind it.
__global__ void pad(FloatPlane from, FloatPlane to, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (x < to.width && y < to.height) {
        const bool inside = x < from.width + 2 * radius && y < from.height + 2 * radius;
        to.at(x, y) = inside ? from.at(clamped(x - radius, from.width), clamped(y - radius, from.height)) : 0.0f;
    }
}

// A convolution is a product of spectra.
__global__ void multiply(float2* spectra, const float2* taps, unsigned count, float scale) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        float2& value = spectra[std::size_t{blockIdx.z} * count + i];
        const float2 a = value;
        const float2 b = taps[i];
        value = make_float2((a.x * b.x - a.y * b.y) * scale, (a.x * b.y + a.y * b.x) * scale);
    }
}

__global__ void crop(FloatPlane from, FloatPlane to, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (x < to.width && y < to.height) {
        to.at(x, y) = from.at(x + 2 * radius, y + 2 * radius);
    }
}

// For each result a column of the samples that it takes: the convolution becomes a product of matrices, and each sample
// is written k x k times.
__global__ void columns_of_samples(const float* from, float* to, int width, int height, int first_row, unsigned results,
                                   int radius) {
    const unsigned result = blockIdx.x * blockDim.x + threadIdx.x;
    if (result >= results) {
        return;
    }
    const int size = 2 * radius + 1;
    const int tap = static_cast<int>(blockIdx.y);
    const int x = static_cast<int>(result) % width + tap % size - radius;
    const int y = first_row + static_cast<int>(result) / width + tap / size - radius;
    const std::size_t row = static_cast<unsigned>(clamped(y, height));
    to[std::size_t{blockIdx.y} * results + result] = from[row * static_cast<unsigned>(width) + clamped(x, width)];
}

// Tensor cores multiply 16 x 16 matrices. A band of taps is one: samples (rows x K) times band (K x 16) is the row pass
// for 16 columns, and the same band, transposed, from the left is the column pass. Most of its numbers are zeros, and
// it is still faster. Bytes are exact in fp16, sums are fp32; what lies between the passes is rounded to fp16.
constexpr int unit = 16;
constexpr int tensor_side = 64;  // results of a block, squared
constexpr int tensor_warps = 8;
constexpr int tensor_between = tensor_side + 8;  // halves of a row: 8 more, so that rows begin in different banks

// Rows of the band: what 16 results in a line need.
__host__ __device__ constexpr int band_rows(int radius) {
    return (unit + 2 * radius + unit - 1) / unit * unit;
}
__host__ __device__ constexpr int tensor_tile(int radius) {
    return tensor_side - unit + band_rows(radius);
}
constexpr std::size_t tensor_shared(int radius) {
    const int side = tensor_tile(radius);
    const int halves = side * (side + 8) + side * tensor_between + band_rows(radius) * unit;
    return sizeof(__half) * static_cast<std::size_t>(halves) + sizeof(float) * tensor_warps * unit * unit;
}
static_assert(tensor_shared(max_radius) <= 65536, "what a block may have on all GPUs since Turing");

__global__ void __launch_bounds__(32 * tensor_warps) tensor_cores(Planes planes, int radius) {
    using namespace nvcuda;
    extern __shared__ __align__(128) Byte shared[];
    const int span = band_rows(radius);
    const int side = tensor_tile(radius);
    const int pitch = side + 8;
    __half* const samples = reinterpret_cast<__half*>(shared);
    __half* const between = samples + side * pitch;
    __half* const band = between + side * tensor_between;
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread / 32;
    const int lane = thread % 32;
    float* const results = reinterpret_cast<float*>(band + span * unit) + warp * unit * unit;
    const int left = static_cast<int>(blockIdx.x) * tensor_side;
    const int top = static_cast<int>(blockIdx.y) * tensor_side;

    for (int i = thread; i < side * side; i += 32 * tensor_warps) {
        const int x = clamped(left - radius + i % side, planes.width);
        const int y = clamped(top - radius + i / side, planes.height);
        samples[i / side * pitch + i % side] = __float2half(static_cast<float>(planes.from_row(y)[x]));
    }
    for (int i = thread; i < span * unit; i += 32 * tensor_warps) {
        const int tap = i / unit - i % unit;
        band[i] = __float2half(tap >= 0 && tap <= 2 * radius ? line_taps[tap] : 0.0f);
    }
    __syncthreads();

    constexpr int across = tensor_side / unit;
    for (int part = warp; part < side / unit * across; part += tensor_warps) {
        const int i = part / across * unit;
        const int j = part % across * unit;
        wmma::fragment<wmma::accumulator, unit, unit, unit, float> sum;
        wmma::fill_fragment(sum, 0.0f);
        for (int k = 0; k < span; k += unit) {
            wmma::fragment<wmma::matrix_a, unit, unit, unit, __half, wmma::row_major> a;
            wmma::fragment<wmma::matrix_b, unit, unit, unit, __half, wmma::row_major> b;
            wmma::load_matrix_sync(a, samples + i * pitch + j + k, static_cast<unsigned>(pitch));
            wmma::load_matrix_sync(b, band + k * unit, unit);
            wmma::mma_sync(sum, a, b, sum);
        }
        wmma::store_matrix_sync(results, sum, unit, wmma::mem_row_major);
        __syncwarp();
        for (int n = lane; n < unit * unit; n += 32) {
            between[(i + n / unit) * tensor_between + j + n % unit] = __float2half(results[n]);
        }
        __syncwarp();
    }
    __syncthreads();

    for (int part = warp; part < across * across; part += tensor_warps) {
        const int i = part / across * unit;
        const int j = part % across * unit;
        wmma::fragment<wmma::accumulator, unit, unit, unit, float> sum;
        wmma::fill_fragment(sum, 0.0f);
        for (int k = 0; k < span; k += unit) {
            wmma::fragment<wmma::matrix_a, unit, unit, unit, __half, wmma::col_major> a;
            wmma::fragment<wmma::matrix_b, unit, unit, unit, __half, wmma::row_major> b;
            wmma::load_matrix_sync(a, band + k * unit, unit);
            wmma::load_matrix_sync(b, between + (i + k) * tensor_between + j, tensor_between);
            wmma::mma_sync(sum, a, b, sum);
        }
        wmma::store_matrix_sync(results, sum, unit, wmma::mem_row_major);
        __syncwarp();
        for (int n = lane; n < unit * unit; n += 32) {
            const int x = left + j + n % unit;
            const int y = top + i + n / unit;
            if (x < planes.width && y < planes.height) {
                planes.to_row(y)[x] = rounded(results[n]);
            }
        }
        __syncwarp();
    }
}

}  // namespace

}  // namespace vfilter::bench
