#include <algorithm>
#include <string>

#include "kernels/cuda/blocks/host.h"
#include "kernels/cuda/blocks/kernel.cuh"
#include "kernels/cuda/check.h"

namespace vfilter::cuda::blocks {

namespace {

template <class Launch>
void run(void (*kernel)(Launch), unsigned blocks, Launch& launch, cudaStream_t stream) {
    void* arguments[] = {&launch};
    cuda_check(cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments, 0, stream), "cudaLaunchKernel");
}

class PixelationLauncher final : public Launcher {
public:
    explicit PixelationLauncher(const std::vector<Pixelation>& pixelations) : depth_(pixelations.front().depth) {
        launch_.picture.max_value = static_cast<unsigned>(pixelations.front().max_value());
        for (std::size_t i = 0; i < pixelations.size(); ++i) {
            launch_.columns[i] = pixelations[i].columns;
            launch_.rows[i] = pixelations[i].rows;
            samples_ = std::max(samples_, pixelations[i].columns.size * pixelations[i].rows.size);
        }
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        // What a warp takes long for is done by all of a thread block.
        constexpr int much = 32 * 32;
        const int at_once = samples_ > much ? 1 : threads / 32;
        PixelationLaunch launch = launch_;
        describe(launch.picture, planes, 1, 1);
        int blocks = 0;
        for (std::size_t i = 0; i < planes.size(); ++i) {
            PlaneParams& plane = launch.picture.planes[i];
            plane.tiles_x = launch.columns[plane.filter].count(plane.width) * plane.step;
            plane.first_block = blocks;
            launch.picture.first_blocks[i] = blocks;
            launch.tasks[i] = plane.tiles_x * launch.rows[plane.filter].count(plane.height);
            blocks += ceil_div(launch.tasks[i], at_once);
        }
        const bool bytes = depth_ == 8;
        const auto kernel = at_once == 1 ? (bytes ? pixelate<std::uint8_t, 8> : pixelate<std::uint16_t, 8>)
                                         : (bytes ? pixelate<std::uint8_t, 1> : pixelate<std::uint16_t, 1>);
        run(kernel, static_cast<unsigned>(blocks), launch, stream);
    }
    [[nodiscard]] std::string name() const override { return "blocks"; }

private:
    int depth_;
    int samples_ = 0;  // of a block, at most
    PixelationLaunch launch_{};
};

class FillLauncher final : public Launcher {
public:
    explicit FillLauncher(const std::vector<Fill>& fills) : depth_(fills.front().depth) {
        for (std::size_t i = 0; i < fills.size(); ++i) {
            std::copy_n(fills[i].values.begin(), std::size(launch_.values[i]), launch_.values[i]);
        }
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        FillLaunch launch = launch_;
        const int bytes = depth_ == 8 ? 1 : 2;
        const unsigned blocks = describe(launch.picture, planes, fill_columns / bytes, fill_rows);
        run(bytes == 1 ? fill<std::uint8_t> : fill<std::uint16_t>, blocks, launch, stream);
    }
    [[nodiscard]] std::string name() const override { return "fill"; }

private:
    int depth_;
    FillLaunch launch_{};
};

}  // namespace

MadeLauncher make(const std::vector<Pixelation>& pixelations) {
    return std::make_unique<PixelationLauncher>(pixelations);
}

MadeLauncher make(const std::vector<Fill>& fills) {
    return std::make_unique<FillLauncher>(fills);
}

}  // namespace vfilter::cuda::blocks
