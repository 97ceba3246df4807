// Rungs of the filter ladder that are somebody's finished work, and the kernels that bring it its data.

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/gpu_libraries.h"
#include "study/filter_bench.cuh"

namespace vfilter::study {

namespace {

// A Fourier transform wraps around: the border goes into the picture, and zeros after it.
__global__ void pad(Floats from, Floats to, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (to.holds(x, y)) {
        const bool inside = x < from.width + 2 * radius && y < from.height + 2 * radius;
        to.put(x, y, inside ? from.at(x - radius, y - radius) : 0.0f);
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

__global__ void crop(Floats from, Floats to, int radius) {
    const int x = column_of_thread();
    const int y = row_of_thread();
    if (to.holds(x, y)) {
        to.put(x, y, from.at(x + 2 * radius, y + 2 * radius));
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

// A length that a fast Fourier transform likes: no prime factor above 7, and even.
int smooth(int length) {
    for (int candidate = length + length % 2;; candidate += 2) {
        int rest = candidate;
        for (const int factor : {2, 3, 5, 7}) {
            while (rest % factor == 0) {
                rest /= factor;
            }
        }
        if (rest == 1) {
            return candidate;
        }
    }
}

struct Fourier {
    explicit Fourier(const Bench& bench)
        : width(smooth(bench.filter.width + 2 * bench.filter.radius)),
          height(smooth(bench.filter.height + 2 * bench.filter.radius)),
          count(static_cast<unsigned>(width / 2 + 1) * static_cast<unsigned>(height)),
          samples(on_device<float>(padded().plane * group)),
          spectra(on_device<float2>(std::size_t{count} * group)),
          taps(on_device<float2>(count)),
          forward(cufft_transform(width, height, group, Direction::forward)),
          backward(cufft_transform(width, height, group, Direction::backward)) {
        const std::vector<float>& square = bench.square_of_taps();
        const std::size_t size = bench.line_of_taps().size();
        std::vector<float> picture(padded().plane);
        for (std::size_t i = 0; i < square.size(); ++i) {
            picture[i / size * static_cast<std::size_t>(width) + i % size] = square[i];
        }
        const Device<float> source = on_device(picture);
        cufft_transform(width, height, 1, Direction::forward)(source.get(), taps.get(), nullptr);
        cuda_check(cudaDeviceSynchronize(), "cufftExecR2C");
    }
    [[nodiscard]] Floats padded() const {
        const auto pitch = static_cast<std::size_t>(width);
        return {samples.get(), width, height, pitch, pitch * static_cast<std::size_t>(height)};
    }

    int width;
    int height;
    unsigned count;  // of the numbers of a spectrum
    Device<float> samples{};
    Device<float2> spectra;
    Device<float2> taps;
    Transform forward;
    Transform backward;
};

// Buffers are filled with taps; shapes are those of a group of planes with one channel.
CudnnConvolution cudnn_plane(const Bench& bench, int rows, int columns, const float* from, const float* taps,
                             float* to) {
    return cudnn_convolution(
        {group, 1, bench.filter.height, bench.filter.width, 1, rows, columns, rows / 2, columns / 2}, from, taps, to);
}

// NPP takes one picture at a time.
template <class Filter>
Way each_by_npp(Bench& bench, Filter filter) {
    const Device<float> taps = on_device(bench.line_of_taps());
    return {[&bench, filter, taps](int first, int pictures, cudaStream_t stream) {
        for (int n = first; n < first + pictures; ++n) {
            const Bytes from = bench.from(n);
            filter(NppPlane{from.data, bench.to(n).data, from.width, from.height, static_cast<int>(from.pitch), 8}, n,
                   taps.get(), bench.filter.size(), stream);
        }
    }};
}

}  // namespace

Way make_fourier(Bench& bench) {
    bench.want_floats();
    const auto run = [&bench, fourier = std::make_shared<Fourier>(bench)](int first, int pictures,
                                                                          cudaStream_t stream) {
        const Floats padded = fourier->padded();
        const dim3 blocks(parts(padded.pitch, 32), parts(static_cast<std::size_t>(padded.height), 8),
                          static_cast<unsigned>(pictures));
        pad<<<blocks, dim3(32, 8), 0, stream>>>(bench.float_from(first), padded, bench.filter.radius);
        cuda_check(cudaGetLastError(), "pad");
        fourier->forward(padded.data, fourier->spectra.get(), stream);
        multiply<<<dim3(parts(fourier->count, 256), 1, static_cast<unsigned>(pictures)), 256, 0, stream>>>(
            fourier->spectra.get(), fourier->taps.get(), fourier->count, 1.0f / static_cast<float>(padded.plane));
        cuda_check(cudaGetLastError(), "multiply");
        fourier->backward(fourier->spectra.get(), padded.data, stream);
        launch(bench, strips, pictures, stream, crop, padded, bench.float_to(first), bench.filter.radius);
    };
    return {run, false, true};
}

double fourier_flops(const FilterCase& filter) {
    const double n = double{1} * smooth(filter.width + 2 * filter.radius) * smooth(filter.height + 2 * filter.radius);
    return 5 * n * std::log2(n) + 3 * n;
}

Way make_matrix(Bench& bench) {
    bench.want_floats();
    constexpr std::size_t max_bytes = std::size_t{256} << 20;  // of the matrix of columns
    const std::size_t taps = bench.square_of_taps().size();
    const std::size_t row = taps * static_cast<std::size_t>(bench.filter.width);
    const int rows = std::clamp(static_cast<int>(max_bytes / sizeof(float) / row), 1, bench.filter.height);
    const Device<float> columns = on_device<float>(row * static_cast<std::size_t>(rows));
    const Device<float> weights = on_device(bench.square_of_taps());
    const auto picture = [&bench, columns, weights, rows, taps](int number, cudaStream_t stream) {
        const Floats from = bench.float_from(number);
        for (int first = 0; first < from.height; first += rows) {
            const auto results = static_cast<unsigned>(std::min(rows, from.height - first) * from.width);
            columns_of_samples<<<dim3(parts(results, 256), static_cast<unsigned>(taps)), 256, 0, stream>>>(
                from.data, columns.get(), from.width, from.height, first, results, bench.filter.radius);
            cuda_check(cudaGetLastError(), "columns_of_samples");
            cublas_multiply(static_cast<int>(results), 1, static_cast<int>(taps), columns.get(), weights.get(),
                            bench.float_to(number).data + static_cast<std::size_t>(first) * from.pitch, stream);
        }
    };
    return {[picture](int first, int pictures, cudaStream_t stream) {
                for (int n = 0; n < pictures; ++n) {
                    picture(first + n, stream);
                }
            },
            false};
}

Way make_cudnn_square(Bench& bench) {
    bench.want_floats();
    const int size = bench.filter.size();
    const Device<float> taps = on_device(bench.square_of_taps());
    const CudnnConvolution convolution =
        cudnn_plane(bench, size, size, bench.float_from(0).data, taps.get(), bench.float_to(0).data);
    return {[&bench, taps, convolution](int first, int /*pictures*/, cudaStream_t stream) {
                convolution.run(bench.float_from(first).data, taps.get(), bench.float_to(first).data, stream);
            },
            false, true, bench.filter.radius};
}

Way make_cudnn_lines(Bench& bench) {
    bench.want_floats();
    const int size = bench.filter.size();
    const Device<float> taps = on_device(bench.line_of_taps());
    const Device<float> between = on_device<float>(bench.float_from(0).plane * group);
    const CudnnConvolution rows = cudnn_plane(bench, 1, size, bench.float_from(0).data, taps.get(), between.get());
    const CudnnConvolution columns = cudnn_plane(bench, size, 1, between.get(), taps.get(), bench.float_to(0).data);
    return {[&bench, taps, between, rows, columns](int first, int /*pictures*/, cudaStream_t stream) {
                rows.run(bench.float_from(first).data, taps.get(), between.get(), stream);
                columns.run(between.get(), taps.get(), bench.float_to(first).data, stream);
            },
            false, true, bench.filter.radius};
}

Way make_npp_gauss(Bench& bench) {
    return each_by_npp(bench, [](const NppPlane& plane, int /*number*/, const float* taps, int size,
                                 cudaStream_t stream) { npp_gauss(plane, taps, size, stream); });
}

Way make_npp_lines(Bench& bench) {
    const Device<Byte> between = on_device<Byte>(bench.plane_bytes() * group);
    const std::size_t bytes = bench.plane_bytes();
    return each_by_npp(
        bench, [between, bytes](const NppPlane& plane, int number, const float* taps, int size, cudaStream_t stream) {
            Byte* const own = between.get() + bytes * static_cast<std::size_t>(number % group);
            npp_rows_and_columns(plane, own, taps, size, stream);
        });
}

Way make_ours(Bench& bench) {
    const auto convolver = std::make_shared<CudaFilter>(std::vector{filter_of(bench.filter)}, Border::replicate);
    return {[&bench, convolver](int first, int pictures, cudaStream_t stream) {
        std::array<PlaneJob, group> jobs;
        const auto plane = [](const Bytes& bytes) -> DevicePlane {
            return {bytes.data, bytes.width, bytes.height, static_cast<std::ptrdiff_t>(bytes.pitch)};
        };
        for (int n = 0; n < pictures; ++n) {
            jobs[static_cast<std::size_t>(n)] = {plane(bench.from(first + n)), plane(bench.to(first + n)), 0, 0};
        }
        convolver->launch(std::span(jobs).first(static_cast<std::size_t>(pictures)), stream);
    }};
}

Way make_copy(Bench& bench) {
    return {[&bench](int first, int pictures, cudaStream_t stream) {
        copy(bench.from(first).data, bench.to(first).data, bench.plane_bytes() * static_cast<std::size_t>(pictures),
             stream);
    }};
}

}  // namespace vfilter::study
