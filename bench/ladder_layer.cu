// The layer ladder's rungs on a GPU: C channels in, K filters over all of them, NCHW. fp32, or fp16 on tensor cores.

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "bench/gpu_libraries.h"
#include "bench/ladder.h"

namespace vfilter::bench {

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

enum class Result { floats, halves, halves_channels_last };

// How a rung computes a layer: `run` takes buffers number n and does not wait.
struct Way {
    std::function<void(int n, cudaStream_t stream)> run;
    Result result = Result::floats;
};

// Inputs and results, so many that no cache holds them, and the weights, as the rungs want them.
class Bench {
public:
    Bench(const Layer& which, const Libraries& all)
        : layer(which),
          shape(shape_of(which)),
          libraries(all),
          count(static_cast<int>(
              std::clamp<std::size_t>(rotated_bytes() / (sizeof(float) * (inputs() + outputs())) + 1, 2, 4096))),
          in_(allocate(sizeof(float) * inputs() * copies())),
          weights_(allocate(sizeof(float) * weights())),
          out_(allocate(sizeof(float) * outputs() * copies())) {
        scatter_values<<<1024, 256>>>(in(0), inputs() * copies(), 1);
        scatter_values<<<1024, 256>>>(filters(), weights(), 77);
        cuda_check(cudaGetLastError(), "scatter_values");
        cuda_check(cudaDeviceSynchronize(), "scatter_values");
    }

    [[nodiscard]] std::size_t inputs() const { return static_cast<std::size_t>(layer.inputs()); }
    [[nodiscard]] std::size_t weights() const { return static_cast<std::size_t>(layer.weights()); }
    [[nodiscard]] std::size_t outputs() const { return static_cast<std::size_t>(layer.outputs()); }
    [[nodiscard]] std::size_t copies() const { return static_cast<std::size_t>(count); }
    [[nodiscard]] float* in(int n) const { return of<float>(in_, inputs(), n); }
    [[nodiscard]] float* filters() const { return of<float>(weights_, 0, 0); }
    /// Room for fp32; fp16 takes half of it.
    template <class T = float>
    [[nodiscard]] T* out(int n) const {
        return of<T>(out_, outputs(), n);
    }

    struct Halves {
        DeviceMemory in;
        DeviceMemory weights;
        std::size_t inputs;

        [[nodiscard]] const __half* input(int n) const { return of<__half>(in, inputs, n); }
        [[nodiscard]] const __half* filters() const { return of<__half>(weights, 0, 0); }
    };
    [[nodiscard]] std::shared_ptr<Halves> halves(bool channels_last) const {
        auto made = std::make_shared<Halves>(
            Halves{allocate(sizeof(__half) * inputs() * copies()), allocate(sizeof(__half) * weights()), inputs()});
        const auto channels = static_cast<unsigned>(layer.c);
        to_halves<<<1024, 256>>>(in(0), of<__half>(made->in, 0, 0), inputs() * copies(), channels,
                                 static_cast<unsigned>(layer.h * layer.w), channels_last);
        to_halves<<<1024, 256>>>(filters(), of<__half>(made->weights, 0, 0), weights(), channels,
                                 static_cast<unsigned>(layer.r * layer.r), channels_last);
        cuda_check(cudaGetLastError(), "to_halves");
        cuda_check(cudaDeviceSynchronize(), "to_halves");
        return made;
    }

    [[nodiscard]] std::vector<float> fetch(const float* from, std::size_t values) const {
        std::vector<float> to(values);
        cuda_check(cudaMemcpy(to.data(), from, sizeof(float) * values, cudaMemcpyDeviceToHost), "cudaMemcpy");
        return to;
    }
    /// What a way has made of input number n, in the order of NCHW.
    [[nodiscard]] std::vector<float> results(const Way& way, int n) const {
        if (way.result == Result::floats) {
            return fetch(out(n), outputs());
        }
        std::vector<__half> raw(outputs());
        cuda_check(cudaMemcpy(raw.data(), out<__half>(n), sizeof(__half) * outputs(), cudaMemcpyDeviceToHost),
                   "cudaMemcpy");
        const auto pixels = static_cast<std::size_t>(shape.pixels());
        const auto channels = static_cast<std::size_t>(layer.k);
        std::vector<float> to(outputs());
        for (std::size_t i = 0; i < to.size(); ++i) {
            const std::size_t last = (i / pixels / channels * pixels + i % pixels) * channels + i / pixels % channels;
            to[i] = __half2float(raw[way.result == Result::halves ? i : last]);
        }
        return to;
    }
    /// So that what one rung has made is not taken for the next one's.
    void forget() const {
        cuda_check(cudaMemset(out_.get(), 0xFF, sizeof(float) * outputs() * copies()), "cudaMemset");
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }

