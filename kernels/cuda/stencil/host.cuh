#pragma once
// How the stencil is launched.

#include <algorithm>
#include <string>

#include "kernels/cuda/check.h"
#include "kernels/cuda/stencil/host.h"
#include "kernels/cuda/stencil/kernel.cuh"

namespace vfilter::cuda::stencil {

template <class S, int pixel_step>
class Stencil final : public Launcher {
public:
    Stencil(const std::vector<LinearFilter>& filters, Border border)
        : multiprocessors_(device_attribute(cudaDevAttrMultiProcessorCount)) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(filters.front().max_value());
        for (std::size_t i = 0; i < filters.size(); ++i) {
            fill(launch_.taps[i], filters[i]);
        }
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        auto launch = launch_;
        const unsigned blocks = describe(launch.picture, planes, tile_columns, tile_rows(planes));
        void* arguments[] = {&launch};
        cuda_check(
            cudaLaunchKernel(filter_strips<S, pixel_step>, dim3(blocks), dim3(warps * lanes), arguments, 0, stream),
            "cudaLaunchKernel");
    }

    [[nodiscard]] std::string name() const override {
        return "quick, radius " + std::to_string(S::R) + ", " + std::to_string(S::terms) +
               (S::terms == 1 ? " term" : " terms") + (S::magnitude ? ", magnitude" : "") +
               (S::form == Form::quads ? ", 8-bit taps" : "");
    }

private:
    static constexpr int tile_columns = lanes * S::own;

    // High strips repeat fewer rows of the row pass, low ones keep more multiprocessors busy. Blocks wait
    // for their loads most of the time, so that fewer than a multiprocessor takes at once are no sooner done than
    // those.
    [[nodiscard]] int tile_rows(std::span<const PlaneJob> planes) const {
        constexpr int max_walked = 36;
        int best = 0;
        std::int64_t min_work = 0;
        for (int walked = 8; walked <= max_walked; walked += rows_ahead) {
            const int rows = warps * (walked - 2 * S::R);
            std::int64_t blocks = 0;
            for (const PlaneJob& job : planes) {
                blocks +=
                    std::int64_t{ceil_div(job.src.width * job.src.step, tile_columns)} * ceil_div(job.src.height, rows);
            }
            const std::int64_t each = ceil_div<std::int64_t>(blocks, multiprocessors_);
            const std::int64_t work = std::max<std::int64_t>(each, S::blocks) * walked;
            if (best == 0 || 20 * work < 19 * min_work) {
                best = rows;
                min_work = work;
            }
        }
        return best;
    }

    int multiprocessors_;
    Launch<S> launch_{};
};

template <class S>
MadeLauncher make_stencil(const std::vector<LinearFilter>& filters, Border border, int step) {
    if constexpr (S::pixels) {
        if (step > 2) {
            static_assert(max_step == 4);
            return step == 3 ? MadeLauncher(std::make_unique<Stencil<S, 3>>(filters, border))
                             : std::make_unique<Stencil<S, 4>>(filters, border);
        }
    }
    return std::make_unique<Stencil<S, 0>>(filters, border);
}

template <Form form, int R, int terms, bool magnitude>
inline constexpr Instance instance{takes<form, R, terms, magnitude>, make_stencil<Shape<form, R, terms, magnitude>>,
                                   Shape<form, R, terms, magnitude>::pixels};

}  // namespace vfilter::cuda::stencil
