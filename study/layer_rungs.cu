// The layer ladder on a GPU: how each rung is set up, verified and timed.

#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "bench/gpu.h"
#include "bench/gpu_libraries.h"
#include "study/layer_kernels.cuh"

namespace vfilter::study {

namespace {

enum class Result { floats, halves, halves_channels_last };

// How a rung computes a layer: `run` takes buffers number n and does not wait.
struct Way {
    std::function<void(int n, cudaStream_t stream)> run;
    Result result = Result::floats;
};

// Inputs and results, so many that no cache holds them, and the weights, as the rungs want them.
class Bench {
public:
    explicit Bench(const Layer& which)
        : layer(which),
          shape(shape_of(which)),
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
    // Room for fp32; fp16 takes half of it.
    template <class T = float>
    [[nodiscard]] T* out(int n) const {
        return of<T>(out_, outputs(), n);
    }

    // Inputs and weights in fp16.
    struct Halves {
        Device<__half> in;
        Device<__half> weights;
        std::size_t inputs;

        [[nodiscard]] const __half* input(int n) const { return in.get() + inputs * static_cast<std::size_t>(n); }
    };
    [[nodiscard]] Halves halves(bool channels_last) const {
        Halves made{on_device<__half>(inputs() * copies()), on_device<__half>(weights()), inputs()};
        const auto channels = static_cast<unsigned>(layer.c);
        to_halves<<<1024, 256>>>(in(0), made.in.get(), inputs() * copies(), channels,
                                 static_cast<unsigned>(layer.h * layer.w), channels_last);
        to_halves<<<1024, 256>>>(filters(), made.weights.get(), weights(), channels,
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
    // What a way has made of input number n, in the order of NCHW.
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
    // So that what one rung has made is not taken for the next one's.
    void forget() const {
        cuda_check(cudaMemset(out_.get(), 0xFF, sizeof(float) * outputs() * copies()), "cudaMemset");
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }

    const Layer& layer;
    const Shape shape;
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
    return {[&bench, columns = on_device<float>(pixels * depth), pixels, depth](int n, cudaStream_t stream) {
        const Layer& layer = bench.layer;
        for (int i = 0; i < layer.n; ++i) {
            columns_of_samples<<<dim3(parts(pixels, 256), static_cast<unsigned>(depth)), 256, 0, stream>>>(
                bench.shape, bench.in(n) + i * layer.c * layer.h * layer.w, columns.get());
            launched("columns_of_samples");
            cublas_multiply(static_cast<int>(pixels), layer.k, static_cast<int>(depth), columns.get(), bench.filters(),
                            bench.out(n) + i * layer.k * bench.shape.pixels(), stream);
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
    const Bench::Halves halves = bench.halves(false);
    return {[&bench, kernel, halves](int n, cudaStream_t stream) {
                const dim3 blocks(parts(static_cast<std::size_t>(bench.shape.pixels()), gemm_side),
                                  parts(static_cast<std::size_t>(bench.shape.k), gemm_side),
                                  static_cast<unsigned>(bench.layer.n));
                kernel<<<blocks, gemm_threads, 0, stream>>>(bench.shape, halves.input(n), halves.weights.get(),
                                                            bench.out<__half>(n));
                launched("implicit_gemm");
            },
            Result::halves};
}

CudnnShape cudnn_shape(const Layer& layer, bool half, bool channels_last) {
    return {layer.n, layer.c,   layer.h,   layer.w,      layer.k, layer.r,
            layer.r, layer.pad, layer.pad, layer.stride, half,    channels_last};
}

Way make_cudnn(const Bench& bench) {
    const CudnnConvolution convolution =
        cudnn_convolution(cudnn_shape(bench.layer, false, false), bench.in(0), bench.filters(), bench.out(0));
    return {[&bench, convolution](int n, cudaStream_t stream) {
        convolution.run(bench.in(n), bench.filters(), bench.out(n), stream);
    }};
}

// With channels last where that is faster, or the only way.
Way make_cudnn_half(const Bench& bench) {
    std::optional<Way> best;
    float least = std::numeric_limits<float>::infinity();
    for (const bool last : {true, false}) {
        const Bench::Halves halves = bench.halves(last);
        try {
            const CudnnConvolution convolution = cudnn_convolution(
                cudnn_shape(bench.layer, true, last), halves.input(0), halves.weights.get(), bench.out<__half>(0));
            if (convolution.trial_milliseconds < least) {
                least = convolution.trial_milliseconds;
                best = Way{[&bench, halves, convolution](int n, cudaStream_t stream) {
                               convolution.run(halves.input(n), halves.weights.get(), bench.out<__half>(n), stream);
                           },
                           last ? Result::halves_channels_last : Result::halves};
            }
        } catch (const std::exception&) {
            cudaGetLastError();  // the other layout may do
        }
    }
    if (!best) {
        throw std::runtime_error("cuDNN has no algorithm for it");
    }
    return *best;
}

struct LayerRung {
    Rung rung;
    Way (*make)(const Bench&);
    bool tensor = false;
    std::optional<GpuLibrary> library = std::nullopt;
};

constexpr LayerRung rungs[] = {
    {{"direct", "a thread for each result, everything from global memory"}, make_direct},
    {{"im2col + cuBLAS", "a matrix product, for which each sample is written r x r times", false, true},
     make_matrix,
     false,
     GpuLibrary::cublas},
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
     GpuLibrary::cudnn},
    {{"cuDNN, fp16 tensor cores", "the same in fp16, in the faster of two layouts", false, true},
     make_cudnn_half,
     true,
     GpuLibrary::cudnn},
};

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

void verify_and_time(const LayerRung& rung, const Bench& bench, const Expected& first, const Expected& last,
                     Climb& climb) {
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
        climb.refute(off_by(climb.difference, "of what is allowed"));
        return;
    }
    climb.microseconds = measure_alone([&](int n, cudaStream_t stream) { way.run(n % bench.count, stream); });
    // Compared as bits: a result that was not a number before is not a different one.
    const std::vector<float> after = bench.results(way, 0);
    if (std::memcmp(before.data(), after.data(), sizeof(float) * before.size()) != 0) {
        climb.refute("other results after it was timed than before");
    }
}

}  // namespace

std::vector<Rung> layer_rungs() {
    return rungs_of(rungs);
}

std::vector<Climb> climb_layer(const Layer& layer, const Begin& begin) {
    const Bench bench(layer);
    const Expected first(bench, 0);
    const Expected last(bench, bench.count - 1);
    const Peak all = peak();
    return climb_rungs<LayerRung>(rungs, begin, [&](const LayerRung& rung, Climb& climb) {
        const ErrorScope errors;
        climb.flops = layer.flops();
        climb.bytes = layer.values() * static_cast<double>(rung.tensor ? sizeof(__half) : sizeof(float));
        climb.peak = rung.tensor ? all.fp16_tensor : all.fp32;
        climb.failure = rung.library ? why_missing(*rung.library) : "";
        if (climb.failure.empty()) {
            verify_and_time(rung, bench, first, last, climb);
        }
    });
}

}  // namespace vfilter::study