    const Layer& layer;
    const Shape shape;
    const Libraries& libraries;
    const int count;

private:
    template <class T>
    static T* of(const DeviceMemory& memory, std::size_t values, int n) {
        return reinterpret_cast<T*>(memory.get()) + values * static_cast<std::size_t>(n);
    }

    DeviceMemory in_;
    DeviceMemory weights_;
    DeviceMemory out_;
};

void launched(const char* kernel) {
    cuda_check(cudaGetLastError(), kernel);
}

dim3 tiles_of(const Shape& shape, int layers) {
    return {parts(static_cast<std::size_t>(shape.out_w), tile), parts(static_cast<std::size_t>(shape.out_h), tile),
            static_cast<unsigned>(layers)};
}

Way make_direct(const Bench& bench) {
    return {[&bench](int n, cudaStream_t stream) {
        const Shape& shape = bench.shape;
        const dim3 blocks(parts(static_cast<std::size_t>(shape.pixels()), 128), static_cast<unsigned>(shape.k),
                          static_cast<unsigned>(bench.layer.n));
        direct<<<blocks, 128, 0, stream>>>(shape, bench.in(n), bench.filters(), bench.out(n));
        launched("direct");
    }};
}

Way make_matrix(const Bench& bench) {
    const auto pixels = static_cast<std::size_t>(bench.shape.pixels());
    const auto depth = static_cast<std::size_t>(bench.shape.depth());
    const std::shared_ptr<Byte> memory(allocate(sizeof(float) * pixels * depth));
    return {[&bench, memory, pixels, depth](int n, cudaStream_t stream) {
        auto* const columns = reinterpret_cast<float*>(memory.get());
        const Layer& layer = bench.layer;
        for (int i = 0; i < layer.n; ++i) {
            columns_of_samples<<<dim3(parts(pixels, 256), static_cast<unsigned>(depth)), 256, 0, stream>>>(
                bench.shape, bench.in(n) + i * layer.c * layer.h * layer.w, columns);
            launched("columns_of_samples");
            bench.libraries.cublas.multiply(static_cast<int>(pixels), layer.k, static_cast<int>(depth), columns,
                                            bench.filters(), bench.out(n) + i * layer.k * bench.shape.pixels(), stream);
        }
    }};
}

Way make_shared_tile(const Bench& bench) {
    return {[&bench](int n, cudaStream_t stream) {
        const int side = tile_samples(bench.shape.r, bench.shape.stride);
        const auto values = static_cast<std::size_t>(side * side + bench.shape.r * bench.shape.r);
        shared_tile<<<tiles_of(bench.shape, bench.layer.n * bench.shape.k), dim3(tile, tile), sizeof(float) * values,
                      stream>>>(bench.shape, bench.in(n), bench.filters(), bench.out(n));
        launched("shared_tile");
    }};
}

// Kernels are made for a size of filters and a stride.
template <class Kernel>
struct Made {
    int r;
    int stride;
    Kernel kernel;
};

constexpr Made<void (*)(Shape, const float*, const float*, float*)> register_tiles[] = {
    {1, 1, register_tile<1, 1, 16>},
    {3, 1, register_tile<3, 1, 4>},
    {7, 2, register_tile<7, 2, 1>},
};

constexpr Made<void (*)(Shape, const __half*, const __half*, __half*)> implicit_gemms[] = {
    {1, 1, implicit_gemm<1>},
    {3, 1, implicit_gemm<3>},
    {7, 2, implicit_gemm<7>},
};

template <class Table>
auto kernel_for(const Table& table, const Shape& shape) {
    for (const auto& row : table) {
        if (row.r == shape.r && row.stride == shape.stride) {
            return row.kernel;
        }
    }
    throw std::runtime_error("not compiled for this layer");
}

Way make_register_tile(const Bench& bench) {
    const auto kernel = kernel_for(register_tiles, bench.shape);
    return {[&bench, kernel](int n, cudaStream_t stream) {
        const auto groups = static_cast<int>(parts(static_cast<std::size_t>(bench.shape.k), register_filters));
        kernel<<<tiles_of(bench.shape, bench.layer.n * groups), dim3(tile, register_rows), 0, stream>>>(
            bench.shape, bench.in(n), bench.filters(), bench.out(n));
        launched("register_tile");
    }};
}

Way make_implicit_gemm(const Bench& bench) {
    const auto kernel = kernel_for(implicit_gemms, bench.shape);
    const auto halves = bench.halves(false);
    return {[&bench, kernel, halves](int n, cudaStream_t stream) {
                const dim3 blocks(parts(static_cast<std::size_t>(bench.shape.pixels()), gemm_side),
                                  parts(static_cast<std::size_t>(bench.shape.k), gemm_side),
                                  static_cast<unsigned>(bench.layer.n));
                kernel<<<blocks, gemm_threads, 0, stream>>>(bench.shape, halves->input(n), halves->filters(),
                                                            bench.out<__half>(n));
                launched("implicit_gemm");
            },
            Result::halves};
}

CudnnConvolution::Shape cudnn_shape(const Layer& layer, bool half, CudnnConvolution::Layout layout) {
    return {layer.n, layer.c,   layer.h,   layer.w,      layer.k, layer.r,
            layer.r, layer.pad, layer.pad, layer.stride, half,    layout};
}

Way make_cudnn(const Bench& bench) {
    const auto convolution = std::make_shared<CudnnConvolution>(
        bench.libraries.cudnn, cudnn_shape(bench.layer, false, CudnnConvolution::Layout::nchw), bench.in(0),
        bench.filters(), bench.out(0));
    return {[&bench, convolution](int n, cudaStream_t stream) {
        convolution->run(bench.in(n), bench.filters(), bench.out(n), stream);
    }};
}

struct HalfConvolution {
    std::shared_ptr<Bench::Halves> halves;
    std::unique_ptr<CudnnConvolution> convolution;  ///< none: cuDNN has not got it
    bool channels_last;

