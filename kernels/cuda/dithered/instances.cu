#include <algorithm>
#include <string>

#include "kernels/arithmetic/operation.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/dithered/host.h"
#include "kernels/cuda/dithered/kernel.cuh"
#include "kernels/cuda/filter.h"
#include "kernels/cuda/memory.h"

namespace vfilter::cuda::dithered {

namespace {

std::vector<Operation> inner_operations(const std::vector<Dithered>& filters) {
    std::vector<Operation> all;
    for (const Dithered& filter : filters) {
        all.push_back(filter.inner->operation);
    }
    return all;
}

// Of samples with further bits: 16 bits of storage, as large as the plane.
std::ptrdiff_t finer_pitch(const DevicePlane& plane) {
    // Up to 7 bytes after a row are written.
    return round_up<std::ptrdiff_t>(std::ptrdiff_t{2} * plane.width * plane.step + 7, 16);
}
std::size_t finer_bytes(const DevicePlane& plane) {
    return round_up<std::size_t>(static_cast<std::size_t>(finer_pitch(plane)) * static_cast<std::size_t>(plane.height),
                                 256);
}

class DitheredLauncher final : public Launcher {
public:
    DitheredLauncher(const std::vector<Dithered>& filters, Border border, KernelChoice choice)
        : bytes_(filters.front().depth == 8), inner_(inner_operations(filters), border, choice) {
        const Dithered& first = filters.front();
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(first.max_value());
        launch_.bits = first.bits;
        for (int y = 0; y < dither_period; ++y) {
            for (int x = 0; x < dither_period; ++x) {
                launch_.thresholds[y] |= static_cast<unsigned>(first.threshold(x, y)) << 8 * x;
            }
        }
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        std::size_t bytes = 0;
        for (const PlaneJob& job : planes) {
            bytes += (2 + job.neighbours.size()) * finer_bytes(job.src);
        }
        const StreamPool::Loan memory = pool_.lend(bytes, stream);
        auto* next = static_cast<unsigned char*>(memory.get());
        const auto finer_plane = [&](const DevicePlane& plane) {
            const DevicePlane made{next, plane.width, plane.height, finer_pitch(plane), plane.step, 0};
            next += finer_bytes(plane);
            return made;
        };
        std::vector<PlaneJob> widened;
        std::vector<std::vector<NeighbourPlane>> neighbours(planes.size());
        std::vector<PlaneJob> inner(planes.begin(), planes.end());
        std::vector<PlaneJob> rounded(inner);
        for (std::size_t i = 0; i < planes.size(); ++i) {
            const PlaneJob& job = planes[i];
            inner[i].src = finer_plane(job.src);
            inner[i].dst = finer_plane(job.src);
            inner[i].black = job.black << launch_.bits;
            widened.push_back({job.src, inner[i].src});
            for (const NeighbourPlane& neighbour : job.neighbours) {
                const DevicePlane finer = finer_plane(job.src);
                neighbours[i].push_back({finer.data, finer.pitch});
                // Nobody writes to the source.
                widened.push_back({job.src, finer});
                widened.back().src.data = const_cast<void*>(neighbour.data);
                widened.back().src.pitch = neighbour.pitch;
            }
            inner[i].neighbours = neighbours[i];
            rounded[i].src.data = inner[i].dst.data;
            rounded[i].src.pitch = inner[i].dst.pitch;
        }
        for (std::span<const PlaneJob> left = widened; !left.empty();) {
            const std::size_t count = std::min<std::size_t>(left.size(), max_planes);
            run(bytes_ ? widen<std::uint8_t> : widen<std::uint16_t>, left.first(count), stream);
            left = left.subspan(count);
        }
        inner_.launch(inner, stream);
        run(bytes_ ? round_off<std::uint8_t> : round_off<std::uint16_t>, rounded, stream);
    }

    [[nodiscard]] int kernels(std::span<const PlaneJob> planes) const override {
        int widened = 0;
        for (const PlaneJob& job : planes) {
            widened += 1 + static_cast<int>(job.neighbours.size());
        }
        return ceil_div(widened, max_planes) + inner_.kernels(planes) + 1;
    }
    [[nodiscard]] std::size_t device_bytes() const override { return pool_.bytes() + inner_.device_bytes(); }
    [[nodiscard]] std::string name() const override { return inner_.name() + ", dithered"; }

private:
    void run(void (*kernel)(Launch), std::span<const PlaneJob> planes, cudaStream_t stream) const {
        Launch launch = launch_;
        const unsigned blocks = describe(launch.picture, planes, tile_bytes / (bytes_ ? 1 : 2), tile_rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments, 0, stream), "cudaLaunchKernel");
    }

    bool bytes_;
    CudaFilter inner_;
    StreamPool pool_;
    Launch launch_{};
};

}  // namespace

MadeLauncher make(const std::vector<Dithered>& filters, Border border, KernelChoice choice) {
    return std::make_unique<DitheredLauncher>(filters, border, choice);
}

}  // namespace vfilter::cuda::dithered
