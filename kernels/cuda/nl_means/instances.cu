#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "kernels/cuda/check.h"
#include "kernels/cuda/nl_means/host.h"
#include "kernels/cuda/nl_means/kernel.cuh"
#include "kernels/cuda/nl_means/tensor.cuh"

namespace vfilter::cuda::nl_means {

namespace {

using Kernel = void (*)(Launch);

struct Instance {
    int patch;
    Kernel bytes;
    Kernel words;
};
constexpr Instance instances[] = {
    {3, average<std::uint8_t, 3>, average<std::uint16_t, 3>},
    {5, average<std::uint8_t, 5>, average<std::uint16_t, 5>},
    {7, average<std::uint8_t, 7>, average<std::uint16_t, 7>},
    {9, average<std::uint8_t, 9>, average<std::uint16_t, 9>},
};

Kernel kernel_of(const NlMeans& filter) {
    for (const Instance& instance : instances) {
        if (instance.patch == filter.patch) {
            return filter.depth == 8 ? instance.bytes : instance.words;
        }
    }
    throw std::logic_error("no kernel for this patch");
}

class NlMeansLauncher final : public Launcher {
public:
    NlMeansLauncher(const std::vector<NlMeans>& filters, Border border, bool tensor_cores) : tensor_(tensor_cores) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(filters.front().max_value());
        std::ranges::copy(filters, launch_.filters);
        const NlMeans& first = filters.front();
        if (!tensor_) {
            kernel_ = kernel_of(first);
            return;
        }
        kernel_ = first.depth == 8 ? average_tensor<std::uint8_t> : average_tensor<std::uint16_t>;
        for (const NlMeans& filter : filters) {
            shared_bytes_ = std::max(shared_bytes_, TensorTile(filter.patch, filter.search).bytes());
        }
        cuda_check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, largest_tensor_tile),
                   "cudaFuncSetAttribute");
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        const int columns = tensor_ ? tensor_columns : tile_columns;
        const int rows = tensor_ ? tensor_rows : tile_rows;
        Launch launch = launch_;
        describe_planes(launch.picture, planes, columns);
        std::ranges::fill(launch.picture.first_blocks, std::numeric_limits<int>::max());
        int blocks = 0;
        for (std::size_t i = 0; i < planes.size(); ++i) {
            // The components of interleaved ones are filtered apart.
            PlaneParams& plane = launch.picture.planes[i];
            plane.tiles_x = ceil_div(plane.width, columns) * plane.step;
            plane.first_block = blocks;
            launch.picture.first_blocks[i] = blocks;
            blocks += plane.tiles_x * ceil_div(plane.height, rows);
        }
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(kernel_, dim3(static_cast<unsigned>(blocks)), dim3(threads), arguments,
                                    static_cast<std::size_t>(shared_bytes_), stream),
                   "cudaLaunchKernel");
    }
    [[nodiscard]] std::string name() const override {
        return (tensor_ ? "tensor non-local means, patch " : "non-local means, patch ") +
               std::to_string(launch_.filters[0].patch);
    }

private:
    static constexpr int largest_tensor_tile = TensorTile(max_patch_size, max_search_size).bytes();
    static_assert(largest_tensor_tile <= max_tensor_bytes);
    static_assert(threads == tensor_threads);

    bool tensor_;
    Kernel kernel_ = nullptr;
    int shared_bytes_ = 0;  // that are asked for at the launch
    Launch launch_{};
};

}  // namespace

MadeLauncher make(const std::vector<NlMeans>& filters, Border border, bool tensor_cores) {
    return std::make_unique<NlMeansLauncher>(filters, border, tensor_cores);
}

}  // namespace vfilter::cuda::nl_means
