// The CUDA kernels next to a plain copy, NPP and cuDNN, on one GPU.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "bench/gpu.h"
#include "bench/gpu_libraries.h"
#include "bench/gpu_pictures.h"
#include "bench/kernels.h"
#include "kernels/cuda/filter.h"

namespace vfilter::bench {

namespace {

constexpr int max_cudnn = 63;

// A blur of as many fp32 planes of zeros as a launch takes: two convolutions, each by cuDNN's fastest algorithm. Throws
// std::runtime_error where cuDNN cannot do it, or memory does not suffice.
Contestant cudnn_blur(int width, int height, const std::vector<double>& line) {
    constexpr int planes = measured_planes;
    const std::size_t samples =
        std::size_t{planes} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    const Device<float> memory = on_device<float>(3 * samples);
    const Device<float> taps = on_device(std::vector<float>(line.begin(), line.end()));
    cuda_check(cudaMemset(memory.get(), 0, 3 * sizeof(float) * samples), "cudaMemset");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    float* const from = memory.get();
    float* const between = from + samples;
    float* const to = between + samples;
    const int size = static_cast<int>(line.size());
    const CudnnConvolution rows =
        cudnn_convolution({planes, 1, height, width, 1, 1, size, 0, size / 2}, from, taps.get(), between);
    const CudnnConvolution columns =
        cudnn_convolution({planes, 1, height, width, 1, size, 1, size / 2, 0}, between, taps.get(), to);
    return {"cuDNN", [=](int /*n*/, cudaStream_t stream) {
                rows.run(memory.get(), taps.get(), between, stream);
                columns.run(between, taps.get(), to, stream);
            }};
}

KernelTimes measure_row(const KernelRow& row, const Patience& patience) {
    const std::vector<Operation> filters = make_filters(*row.def, row.arguments, row.depth, row.chroma);
    const CudaFilter convolver(filters, gpu_border);
    const Pictures pictures({row.width(), row.height, row.depth, row.chroma}, rotated_bytes());

    std::vector<Contestant> contestants{copy_of(pictures), filtered(pictures, filters, convolver, "vfilter")};
    if (row.def->name == "gaussian" && !row.chroma) {
        const std::vector<double> taps = exact_kernel(filters[0]).terms.at(0).rows;
        if (auto way = npp_blur(pictures, taps)) {
            contestants.push_back(std::move(*way));
        }
        if (why_missing(GpuLibrary::cudnn).empty() && row.depth == 8 && static_cast<int>(taps.size()) <= max_cudnn) {
            const ErrorScope errors;
            try {
                contestants.push_back(cudnn_blur(row.width(), row.height, taps));
            } catch (const std::runtime_error&) {
                // Its memory, or its algorithms, do not suffice: the row has one rival less.
            }
        }
    }

    KernelTimes times = contest(contestants, pictures, patience);
    times.kernel = convolver.name();
    times.right = right(pictures, contestants[1].works - 1, filters, Compared::all);
    return times;
}

}  // namespace

KernelMeter gpu_meter(const Wishes& wishes) {
    cuda_check(cudaSetDevice(wishes.gpu), "cudaSetDevice");
    cudaDeviceProp properties{};
    cuda_check(cudaGetDeviceProperties(&properties, wishes.gpu), "cudaGetDeviceProperties");
    wake_gpu();
    const Patience patience = wishes.quick ? Patience{5, 1000} : Patience{11, 4000};
    KernelMeter meter;
    meter.backend = Backend::cuda;
    meter.kind = fmt::format("sm_{}{}", properties.major, properties.minor);
    meter.text = fmt::format(
        "{}. A launch takes eight planes, and times are for each, so that a kernel's start and end do not hide its "
        "speed; or one 4:2:0 picture, as the engine launches it. Works follow each other, on pictures that are "
        "together larger than four times the L2 cache; times are events' times over {} rounds of about {} ms. A copy "
        "is a kernel that copies as many bytes with accesses of 16 bytes, in as many launches. NPP does the same in "
        "its faster way; cuDNN two convolutions of fp32 planes, each by the fastest of its algorithms, without the "
        "conversions from and to integers. A whole launch's bytes are compared with the CPU's afterwards.",
        properties.name, patience.rounds, patience.round_us / 1e3);
    for (const GpuLibrary library : {GpuLibrary::npp, GpuLibrary::cudnn}) {
        if (const std::string why = why_missing(library); why.empty()) {
            meter.rivals.emplace_back(name_of(library));
        } else {
            meter.left_out.push_back({name_of(library), why});
        }
    }
    meter.measure = [=](const KernelRow& row) { return measure_row(row, patience); };
    return meter;
}

}  // namespace vfilter::bench
