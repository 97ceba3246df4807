#include <algorithm>
#include <string>

#include "kernels/cuda/check.h"
#include "kernels/cuda/deband/host.h"
#include "kernels/cuda/deband/kernel.cuh"

namespace vfilter::cuda::deband {

namespace {

class DebandLauncher final : public Launcher {
public:
    DebandLauncher(const std::vector<Deband>& filters, Border border) : bytes_(filters.front().depth == 8) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(filters.front().max_value());
        std::ranges::copy(filters, launch_.filters);
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        Launch launch = launch_;
        const unsigned blocks = describe(launch.picture, planes, tile_columns, tile_rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(bytes_ ? deband_planes<std::uint8_t> : deband_planes<std::uint16_t>, dim3(blocks),
                                    dim3(threads), arguments, 0, stream),
                   "cudaLaunchKernel");
    }
    [[nodiscard]] std::string name() const override { return "deband"; }

private:
    bool bytes_;
    Launch launch_{};
};

}  // namespace

MadeLauncher make(const std::vector<Deband>& filters, Border border) {
    return std::make_unique<DebandLauncher>(filters, border);
}

}  // namespace vfilter::cuda::deband
