#include <algorithm>
#include <array>
#include <stdexcept>
#include <type_traits>

#include "kernels/cuda/blend/blender.h"
#include "kernels/cuda/blend/kernel.cuh"
#include "kernels/cuda/check.h"

namespace vfilter {

namespace {

std::ptrdiff_t pitch_of(const GrayImage& weights) {
    return round_up(weights.width, cuda::blend::weights_unit);
}

// Planes of weights one after the other, rows padded.
std::vector<std::uint8_t> pack(const std::vector<GrayImage>& weights) {
    std::vector<std::uint8_t> packed;
    for (const GrayImage& plane : weights) {
        for (int y = 0; y < plane.height; ++y) {
            const auto row = plane.samples.begin() + std::ptrdiff_t{y} * plane.width;
            packed.insert(packed.end(), row, row + plane.width);
            packed.resize(packed.size() + static_cast<std::size_t>(pitch_of(plane) - plane.width));
        }
    }
    return packed;
}

}  // namespace

CudaBlender::CudaBlender(const std::vector<GrayImage>& weights, int depth) : depth_(depth), samples_(pack(weights)) {
    std::size_t offset = 0;
    for (const GrayImage& plane : weights) {
        weights_.push_back({offset, pitch_of(plane)});
        offset += static_cast<std::size_t>(pitch_of(plane) * plane.height);
    }
}

void CudaBlender::launch(std::span<const BlendJob> planes, cudaStream_t stream) const {
    if (planes.size() > max_planes) {
        throw std::invalid_argument("a CUDA blender takes eight planes at most");
    }
    if (planes.empty()) {
        return;
    }
    cuda::blend::Launch launch{};
    std::array<PlaneJob, max_planes> jobs;
    for (std::size_t i = 0; i < planes.size(); ++i) {
        const BlendJob& job = planes[i];
        const Rows& rows = weights_.at(static_cast<std::size_t>(job.weights));
        launch.weights[i] = {samples_.data() + rows.offset + rows.pitch * job.weights_first,
                             std::int64_t{rows.pitch} * job.weights_step};
        jobs[i] = {job.src, job.dst, static_cast<int>(i), 0};
    }
    const auto run = [&]<class T>(std::type_identity<T>) {
        const unsigned blocks = cuda::describe(launch.picture, {jobs.data(), planes.size()},
                                               cuda::blend::tile_columns<T>, cuda::blend::tile_rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(cuda::blend::blend_tiles<T>, dim3(blocks), dim3(cuda::blend::threads), arguments, 0,
                                    stream),
                   "cudaLaunchKernel");
    };
    depth_ == 8 ? run(std::type_identity<std::uint8_t>()) : run(std::type_identity<std::uint16_t>());
}

}  // namespace vfilter
