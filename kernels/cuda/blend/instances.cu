#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "kernels/cuda/blend/blender.h"
#include "kernels/cuda/blend/kernel.cuh"
#include "kernels/cuda/check.h"

namespace vfilter {

namespace {

using cuda::blend::Box;
using cuda::blend::weights_unit;

// Without its place in the memory.
Box widened(const WeightBox& box) {
    return {box.left / weights_unit * weights_unit, round_up(box.right(), weights_unit), box.top, box.bottom(), 0};
}

std::size_t samples_of(const Box& box) {
    return static_cast<std::size_t>(box.right - box.left) * static_cast<std::size_t>(box.bottom - box.top);
}

}  // namespace

void CudaWeights::reserve(std::size_t bytes) {
    if (bytes <= capacity_) {
        return;
    }
    capacity_ = 0;
    device_.reset();
    host_.reset();
    const std::size_t wanted = bytes + bytes / 2;  // boxes that grow from picture to picture
    void* memory = nullptr;
    cuda_check(cudaMalloc(&memory, wanted), "cudaMalloc");
    device_.reset(memory);
    cuda_check(cudaMallocHost(&memory, wanted), "cudaMallocHost");
    host_.reset(memory);
    capacity_ = wanted;
    ++allocations_;
}

void CudaWeights::set(const std::vector<PlaneWeights>& weights, cudaStream_t stream) {
    std::size_t boxes = 0;
    std::size_t samples = 0;
    for (const PlaneWeights& plane : weights) {
        boxes += plane.boxes.size();
        for (const WeightBox& box : plane.boxes) {
            samples += samples_of(widened(box));
        }
    }
    samples_ = round_up(boxes * sizeof(Box), std::size_t{weights_unit});
    const std::size_t bytes = samples_ + samples;
    reserve(std::max(bytes, sizeof(Box)));
    auto* const host = static_cast<std::uint8_t*>(host_.get());
    auto* next_box = static_cast<Box*>(host_.get());
    std::uint8_t* next = host + samples_;
    planes_.clear();
    for (const PlaneWeights& plane : weights) {
        planes_.push_back({static_cast<std::size_t>(reinterpret_cast<std::uint8_t*>(next_box) - host),
                           static_cast<int>(plane.boxes.size())});
        for (const WeightBox& box : plane.boxes) {
            Box made = widened(box);
            made.first = next - (host + samples_);
            *next_box++ = made;
            for (int y = box.top; y < box.bottom(); ++y) {
                next = std::fill_n(next, box.left - made.left, std::uint8_t{0});
                next = std::copy_n(plane.row(box, y), box.width, next);
                next = std::fill_n(next, made.right - box.right(), std::uint8_t{0});
            }
        }
    }
    if (bytes > 0) {
        cuda_check(cudaMemcpyAsync(device_.get(), host, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
    }
}

void CudaBlender::launch(const CudaWeights& weights, std::span<const BlendJob> planes, int depth, cudaStream_t stream) {
    if (planes.size() > max_planes) {
        throw std::invalid_argument("a CUDA blender takes " + std::to_string(max_planes) + " planes at most");
    }
    if (planes.empty()) {
        return;
    }
    cuda::blend::Launch launch{};
    std::array<PlaneJob, max_planes> jobs;
    const auto* const memory = static_cast<const std::uint8_t*>(weights.device_.get());
    for (std::size_t i = 0; i < planes.size(); ++i) {
        const BlendJob& job = planes[i];
        const CudaWeights::Plane& own = weights.planes_.at(static_cast<std::size_t>(job.weights));
        launch.weights[i] = {reinterpret_cast<const Box*>(memory + own.boxes), own.count, job.weights_first,
                             job.weights_step, memory + weights.samples_};
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
    depth == 8 ? run(std::type_identity<std::uint8_t>()) : run(std::type_identity<std::uint16_t>());
}

}  // namespace vfilter
