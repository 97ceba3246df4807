#pragma once
// A kernel for medians, ready to be launched.

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/cuda/check.h"
#include "kernels/cuda/launcher.h"
#include "kernels/cuda/median/parameters.h"

namespace vfilter::cuda::median {

/// A kernel whose blocks make tiles of that size.
struct Kernel {
    void (*function)(Launch);
    int threads;
    int columns;
    int rows;
    int max_rows = rows;                                                  ///< of a tile, `rows` times a power of two
    int (*shared_bytes)(const MedianFilter& filter, int step) = nullptr;  ///< for planes of that step
    bool takes_stacks = false;
};

class Median final : public Launcher {
public:
    /// For planes of that step at most.
    Median(const MedianFilter& filter, Border border, int step, const Kernel& kernel, std::string name)
        : kernel_(kernel), name_(std::move(name)) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(filter.max_value());
        launch_.window = filter;
        launch_.rank = filter.rank();
        // The limit is the kernel's, whose other medians may have larger windows.
        if (kernel.shared_bytes != nullptr) {
            cuda_check(cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)),
                       "cudaFuncSetAttribute");
        }
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        Launch launch = launch_;
        launch.stack = kernel_.takes_stacks ? stack_of(planes) : Stack{};
        const auto described = planes.first(launch.stack.pictures > 1 ? 1 : planes.size());
        launch.blocks_of_picture = describe(launch.picture, described, kernel_.columns, tile_rows(planes));
        const unsigned blocks = launch.blocks_of_picture * static_cast<unsigned>(launch.stack.pictures);
        int step = 1;
        for (const PlaneJob& job : planes) {
            step = std::max(step, job.src.step);
        }
        const int shared_bytes = kernel_.shared_bytes == nullptr ? 0 : kernel_.shared_bytes(launch_.window, step);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(kernel_.function, dim3(blocks), dim3(static_cast<unsigned>(kernel_.threads)),
                                    arguments, static_cast<std::size_t>(shared_bytes), stream),
                   "cudaLaunchKernel");
    }
    [[nodiscard]] std::string name() const override { return name_; }

private:
    /// High tiles are begun less often, low ones keep more multiprocessors busy.
    [[nodiscard]] int tile_rows(std::span<const PlaneJob> planes) const {
        constexpr std::int64_t min_blocks = 8;  // to a multiprocessor
        int rows = kernel_.max_rows;
        const auto blocks = [&] {
            std::int64_t sum = 0;
            for (const PlaneJob& job : planes) {
                sum += std::int64_t{(job.src.width * job.src.step + kernel_.columns - 1) / kernel_.columns} *
                       ((job.src.height + rows - 1) / rows);
            }
            return sum;
        };
        while (rows > kernel_.rows && blocks() < min_blocks * multiprocessors_) {
            rows /= 2;
        }
        return rows;
    }

    int multiprocessors_ = device_attribute(cudaDevAttrMultiProcessorCount);
    Kernel kernel_;
    std::string name_;
    Launch launch_{};
};

}  // namespace vfilter::cuda::median