    HalfConvolution(const Bench& bench, bool last) : halves(bench.halves(last)), channels_last(last) {
        using Layout = CudnnConvolution::Layout;
        try {
            convolution = std::make_unique<CudnnConvolution>(
                bench.libraries.cudnn, cudnn_shape(bench.layer, true, last ? Layout::nhwc : Layout::nchw),
                halves->input(0), halves->filters(), bench.out<__half>(0));
        } catch (const std::exception&) {
            cudaGetLastError();  // the other layout may do
        }
    }
    [[nodiscard]] float time() const {
        return convolution == nullptr ? std::numeric_limits<float>::infinity() : convolution->trial_milliseconds();
    }
};

// With channels last where that is faster.
Way make_cudnn_half(const Bench& bench) {
    auto first = std::make_shared<HalfConvolution>(bench, false);
    auto last = std::make_shared<HalfConvolution>(bench, true);
    const auto best = last->time() <= first->time() ? last : first;
    if (best->convolution == nullptr) {
        throw std::runtime_error("cuDNN has no algorithm for it");
    }
    return {[&bench, best](int n, cudaStream_t stream) {
                best->convolution->run(best->halves->input(n), best->halves->filters(), bench.out<__half>(n), stream);
            },
            best->channels_last ? Result::halves_channels_last : Result::halves};
}

struct LayerRung {
    Rung rung;
    Way (*make)(const Bench&);
    bool tensor = false;
    bool (*there)(const Libraries&) = nullptr;  ///< its library
};

bool cublas_there(const Libraries& libraries) {
    return libraries.cublas.there;
}
bool cudnn_there(const Libraries& libraries) {
    return libraries.cudnn.there;
}

constexpr LayerRung rungs[] = {
    {{"direct", "a thread for each result, everything from global memory"}, make_direct},
    {{"im2col + cuBLAS", "a matrix product, for which each sample is written r x r times", false, true},
     make_matrix,
     false,
     cublas_there},
    {{"shared-memory tile", "samples and taps once into shared memory for a tile of 16 x 16 results"},
     make_shared_tile},
    {{"register tile", "two results of eight filters for each thread: ten loads for sixteen multiply-adds"},
     make_register_tile},
    {{"tensor cores (implicit GEMM)", "the matrix product without the matrix: columns are gathered as they are needed"},
     make_implicit_gemm,
     true},
    {{"cuDNN", "the vendor's library in fp32, its fastest algorithm found by trial", false, true},
     make_cudnn,
     false,
     cudnn_there},
    {{"cuDNN, fp16 tensor cores", "the same in fp16, in the faster of two layouts", false, true},
     make_cudnn_half,
     true,
     cudnn_there},
};

constexpr auto names = [] {
    std::array<Rung, std::size(rungs)> result{};
    std::ranges::transform(rungs, result.begin(), [](const LayerRung& each) { return each.rung; });
    return result;
}();

// Some results of an input in double precision: those in the corners of each filter's plane, and some two thousand
// more.
struct Expected {
    struct Value {
        std::size_t place;
        double real;
        double terms;  ///< the sum of its terms' amounts: what errors are measured by
    };
    std::vector<Value> values;

