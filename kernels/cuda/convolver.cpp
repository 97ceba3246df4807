#include "kernels/cuda/convolver.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/cuda/launch.h"

namespace vfilter {

void cuda_check(cudaError_t result, const char* call, const char* file, int line) {
    if (result != cudaSuccess) {
        throw CudaError(result, std::string(call) + ": " + cudaGetErrorString(result) + " (" +
                                    cudaGetErrorName(result) + ", " + std::to_string(static_cast<int>(result)) +
                                    ") at " + file + ":" + std::to_string(line));
    }
}

namespace cuda {

int attribute(cudaDeviceAttr name) {
    int device = 0;
    int value = 0;
    cuda_check(cudaGetDevice(&device), "cudaGetDevice");
    cuda_check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
    return value;
}

namespace {

Fold make_fold(Border border, int length) {
    switch (length > 1 || border != Border::reflect_101 ? border : Border::replicate) {
        case Border::reflect_101:
            return {-1, 0, 2 * length - 2};
        case Border::reflect:
            return {-1, -1, 2 * length - 1};
        case Border::wrap:
            return {1, length, -length};
        case Border::replicate:
        case Border::constant:
            return {0, 0, length - 1};
    }
    throw std::logic_error("make_fold: not a border");
}

}  // namespace

unsigned describe(Picture& picture, std::span<const PlaneJob> jobs, int tile_columns, int tile_rows) {
    picture.plane_count = static_cast<int>(jobs.size());
    picture.tile_rows = tile_rows;
    int blocks = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const PlaneJob& job = jobs[i];
        const int samples = job.src.width * job.src.step;
        const int tiles_x = (samples + tile_columns - 1) / tile_columns;
        picture.planes[i] = {static_cast<const unsigned char*>(job.src.data),
                             static_cast<unsigned char*>(job.dst.data),
                             job.src.pitch,
                             job.dst.pitch,
                             job.src.width,
                             job.src.height,
                             samples,
                             job.src.step,
                             job.src.lsb,
                             job.black,
                             job.convolution,
                             make_fold(picture.border, job.src.width),
                             make_fold(picture.border, job.src.height),
                             tiles_x,
                             blocks};
        blocks += tiles_x * ((job.src.height + tile_rows - 1) / tile_rows);
    }
    return static_cast<unsigned>(blocks);
}

namespace {

std::unique_ptr<CudaConvolver::Implementation> choose(const Convolutions& convolutions, Border border) {
    const auto kernels = convolutions.front().depth == 8 ? fused_kernels_8() : fused_kernels_16();
    const auto fits = std::ranges::find_if(kernels, [&](const FusedKernel& row) {
        return std::ranges::all_of(convolutions, [&](const Convolution& convolution) {
            const int radius = std::max(convolution.rows.radius(), convolution.columns.radius());
            return radius <= row.radius && !convolution.rows.wide && !convolution.columns.wide &&
                   row.takes(convolution);
        });
    });
    return fits != kernels.end() ? fits->make(convolutions, border) : make_general(convolutions, border);
}

}  // namespace
}  // namespace cuda

CudaConvolver::CudaConvolver(const std::vector<Convolution>& convolutions, Border border) {
    const auto same_depth = [&](const Convolution& c) { return c.depth == convolutions.front().depth; };
    if (convolutions.empty() || convolutions.size() > max_convolutions ||
        !std::ranges::all_of(convolutions, same_depth)) {
        throw std::invalid_argument("a CUDA convolver takes one or two convolutions of one depth");
    }
    implementation_ = cuda::choose(convolutions, border);
}

CudaConvolver::~CudaConvolver() = default;
CudaConvolver::CudaConvolver(CudaConvolver&&) noexcept = default;
CudaConvolver& CudaConvolver::operator=(CudaConvolver&&) noexcept = default;

void CudaConvolver::launch(std::span<const PlaneJob> planes, cudaStream_t stream) const {
    if (planes.size() > max_planes) {
        throw std::invalid_argument("a CUDA convolver takes eight planes at most");
    }
    if (!planes.empty()) {
        implementation_->launch(planes, stream);
    }
}

std::string CudaConvolver::name() const {
    return implementation_->name();
}

}  // namespace vfilter
