#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/cuda/check.h"
#include "kernels/cuda/temporal/host.h"
#include "kernels/cuda/temporal/kernel.cuh"

namespace vfilter::cuda::temporal {

namespace {

using Kernel = void (*)(Launch);

struct Instance {
    int pictures;
    Kernel bytes;
    Kernel words;
};
template <int... pictures>
constexpr Instance medians_of[] = {{pictures, median<std::uint8_t, pictures>, median<std::uint16_t, pictures>}...};
static_assert(max_neighbours == 16);

Kernel median_kernel(const TemporalMedian& filter) {
    for (const Instance& instance : medians_of<1, 3, 5, 7, 9, 11, 13, 15, 17>) {
        if (instance.pictures == filter.time.pictures()) {
            return filter.depth == 8 ? instance.bytes : instance.words;
        }
    }
    throw std::logic_error("no kernel for so many pictures");
}

class TemporalLauncher final : public Launcher {
public:
    TemporalLauncher(Kernel kernel, int depth, std::string name)
        : kernel_(kernel), bytes_(depth == 8 ? 1 : 2), name_(std::move(name)) {
        launch_.picture.max_value = (1U << depth) - 1;
    }
    void set_limit(std::size_t filter, int limit) { launch_.limits[filter] = limit; }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        Launch launch = launch_;
        const unsigned blocks = describe(launch.picture, planes, tile_bytes / bytes_, tile_rows);
        launch.windows = describe_windows(planes);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(kernel_, dim3(blocks), dim3(threads), arguments, 0, stream), "cudaLaunchKernel");
    }
    [[nodiscard]] std::string name() const override { return name_; }

private:
    Kernel kernel_;
    int bytes_;  // of a sample
    std::string name_;
    Launch launch_{};
};

}  // namespace

MadeLauncher make(const std::vector<TemporalMedian>& filters) {
    const TemporalMedian& first = filters.front();
    return std::make_unique<TemporalLauncher>(median_kernel(first), first.depth,
                                              "temporal median of " + std::to_string(first.time.pictures()));
}

MadeLauncher make(const std::vector<TemporalMean>& filters) {
    const int depth = filters.front().depth;
    auto made = std::make_unique<TemporalLauncher>(depth == 8 ? mean<std::uint8_t> : mean<std::uint16_t>, depth,
                                                   "temporal mean");
    for (std::size_t i = 0; i < filters.size(); ++i) {
        made->set_limit(i, filters[i].limit);
    }
    return made;
}

}  // namespace vfilter::cuda::temporal