    Expected(const Bench& bench, int n) {
        const std::vector<float> in = bench.fetch(bench.in(n), bench.inputs());
        const std::vector<float> weights = bench.fetch(bench.filters(), bench.weights());
        const Layer& layer = bench.layer;
        const int right = layer.out_w() - 1;
        const int bottom = layer.out_h() - 1;
        for (int plane = 0; plane < layer.n * layer.k; ++plane) {
            for (const auto& [x, y] : {std::pair{0, 0}, {right, 0}, {0, bottom}, {right, bottom}}) {
                values.push_back(value(layer, in, weights, plane, x, y));
            }
        }
        std::mt19937 random(3);
        for (int i = 0; i < 2000; ++i) {
            const int place = static_cast<int>(random() % static_cast<unsigned>(layer.outputs()));
            const int plane = place / bench.shape.pixels();
            const int pixel = place % bench.shape.pixels();
            values.push_back(value(layer, in, weights, plane, pixel % layer.out_w(), pixel / layer.out_w()));
        }
    }

    static Value value(const Layer& layer, const std::vector<float>& in, const std::vector<float>& weights, int plane,
                       int x, int y) {
        const int filter = plane % layer.k;
        const int input = plane / layer.k;
        Value result{static_cast<std::size_t>((plane * layer.out_h() + y) * layer.out_w() + x), 0, 0};
        for (int place = 0; place < layer.depth(); ++place) {
            const int c = place / (layer.r * layer.r);
            const int from_x = x * layer.stride - layer.pad + place % layer.r;
            const int from_y = y * layer.stride - layer.pad + place / layer.r % layer.r;
            if (from_x < 0 || from_x >= layer.w || from_y < 0 || from_y >= layer.h) {
                continue;
            }
            const int at = ((input * layer.c + c) * layer.h + from_y) * layer.w + from_x;
            const double term = double{in[static_cast<std::size_t>(at)]} *
                                double{weights[static_cast<std::size_t>(filter * layer.depth() + place)]};
            result.real += term;
            result.terms += std::abs(term);
        }
        return result;
    }

    /// The largest difference, as a share of what is allowed.
    [[nodiscard]] double difference(const std::vector<float>& results, double allowed) const {
        double largest = 0;
        for (const Value& each : values) {
            const double off = std::abs(double{results[each.place]} - each.real) / (allowed * each.terms + 1e-30);
            if (!(off <= largest)) {  // which is true of a NaN, too
                largest = std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
            }
        }
        return largest;
    }
};

void climb_rung(const LayerRung& rung, const Bench& bench, const Expected& first, const Expected& last, Climb& climb) {
    const double allowed = rung.tensor ? 2e-2 : 1e-4;
    const Way way = rung.make(bench);
    bench.forget();
    way.run(0, nullptr);
    way.run(bench.count - 1, nullptr);
    cuda_check(cudaDeviceSynchronize(), rung.rung.name.data());
    const std::vector<float> before = bench.results(way, 0);
    climb.difference =
        std::max(first.difference(before, allowed), last.difference(bench.results(way, bench.count - 1), allowed));
    if (climb.difference > 1) {
        climb.wrong = true;
        climb.failure = wrong_by(climb.difference) + " of what is allowed";
        return;
    }
    climb.microseconds = measure_alone([&](int n, cudaStream_t stream) { way.run(n % bench.count, stream); });
    // Compared as bits: a result that was not a number before is not a different one.
    const std::vector<float> after = bench.results(way, 0);
    if (std::memcmp(before.data(), after.data(), sizeof(float) * before.size()) != 0) {
        climb.wrong = true;
        climb.microseconds = {};
        climb.failure = "WRONG: other results after it was timed than before";
    }
}

}  // namespace

std::span<const Rung> GpuLadder::layer_rungs() {
    return names;
}

std::vector<Climb> GpuLadder::layer(const Layer& layer, const Begin& begin) {
    const Bench bench(layer, *libraries_);
    const Expected first(bench, 0);
    const Expected last(bench, bench.count - 1);
    const Peak all = peak();
    std::vector<Climb> result;
    for (const LayerRung& rung : rungs) {
        if (!begin(rung.rung)) {
            continue;
        }
        Climb climb{.rung = rung.rung,
                    .flops = layer.flops(),
                    .bytes = layer.values() * static_cast<double>(rung.tensor ? sizeof(__half) : sizeof(float)),
                    .peak = rung.tensor ? all.fp16_tensor : all.fp32};
        try {
            if (rung.there != nullptr && !rung.there(*libraries_)) {
                climb.failure = "the library was not found";
            } else {
                climb_rung(rung, bench, first, last, climb);
            }
        } catch (const std::exception& error) {
            climb.failure = error.what();
            climb.microseconds = {};
            cudaGetLastError();  // so that the next launch is not blamed for it
        }
        result.push_back(std::move(climb));
    }
    return result;
}

}  // namespace vfilter::bench
