#pragma once
// The kernels of the layer ladder's rungs: C channels in, K filters over all of them, NCHW. fp32, or fp16 on tensor
// cores.

#include <cuda_fp16.h>
#include <mma.h>

#include <cstddef>
#include <cstdint>

#include "study/ladder.h"

namespace vfilter::study {

namespace {

using Byte = unsigned char;

// A layer as the kernels see it.
struct Shape {
    int c, h, w;
    int k, r;
    int stride, pad;
    int out_h, out_w;

    [[nodiscard]] __host__ __device__ int pixels() const { return out_h * out_w; }
    [[nodiscard]] __host__ __device__ int depth() const { return c * r * r; }
};

Shape shape_of(const Layer& layer) {
    return {layer.c, layer.h, layer.w, layer.k, layer.r, layer.stride, layer.pad, layer.out_h(), layer.out_w()};
}

// The sample of a channel, or the zero around it.
template <class T>
__device__ T sample_at(const T* channel, const Shape& shape, int x, int y) {
    const bool inside = x >= 0 && x < shape.w && y >= 0 && y < shape.h;
    return inside ? channel[y * shape.w + x] : static_cast<T>(0.0f);
}

// A thread for each result; blockIdx.y is the filter, blockIdx.z the input.
__global__ void direct(Shape shape, const float* in, const float* weights, float* out) {
    const int pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (pixel >= shape.pixels()) {
        return;
    }
    const int filter = static_cast<int>(blockIdx.y);
    const int input = static_cast<int>(blockIdx.z);
    const int left = pixel % shape.out_w * shape.stride - shape.pad;
    const int top = pixel / shape.out_w * shape.stride - shape.pad;
    const float* weight = weights + filter * shape.depth();
    float sum = 0;
    for (int c = 0; c < shape.c; ++c) {
        const float* const channel = in + (input * shape.c + c) * shape.h * shape.w;
        for (int j = 0; j < shape.r; ++j) {
            for (int i = 0; i < shape.r; ++i) {
                sum += *weight++ * sample_at(channel, shape, left + i, top + j);
            }
        }
    }
    out[(input * shape.k + filter) * shape.pixels() + pixel] = sum;
}

// For each result a column of the samples that it takes, c * r * r of them; blockIdx.y is the place in the column.
__global__ void columns_of_samples(Shape shape, const float* in, float* columns) {
    const int pixel = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (pixel >= shape.pixels()) {
        return;
    }
    const int place = static_cast<int>(blockIdx.y);
    const int area = shape.r * shape.r;
    const float* const channel = in + place / area * shape.h * shape.w;
    const int x = pixel % shape.out_w * shape.stride - shape.pad + place % area % shape.r;
    const int y = pixel / shape.out_w * shape.stride - shape.pad + place % area / shape.r;
    columns[static_cast<std::size_t>(place) * static_cast<std::size_t>(shape.pixels()) +
            static_cast<std::size_t>(pixel)] = sample_at(channel, shape, x, y);
}

constexpr int tile = 16;  // results of a block, squared, in the next two

__host__ __device__ constexpr int tile_samples(int r, int stride) {
    return (tile - 1) * stride + r;
}

// Channel after channel passes through shared memory: each sample is read once for all the results that it belongs to,
// though once more for each filter.
__global__ void __launch_bounds__(tile* tile)
    shared_tile(Shape shape, const float* in, const float* weights, float* out) {
    extern __shared__ __align__(128) Byte shared[];
    const int side = tile_samples(shape.r, shape.stride);
    const int area = shape.r * shape.r;
    float* const samples = reinterpret_cast<float*>(shared);
    float* const taps = samples + side * side;
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int thread = ty * tile + tx;
    const int filter = static_cast<int>(blockIdx.z) % shape.k;
    const int input = static_cast<int>(blockIdx.z) / shape.k;
    const int left = static_cast<int>(blockIdx.x) * tile * shape.stride - shape.pad;
    const int top = static_cast<int>(blockIdx.y) * tile * shape.stride - shape.pad;
    float sum = 0;
    for (int c = 0; c < shape.c; ++c) {
        const float* const channel = in + (input * shape.c + c) * shape.h * shape.w;
        __syncthreads();
        for (int i = thread; i < side * side; i += tile * tile) {
            samples[i] = sample_at(channel, shape, left + i % side, top + i / side);
        }
        for (int i = thread; i < area; i += tile * tile) {
            taps[i] = weights[filter * shape.depth() + c * area + i];
        }
        __syncthreads();
        for (int j = 0; j < shape.r; ++j) {
            for (int i = 0; i < shape.r; ++i) {
                sum += taps[j * shape.r + i] * samples[(ty * shape.stride + j) * side + tx * shape.stride + i];
            }
        }
    }
    const int x = static_cast<int>(blockIdx.x) * tile + tx;
    const int y = static_cast<int>(blockIdx.y) * tile + ty;
    if (x < shape.out_w && y < shape.out_h) {
        out[(input * shape.k + filter) * shape.pixels() + y * shape.out_w + x] = sum;
    }
}

constexpr int register_filters = 8;  // of a thread
constexpr int register_rows = 8;     // of threads; each computes a result in the tile's upper and one in its lower half
static_assert(2 * register_rows == tile);

// A thread computes two results of eight filters: two samples and eight taps in registers make sixteen multiply-adds. A
// few channels at once, so that threads wait for each other less often.
template <int r, int stride, int channels>
__global__ void __launch_bounds__(tile* register_rows)
    register_tile(Shape shape, const float* in, const float* weights, float* out) {
    constexpr int side = tile_samples(r, stride);
    constexpr int threads = tile * register_rows;
    __shared__ float samples[channels][side][side];
    __shared__ __align__(16) float taps[channels][r * r][register_filters];
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int thread = ty * tile + tx;
    const int groups = (shape.k + register_filters - 1) / register_filters;
    const int first_filter = static_cast<int>(blockIdx.z) % groups * register_filters;
    const int input = static_cast<int>(blockIdx.z) / groups;
    const int left = static_cast<int>(blockIdx.x) * tile * stride - shape.pad;
    const int top = static_cast<int>(blockIdx.y) * tile * stride - shape.pad;
    float sums[2][register_filters] = {};
    for (int first = 0; first < shape.c; first += channels) {
        __syncthreads();
        for (int i = thread; i < channels * side * side; i += threads) {
            const int c = first + i / (side * side);
            const int x = left + i % side;
            const int y = top + i % (side * side) / side;
            const float* const channel = in + (input * shape.c + min(c, shape.c - 1)) * shape.h * shape.w;
            samples[i / (side * side)][i % (side * side) / side][i % side] =
                c < shape.c ? sample_at(channel, shape, x, y) : 0.0f;
        }
        for (int i = thread; i < channels * r * r * register_filters; i += threads) {
            const int filter = first_filter + i % register_filters;
            const int tap = i / register_filters % (r * r);
            const int c = first + i / (register_filters * r * r);
            const bool there = filter < shape.k && c < shape.c;
            taps[i / (register_filters * r * r)][tap][i % register_filters] =
                there ? weights[(filter * shape.c + c) * r * r + tap] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int c = 0; c < channels; ++c) {
#pragma unroll
            for (int tap = 0; tap < r * r; ++tap) {
                const int x = tx * stride + tap % r;
                const int y = ty * stride + tap / r;
                const float upper = samples[c][y][x];
                const float lower = samples[c][y + register_rows * stride][x];
#pragma unroll
                for (int n = 0; n < register_filters; n += 4) {
                    const float4 four = *reinterpret_cast<const float4*>(&taps[c][tap][n]);
                    const float each[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
                    for (int m = 0; m < 4; ++m) {
                        sums[0][n + m] += each[m] * upper;
                        sums[1][n + m] += each[m] * lower;
                    }
                }
            }
        }
    }
    const int x = static_cast<int>(blockIdx.x) * tile + tx;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int y = static_cast<int>(blockIdx.y) * tile + ty + half * register_rows;
#pragma unroll
        for (int n = 0; n < register_filters; ++n) {
            const int filter = first_filter + n;
            if (x < shape.out_w && y < shape.out_h && filter < shape.k) {
                out[(input * shape.k + filter) * shape.pixels() + y * shape.out_w + x] = sums[half][n];
            }
        }
    }
}

// The product of matrices of im2col without its matrix: filters (64 a block) times columns (64 a block), of which a
// step's 32 rows are gathered into shared memory just before tensor cores take them. A warp computes 32 x 32 results.
constexpr int unit = 16;
constexpr int gemm_side = 64;
constexpr int gemm_step = 32;
constexpr int gemm_threads = 128;
constexpr int gemm_warp_side = 32;
// 8 halves, or 4 floats, more in a row than needed: rows then begin in different banks.
constexpr int gemm_weights = gemm_step + 8;
constexpr int gemm_samples = gemm_side + 8;
constexpr int gemm_results = gemm_side + 4;

template <int r>
__global__ void __launch_bounds__(gemm_threads)
    implicit_gemm(Shape shape, const __half* in, const __half* weights, __half* out) {
    using namespace nvcuda;
    __shared__ __align__(128) __half taps[gemm_side * gemm_weights];
    __shared__ __align__(128) __half samples[gemm_step * gemm_samples];
    __shared__ __align__(128) float results[gemm_side * gemm_results];
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread / 32;
    const int warp_filter = warp / 2 * gemm_warp_side;
    const int warp_pixel = warp % 2 * gemm_warp_side;
    const int first_filter = static_cast<int>(blockIdx.y) * gemm_side;
    const int first_pixel = static_cast<int>(blockIdx.x) * gemm_side;
    const int input = static_cast<int>(blockIdx.z);
    const int depth = shape.depth();
    // A thread always gathers for the same result.
    static_assert(gemm_threads % gemm_side == 0);
    const int pixel = first_pixel + thread % gemm_side;
    const int left = pixel % shape.out_w * shape.stride - shape.pad;
    const int top = pixel / shape.out_w * shape.stride - shape.pad;

    wmma::fragment<wmma::accumulator, unit, unit, unit, float> sums[2][2];
#pragma unroll
    for (int n = 0; n < 4; ++n) {
        wmma::fill_fragment(sums[n / 2][n % 2], 0.0f);
    }
    for (int first = 0; first < depth; first += gemm_step) {
        for (int i = thread; i < gemm_side * gemm_step; i += gemm_threads) {
            const int filter = first_filter + i / gemm_step;
            const int place = first + i % gemm_step;
            const bool there = filter < shape.k && place < depth;
            taps[i / gemm_step * gemm_weights + i % gemm_step] =
                there ? weights[filter * depth + place] : __float2half(0.0f);
        }
        for (int i = thread / gemm_side; i < gemm_step; i += gemm_threads / gemm_side) {
            const int place = first + i;
            __half sample = __float2half(0.0f);
            if (place < depth && pixel < shape.pixels()) {
                const __half* const channel = in + (input * shape.c + place / (r * r)) * shape.h * shape.w;
                sample = sample_at(channel, shape, left + place % r, top + place % (r * r) / r);
            }
            samples[i * gemm_samples + thread % gemm_side] = sample;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < gemm_step; k += unit) {
            wmma::fragment<wmma::matrix_a, unit, unit, unit, __half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, unit, unit, unit, __half, wmma::row_major> b[2];
#pragma unroll
            for (int n = 0; n < 2; ++n) {
                wmma::load_matrix_sync(a[n], taps + (warp_filter + n * unit) * gemm_weights + k, gemm_weights);
                wmma::load_matrix_sync(b[n], samples + k * gemm_samples + warp_pixel + n * unit, gemm_samples);
            }
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                wmma::mma_sync(sums[n / 2][n % 2], a[n / 2], b[n % 2], sums[n / 2][n % 2]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
        float* const to = results + (warp_filter + n / 2 * unit) * gemm_results + warp_pixel + n % 2 * unit;
        wmma::store_matrix_sync(to, sums[n / 2][n % 2], gemm_results, wmma::mem_row_major);
    }
    __syncthreads();
    for (int i = thread; i < gemm_side * gemm_side; i += gemm_threads) {
        const int filter = first_filter + i / gemm_side;
        const int result = first_pixel + i % gemm_side;
        if (filter < shape.k && result < shape.pixels()) {
            out[(input * shape.k + filter) * shape.pixels() + result] =
                __float2half(results[i / gemm_side * gemm_results + i % gemm_side]);
        }
    }
}

// Numbers in [-1, 1) of more digits than TF32 keeps.
__global__ void scatter_values(float* to, std::size_t count, std::uint32_t seed) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
        std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761u + seed;
        x ^= x >> 16;
        x *= 0x85ebca6bu;
        x ^= x >> 13;
        to[i] = static_cast<float>(static_cast<int>(x & 0xffffu) - 32768) / 32768.0f;
    }
}

// Into fp16, `channels` last if wanted: where they were images x channels x pixels.
__global__ void to_halves(const float* from, __half* to, std::size_t count, unsigned channels, unsigned pixels,
                          bool last) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
        const std::size_t image = i / pixels / channels;
        const std::size_t channel = i / pixels % channels;
        const std::size_t place = last ? (image * pixels + i % pixels) * channels + channel : i;
        to[place] = __float2half(from[i]);
    }
}

}  // namespace

}  // namespace vfilter::study
