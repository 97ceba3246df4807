#include <algorithm>
#include <array>
#include <string>

#include "kernels/cuda/check.h"
#include "kernels/cuda/guided/host.h"
#include "kernels/cuda/guided/results.cuh"
#include "kernels/cuda/guided/windows.cuh"
#include "kernels/cuda/memory.h"

namespace vfilter::cuda::guided {

namespace {

// Each warp reads as many rows more as a window has: its own are as many as leave enough blocks.
constexpr int blocks_wanted = 4;  // for each multiprocessor
constexpr std::array rows_of_warp{64, 32, 16};

class GuidedLauncher final : public Launcher {
public:
    GuidedLauncher(const std::vector<Guided>& filters, Border border)
        : multiprocessors_(device_attribute(cudaDevAttrMultiProcessorCount)), bytes_(filters.front().depth == 8) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(filters.front().max_value());
        for (std::size_t i = 0; i < filters.size(); ++i) {
            launch_.filters[i] = filters[i];
            launch_.inverses[i] = 1 / static_cast<float>(filters[i].divisor());
        }
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        Launch launch = launch_;
        std::size_t places[max_planes] = {};  // before each plane's, of all
        std::size_t count = 0;
        for (std::size_t i = 0; i < planes.size(); ++i) {
            const DevicePlane& plane = planes[i].src;
            const Guided& filter = launch.filters[planes[i].filter];
            Windows& windows = launch.windows[i];
            windows.pitch = round_up(plane.width * plane.step + 2 * halo_of(filter, plane.step), 4);
            windows.rows = plane.height + 2 * filter.radius_y;
            places[i] = count;
            // Both kinds begin at multiples of 16 bytes, as all are read.
            count += round_up(static_cast<std::size_t>(windows.pitch) * static_cast<std::size_t>(windows.rows),
                              std::size_t{8});
        }
        const StreamPool::Loan memory = pool_.lend(count * (sizeof(*Windows::sums) + sizeof(*Windows::slopes)), stream);
        auto* const sums = static_cast<std::uint32_t*>(memory.get());
        auto* const slopes = reinterpret_cast<std::uint16_t*>(sums + count);
        for (std::size_t i = 0; i < planes.size(); ++i) {
            launch.windows[i].sums = sums + places[i];
            launch.windows[i].slopes = slopes + places[i];
        }
        run(launch, planes, bytes_ ? window_planes<std::uint8_t> : window_planes<std::uint16_t>, true, stream);
        run(launch, planes, bytes_ ? filter_planes<std::uint8_t> : filter_planes<std::uint16_t>, false, stream);
    }
    [[nodiscard]] int kernels(std::span<const PlaneJob> /*planes*/) const override { return 2; }
    [[nodiscard]] std::size_t device_bytes() const override { return pool_.bytes(); }
    [[nodiscard]] std::string name() const override { return "guided"; }

private:
    void run(Launch& launch, std::span<const PlaneJob> planes, void (*kernel)(Launch), bool of_windows,
             cudaStream_t stream) const {
        int blocks = 0;
        for (const int rows : rows_of_warp) {
            blocks = describe_strips(launch, planes, of_windows, rows);
            if (blocks >= blocks_wanted * multiprocessors_) {
                break;
            }
        }
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(kernel, dim3(static_cast<unsigned>(blocks)), dim3(threads), arguments, 0, stream),
                   "cudaLaunchKernel");
    }

    // As describe(), but with strips of windows or of results, which filters decide.
    static int describe_strips(Launch& launch, std::span<const PlaneJob> planes, bool of_windows, int rows) {
        Picture& picture = launch.picture;
        describe(picture, planes, 1, rows);
        int blocks = 0;
        for (std::size_t i = 0; i < planes.size(); ++i) {
            PlaneParams& plane = picture.planes[i];
            const Guided& filter = launch.filters[plane.filter];
            const int before = -first_column(filter, plane.step) - 2 * halo_of(filter, plane.step);
            const int columns = of_windows ? launch.windows[i].pitch + before : plane.samples;
            plane.tiles_x = ceil_div(columns, made_columns(filter, plane.step));
            plane.first_block = blocks;
            picture.first_blocks[i] = blocks;
            blocks += plane.tiles_x * ceil_div(of_windows ? launch.windows[i].rows : plane.height, rows * warps);
        }
        return blocks;
    }

    int multiprocessors_;
    bool bytes_;
    StreamPool pool_;
    Launch launch_{};
};

}  // namespace

MadeLauncher make(const std::vector<Guided>& filters, Border border) {
    return std::make_unique<GuidedLauncher>(filters, border);
}

}  // namespace vfilter::cuda::guided
