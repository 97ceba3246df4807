// The CUDA kernels beside a plain copy, NPP and cuDNN, on one GPU.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "bench/gpu.h"
#include "bench/gpu_libraries.h"
#include "bench/gpu_pictures.h"
#include "bench/kernels.h"
#include "kernels/cuda/filter.h"

namespace vfilter::bench {

namespace {

constexpr int largest_cudnn = 63;

// A blur of as many fp32 planes of zeros as a launch takes: two convolutions, each by cuDNN's fastest algorithm.
class CudnnBlur {
public:
    /// Throws std::runtime_error where cuDNN cannot do it, or memory does not suffice.
    CudnnBlur(const Cudnn& library, int width, int height, const std::vector<float>& taps)
        : bytes_(sizeof(float) * planes * static_cast<std::size_t>(width) * static_cast<std::size_t>(height)),
          memory_(allocate(3 * bytes_)),
          taps_(allocate(sizeof(float) * taps.size())) {
        cuda_check(cudaMemcpy(taps_.get(), taps.data(), sizeof(float) * taps.size(), cudaMemcpyHostToDevice),
                   "cudaMemcpy");
        cuda_check(cudaMemset(memory_.get(), 0, 3 * bytes_), "cudaMemset");
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        const int size = static_cast<int>(taps.size());
        CudnnConvolution::Shape shape{};
        shape.n = planes;
        shape.c = shape.k = shape.stride = 1;
        shape.h = height;
        shape.w = width;
        shape.layout = CudnnConvolution::Layout::nchw;
        shape.r = 1;
        shape.s = size;
        shape.pad_w = size / 2;
        rows_.emplace(library, shape, memory_.get(), taps_.get(), memory_.get() + bytes_);
        std::swap(shape.r, shape.s);
        std::swap(shape.pad_h, shape.pad_w);
        columns_.emplace(library, shape, memory_.get() + bytes_, taps_.get(), memory_.get() + 2 * bytes_);
    }
    void run(cudaStream_t stream) const {
        rows_->run(memory_.get(), taps_.get(), memory_.get() + bytes_, stream);
        columns_->run(memory_.get() + bytes_, taps_.get(), memory_.get() + 2 * bytes_, stream);
    }

private:
    static constexpr int planes = CudaFilter::max_planes;
    std::size_t bytes_;  // of all of them
    DeviceMemory memory_;
    DeviceMemory taps_;
    std::optional<CudnnConvolution> rows_;
    std::optional<CudnnConvolution> columns_;
};

struct Gpu {
    Npp npp;
    Cudnn cudnn;
};

KernelTimes measure_row(const Gpu& gpu, const KernelRow& row, const Patience& patience) {
    const FilterSpec spec = parse_filter(*row.def, row.arguments);
    const FilterKernel kernel = row.def->make(spec, 1, 1);
    std::vector<PlaneFilter> filters{make_plane_filter(kernel, row.depth)};
    if (row.chroma) {
        filters.push_back(make_plane_filter(row.def->make(spec, 2, 2), row.depth));
    }
    const CudaFilter convolver(filters, gpu_border);
    const Pictures pictures({row.width(), row.height, row.depth, row.chroma}, rotated_bytes());

    std::vector<Contestant> contestants{copy_of(pictures), filtered(pictures, convolver, "vfilter")};
    std::unique_ptr<CudnnBlur> blur;
    if (row.def->name == "gaussian" && !row.chroma) {
        const std::vector<double>& taps = kernel.terms.at(0).rows;
        if (gpu.npp.there) {
            if (auto way = npp_blur(gpu.npp, pictures, taps)) {
                contestants.push_back(std::move(*way));
            }
        }
        if (gpu.cudnn.there && row.depth == 8 && static_cast<int>(taps.size()) <= largest_cudnn) {
            try {
                blur = std::make_unique<CudnnBlur>(gpu.cudnn, row.width(), row.height,
                                                   std::vector<float>(taps.begin(), taps.end()));
                contestants.push_back({"cuDNN", [&](int /*n*/, cudaStream_t stream) { blur->run(stream); }});
            } catch (const std::runtime_error&) {
                cudaGetLastError();  // its memory, or its algorithms
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
    const auto gpu = std::make_shared<const Gpu>();
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
    for (const auto& [there, name, library] :
         {std::tuple{gpu->npp.there, "NPP", "libnppif"}, std::tuple{gpu->cudnn.there, "cuDNN", "libcudnn.so.9"}}) {
        if (there) {
            meter.rivals.emplace_back(name);
        } else {
            meter.left_out.push_back({name, fmt::format("{} is not installed", library)});
        }
    }
    meter.measure = [=](const KernelRow& row) { return measure_row(*gpu, row, patience); };
    return meter;
}

}  // namespace vfilter::bench
