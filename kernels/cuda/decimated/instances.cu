// Convolutions on a coarse grid: three kernels, and memory for the coarse pictures.

#include <algorithm>
#include <array>

#include "kernels/cuda/coarse_thin.cuh"
#include "kernels/cuda/coarse_widen.cuh"
#include "kernels/cuda/memory.h"

namespace vfilter::cuda {

namespace {

// A thread that is alone on its quarter of a multiprocessor waits for every load; so many blocks of each are enough.
constexpr int blocks_wanted = 4;
// Thinning reads three groups of rows more than a tile's own; widening makes three coarse rows more. Tiles are as tall
// as leaves enough of them.
constexpr std::array thin_rows{16, 8, 4};
constexpr std::array widen_rows{64, 32, 16};

using Kernel = void (*)(CoarseLaunch);

struct Kernels {
    Kernel thin;
    Kernel widen;
};

template <class T>
Kernels kernels_for(int grid_bits) {
    return grid_bits == 2 ? Kernels{thin_planes<T, 2>, widen_planes<T, 2>}
                          : Kernels{thin_planes<T, 3>, widen_planes<T, 3>};
}

/// One plane on its way.
struct OnGrid {
    CoarsePlane place;
    std::ptrdiff_t pitch;
    std::size_t bytes;

    OnGrid(const CoarseConvolution& filter, const DevicePlane& plane) {
        const CoarseSpan rows = filter.span_of_thinned(0, plane.height, filter.coarse.columns);
        const CoarseSpan columns = filter.span_of_thinned(0, plane.width, filter.coarse.rows);
        // Rows of whole 16 bytes, which the kernels in the middle load fastest; nobody asks for the columns that this
        // adds.
        place = {rows.first, columns.first, rows.count, (columns.count + 7) / 8 * 8};
        // Up to 7 bytes behind a row are written.
        pitch = (std::ptrdiff_t{2} * place.columns * plane.step + 7 + 15) / 16 * 16;
        bytes = (static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows.count) + 255) / 256 * 256;
    }
    [[nodiscard]] DevicePlane plane(unsigned char* data, int step) const {
        return {data, place.columns, place.rows, pitch, step, 0};
    }
};

class Coarse final : public CudaConvolver::Implementation {
public:
    Coarse(const CoarseConvolutions& filters, Border border, KernelChoice choice)
        : filters_(filters),
          kernels_(filters.front().depth == 8 ? kernels_for<std::uint8_t>(filters.front().grid_bits)
                                              : kernels_for<std::uint16_t>(filters.front().grid_bits)),
          multiprocessors_(attribute(cudaDevAttrMultiProcessorCount)),
          // The coarse picture's border is seen by nobody.
          coarse_(coarse_filters(filters), Border::replicate, choice) {
        const CoarseConvolution& first = filters.front();
        const int grid = first.grid();
        const std::vector<std::int32_t> spline = coarse_spline(grid);
        const int half = 2 * grid - 2;
        for (int j = 0; j < 4; ++j) {
            for (int phase = 0; phase < grid; ++phase) {
                const int i = phase + grid - j * grid;
                launch_.taps[j * grid + phase] =
                    std::abs(i) > half ? 0 : static_cast<unsigned>(spline[static_cast<std::size_t>(i + half)]);
            }
        }
        launch_.thin_rows_shift = first.thin_rows_shift();
        launch_.result_shift = first.result_shift();
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(first.max_value());
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        CoarseLaunch launch = launch_;
        std::vector<OnGrid> grids;
        std::size_t bytes = 0;
        for (const PlaneJob& job : planes) {
            grids.emplace_back(filters_[static_cast<std::size_t>(job.filter)], job.src);
            bytes += 2 * grids.back().bytes;
            launch.coarse[grids.size() - 1] = grids.back().place;
        }
        const StreamPool::Loan memory = pool_.lend(bytes, stream);
        std::vector<PlaneJob> thin(planes.begin(), planes.end());
        std::vector<PlaneJob> middle(thin);
        std::vector<PlaneJob> widen(thin);
        auto* next = static_cast<unsigned char*>(memory.get());
        for (std::size_t i = 0; i < grids.size(); ++i) {
            middle[i].src = grids[i].plane(next, planes[i].src.step);
            middle[i].dst = grids[i].plane(next + grids[i].bytes, planes[i].src.step);
            thin[i].dst = middle[i].src;
            widen[i].src.data = middle[i].dst.data;
            widen[i].src.pitch = middle[i].dst.pitch;
            next += 2 * grids[i].bytes;
        }
        const auto run = [&](Kernel kernel, unsigned blocks, std::size_t shared_bytes) {
            void* arguments[] = {&launch};
            cuda_check(cudaLaunchKernel(kernel, dim3(blocks), dim3(coarse_threads), arguments, shared_bytes, stream),
                       "cudaLaunchKernel");
        };
        unsigned blocks = describe_thin(launch, thin);
        run(kernels_.thin, blocks,
            static_cast<std::size_t>(launch.picture.tile_rows) * coarse_tile_samples * sizeof(std::uint16_t));
        coarse_.launch(middle, stream);
        for (const int rows : widen_rows) {
            blocks = describe(launch.picture, widen, coarse_tile_samples, rows);
            if (enough(blocks)) {
                break;
            }
        }
        run(kernels_.widen, blocks, 0);
    }

    [[nodiscard]] int kernels() const override { return 3; }
    [[nodiscard]] std::size_t device_bytes() const override { return pool_.bytes(); }
    [[nodiscard]] std::string name() const override {
        return "coarse grid of " + std::to_string(filters_.front().grid()) + ", " + coarse_.name();
    }

private:
    static PlaneFilters coarse_filters(const CoarseConvolutions& filters) {
        PlaneFilters coarse;
        for (const CoarseConvolution& filter : filters) {
            coarse.emplace_back(filter.coarse);
        }
        return coarse;
    }
    [[nodiscard]] bool enough(unsigned blocks) const {
        return blocks >= static_cast<unsigned>(blocks_wanted * multiprocessors_);
    }

    // As describe(), but with tiles of the coarse planes.
    unsigned describe_thin(CoarseLaunch& launch, std::span<const PlaneJob> jobs) const {
        int blocks = 0;
        for (const int rows : thin_rows) {
            describe(launch.picture, jobs, coarse_tile_samples, rows);
            blocks = 0;
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                PlaneParams& plane = launch.picture.planes[i];
                const int columns = thin_tile_columns(filters_.front().grid_bits, plane.step);
                plane.tiles_x = (launch.coarse[i].columns + columns - 1) / columns;
                plane.first_block = blocks;
                launch.picture.first_blocks[i] = blocks;
                blocks += plane.tiles_x * ((launch.coarse[i].rows + rows - 1) / rows);
            }
            if (enough(static_cast<unsigned>(blocks))) {
                break;
            }
        }
        return static_cast<unsigned>(blocks);
    }

    CoarseConvolutions filters_;
    Kernels kernels_;
    int multiprocessors_;
    CudaConvolver coarse_;
    StreamPool pool_;
    CoarseLaunch launch_{};
};

}  // namespace

std::unique_ptr<CudaConvolver::Implementation> make_coarse(const CoarseConvolutions& filters, Border border,
                                                           KernelChoice choice) {
    return std::make_unique<Coarse>(filters, border, choice);
}

}  // namespace vfilter::cuda
