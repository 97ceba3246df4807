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

template <class Parameters>
using Kernel = void (*)(Parameters);

template <class Parameters>
struct Instance {
    int patch;
    Kernel<Parameters> bytes;
    Kernel<Parameters> words;
};
template <class Parameters>
constexpr Instance<Parameters> instances[] = {
    {3, average<std::uint8_t, 3, Parameters>, average<std::uint16_t, 3, Parameters>},
    {5, average<std::uint8_t, 5, Parameters>, average<std::uint16_t, 5, Parameters>},
    {7, average<std::uint8_t, 7, Parameters>, average<std::uint16_t, 7, Parameters>},
    {9, average<std::uint8_t, 9, Parameters>, average<std::uint16_t, 9, Parameters>},
};

template <class Parameters>
Kernel<Parameters> kernel_of(const NlMeans& filter, bool tensor_cores) {
    if (tensor_cores) {
        return filter.depth == 8 ? average_tensor<std::uint8_t, Parameters> : average_tensor<std::uint16_t, Parameters>;
    }
    for (const Instance<Parameters>& instance : instances<Parameters>) {
        if (instance.patch == filter.patch) {
            return filter.depth == 8 ? instance.bytes : instance.words;
        }
    }
    throw std::logic_error("no kernel for this patch");
}

/// `Parameters` are Launch, or TimeLaunch for filters of which any looks at other pictures.
template <class Parameters>
class NlMeansLauncher final : public Launcher {
public:
    NlMeansLauncher(const std::vector<NlMeans>& filters, Border border, bool tensor_cores)
        : tensor_(tensor_cores), kernel_(kernel_of<Parameters>(filters.front(), tensor_cores)) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(filters.front().max_value());
        std::ranges::copy(filters, launch_.filters);
        if (!tensor_) {
            return;
        }
        for (const NlMeans& filter : filters) {
            shared_bytes_ = std::max(shared_bytes_, TensorTile(filter.patch, filter.search).bytes());
        }
        cuda_check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, largest_tensor_tile),
                   "cudaFuncSetAttribute");
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        const int columns = tensor_ ? tensor_columns : tile_columns;
        const int rows = tensor_ ? tensor_rows : tile_rows;
        Parameters launch = launch_;
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
        if constexpr (in_time<Parameters>) {
            launch.windows = describe_windows(planes);
        }
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(kernel_, dim3(static_cast<unsigned>(blocks)), dim3(threads), arguments,
                                    static_cast<std::size_t>(shared_bytes_), stream),
                   "cudaLaunchKernel");
    }
    [[nodiscard]] std::string name() const override {
        const NlMeans& first = launch_.filters[0];
        return (tensor_ ? "tensor non-local means, patch " : "non-local means, patch ") + std::to_string(first.patch) +
               (in_time<Parameters> ? ", pictures " + std::to_string(first.time.pictures()) : "");
    }

private:
    static constexpr int largest_tensor_tile = TensorTile(max_patch_size, max_search_size).bytes();
    static_assert(largest_tensor_tile <= max_tensor_bytes);
    static_assert(threads == tensor_threads);

    bool tensor_;
    Kernel<Parameters> kernel_;
    int shared_bytes_ = 0;  // that are asked for at the launch
    Parameters launch_{};
};

}  // namespace

MadeLauncher make(const std::vector<NlMeans>& filters, Border border, bool tensor_cores) {
    if (std::ranges::any_of(filters, [](const NlMeans& filter) { return filter.time != TimeReach{}; })) {
        return std::make_unique<NlMeansLauncher<TimeLaunch>>(filters, border, tensor_cores);
    }
    return std::make_unique<NlMeansLauncher<Launch>>(filters, border, tensor_cores);
}

}  // namespace vfilter::cuda::nl_means
