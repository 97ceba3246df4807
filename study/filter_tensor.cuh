#pragma once
// The filter ladder's rung on tensor cores, as a textbook has it.

#include <cuda_fp16.h>
#include <mma.h>

#include "study/filter_kernels.cuh"

namespace vfilter::study {

namespace {

// Tensor cores multiply 16 x 16 matrices. A band of taps is one: samples (rows x K) times band (K x 16) is the row pass
// for 16 columns, and the same band, transposed, from the left is the column pass. Most of its numbers are zeros, and
// it is still faster. Bytes are exact in fp16, sums are fp32; what lies between the passes is rounded to fp16.
constexpr int unit = 16;
constexpr int tensor_side = 64;  // results of a block, squared
constexpr int tensor_warps = 8;
constexpr int tensor_pitch = tensor_side + 8;  // halves of a row: 8 more, so that rows begin in different banks

// Rows of the band: what 16 results in a line need.
__host__ __device__ constexpr int band_rows(int radius) {
    return (unit + 2 * radius + unit - 1) / unit * unit;
}
__host__ __device__ constexpr int tensor_tile(int radius) {
    return tensor_side - unit + band_rows(radius);
}
constexpr std::size_t tensor_shared(int radius) {
    const int side = tensor_tile(radius);
    const int halves = side * (side + 8) + side * tensor_pitch + band_rows(radius) * unit;
    return sizeof(__half) * static_cast<std::size_t>(halves) + sizeof(float) * tensor_warps * unit * unit;
}
static_assert(tensor_shared(max_radius) <= 65536, "what a block may have on all GPUs since Turing");

__global__ void __launch_bounds__(32 * tensor_warps) tensor_cores(Bytes from, Bytes to, int radius) {
    using namespace nvcuda;
    extern __shared__ __align__(128) Byte shared[];
    const int span = band_rows(radius);
    const int side = tensor_tile(radius);
    const int pitch = side + 8;
    __half* const samples = reinterpret_cast<__half*>(shared);
    __half* const intermediate = samples + side * pitch;
    __half* const band = intermediate + side * tensor_pitch;
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread / 32;
    const int lane = thread % 32;
    float* const results = reinterpret_cast<float*>(band + span * unit) + warp * unit * unit;
    const int left = static_cast<int>(blockIdx.x) * tensor_side;
    const int top = static_cast<int>(blockIdx.y) * tensor_side;

    for (int i = thread; i < side * side; i += 32 * tensor_warps) {
        samples[i / side * pitch + i % side] = __float2half(from.at(left - radius + i % side, top - radius + i / side));
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
            intermediate[(i + n / unit) * tensor_pitch + j + n % unit] = __float2half(results[n]);
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
            wmma::load_matrix_sync(b, intermediate + (i + k) * tensor_pitch + j, tensor_pitch);
            wmma::mma_sync(sum, a, b, sum);
        }
        wmma::store_matrix_sync(results, sum, unit, wmma::mem_row_major);
        __syncwarp();
        for (int n = lane; n < unit * unit; n += 32) {
            const int x = left + j + n % unit;
            const int y = top + i + n / unit;
            if (to.holds(x, y)) {
                to.put(x, y, results[n]);
            }
        }
        __syncwarp();
    }
}

}  // namespace

}  // namespace vfilter::study
