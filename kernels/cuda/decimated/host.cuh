#pragma once
// How the kernels are launched: decimation, the inner filter, interpolation.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <utility>

#include "kernels/cuda/check.h"
#include "kernels/cuda/decimated/decimate.cuh"
#include "kernels/cuda/decimated/host.h"
#include "kernels/cuda/decimated/interpolate.cuh"
#include "kernels/cuda/memory.h"

namespace vfilter::cuda::decimated {

// A thread that is alone on its quarter of a multiprocessor waits for every load; so many blocks of each are enough.
inline constexpr int blocks_wanted = 4;
// Decimation reads three groups of rows more than a tile's own; interpolation makes three decimated rows more. Tiles
// are as tall as leaves enough of them.
inline constexpr std::array decimated_rows{16, 8, 4};
inline constexpr std::array interpolated_rows{64, 32, 16};

/// One plane on its way.
struct OnItsWay {
    DecimatedPlane place;
    std::ptrdiff_t pitch;
    std::size_t bytes;

    OnItsWay(const DecimatedFilter& filter, const DevicePlane& plane) {
        const DecimatedSpan rows = filter.span_of_decimated(0, plane.height, filter.inner.radius_y());
        const DecimatedSpan columns = filter.span_of_decimated(0, plane.width, filter.inner.radius_x());
        // Rows of whole 16 bytes, which the inner kernels load fastest; nobody asks for the columns that this adds.
        place = {rows.first, columns.first, rows.count, round_up(columns.count, 8)};
        // Up to 7 bytes after a row are written.
        pitch = round_up<std::ptrdiff_t>(std::ptrdiff_t{2} * place.columns * plane.step + 7, 16);
        bytes = round_up<std::size_t>(static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows.count), 256);
    }
    [[nodiscard]] DevicePlane plane(unsigned char* data, int step) const {
        return {data, place.columns, place.rows, pitch, step, 0};
    }
};

template <class T, int bits>
class Decimated final : public Launcher {
public:
    Decimated(const std::vector<DecimatedFilter>& filters, Border border, MadeLauncher inner)
        : filters_(filters),
          multiprocessors_(device_attribute(cudaDevAttrMultiProcessorCount)),
          inner_(std::move(inner)) {
        const DecimatedFilter& first = filters.front();
        const int factor = first.factor();
        const std::vector<std::int32_t> spline = decimation_spline(factor);
        const int radius = 2 * factor - 2;
        for (int j = 0; j < 4; ++j) {
            for (int phase = 0; phase < factor; ++phase) {
                const int i = phase + factor - j * factor;
                launch_.taps[j * factor + phase] =
                    std::abs(i) > radius ? 0 : static_cast<unsigned>(spline[static_cast<std::size_t>(i + radius)]);
            }
        }
        launch_.decimate_rows_shift = first.decimate_rows_shift();
        launch_.interpolate_rows_shift = first.interpolate_rows_shift();
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(first.max_value());
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        Launch launch = launch_;
        std::vector<OnItsWay> on_their_way;
        std::size_t bytes = 0;
        for (const PlaneJob& job : planes) {
            on_their_way.emplace_back(filters_[static_cast<std::size_t>(job.filter)], job.src);
            bytes += 2 * on_their_way.back().bytes;
            launch.decimated[on_their_way.size() - 1] = on_their_way.back().place;
        }
        const StreamPool::Loan memory = pool_.lend(bytes, stream);
        std::vector<PlaneJob> decimate(planes.begin(), planes.end());
        std::vector<PlaneJob> inner(decimate);
        std::vector<PlaneJob> interpolate(decimate);
        auto* next = static_cast<unsigned char*>(memory.get());
        for (std::size_t i = 0; i < planes.size(); ++i) {
            const OnItsWay& own = on_their_way[i];
            inner[i].src = own.plane(next, planes[i].src.step);
            inner[i].dst = own.plane(next + own.bytes, planes[i].src.step);
            decimate[i].dst = inner[i].src;
            interpolate[i].src.data = inner[i].dst.data;
            interpolate[i].src.pitch = inner[i].dst.pitch;
            next += 2 * own.bytes;
        }
        const auto run = [&](void (*kernel)(Launch), unsigned blocks, std::size_t shared_bytes) {
            void* arguments[] = {&launch};
            cuda_check(cudaLaunchKernel(kernel, dim3(blocks), dim3(threads), arguments, shared_bytes, stream),
                       "cudaLaunchKernel");
        };
        unsigned blocks = describe_decimated(launch, decimate);
        run(decimate_planes<T, bits>, blocks,
            static_cast<std::size_t>(launch.picture.tile_rows) * tile_samples * sizeof(std::uint16_t));
        inner_->launch(inner, stream);
        for (const int rows : interpolated_rows) {
            blocks = describe(launch.picture, interpolate, tile_samples, rows);
            if (enough(blocks)) {
                break;
            }
        }
        run(interpolate_planes<T, bits>, blocks, 0);
    }

    [[nodiscard]] int kernels(std::span<const PlaneJob> planes) const override { return 2 + inner_->kernels(planes); }
    [[nodiscard]] std::size_t device_bytes() const override { return pool_.bytes() + inner_->device_bytes(); }
    [[nodiscard]] std::string name() const override {
        return "coarse grid of " + std::to_string(1 << bits) + ", " + inner_->name();
    }

private:
    [[nodiscard]] bool enough(unsigned blocks) const {
        return blocks >= static_cast<unsigned>(blocks_wanted * multiprocessors_);
    }

    // As describe(), but with tiles of the decimated planes.
    unsigned describe_decimated(Launch& launch, std::span<const PlaneJob> jobs) const {
        int blocks = 0;
        for (const int rows : decimated_rows) {
            describe(launch.picture, jobs, tile_samples, rows);
            blocks = 0;
            for (std::size_t i = 0; i < jobs.size(); ++i) {
                PlaneParams& plane = launch.picture.planes[i];
                const int columns = decimated_tile_columns(filters_.front().factor_bits, plane.step);
                plane.tiles_x = ceil_div(launch.decimated[i].columns, columns);
                plane.first_block = blocks;
                launch.picture.first_blocks[i] = blocks;
                blocks += plane.tiles_x * ceil_div(launch.decimated[i].rows, rows);
            }
            if (enough(static_cast<unsigned>(blocks))) {
                break;
            }
        }
        return static_cast<unsigned>(blocks);
    }

    std::vector<DecimatedFilter> filters_;
    int multiprocessors_;
    MadeLauncher inner_;
    StreamPool pool_;
    Launch launch_{};
};

}  // namespace vfilter::cuda::decimated
