#pragma once
// How the kernels are launched.

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/cuda/check.h"
#include "kernels/cuda/memory.h"
#include "kernels/cuda/tensor_shared/host.h"
#include "kernels/cuda/tensor_shared/kernel.cuh"

namespace vfilter::cuda::tensor_shared {

template <class T, bool split>
class SharedMemory final : public Launcher {
public:
    SharedMemory(Prepared prepared, Border border)
        : made_(std::move(prepared)),
          multiprocessors_(device_attribute(cudaDevAttrMultiProcessorCount)),
          max_shared_bytes_(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)),
          shared_bytes_of_all_(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)),
          bands_(made_.bands),
          terms_(terms_on_device()) {
        launch_.picture.border = border;
        launch_.picture.max_value = (1U << made_.depth) - 1;
        launch_.band_words = made_.band_words;
        const TermParams* next = terms_.data();
        for (std::size_t i = 0; i < made_.filters.size(); ++i) {
            FilterParams& own = launch_.filters[i];
            own.finish = made_.filters[i].finish;
            own.term_count = made_.filters[i].terms;
            for (int step = made_.first_step; step <= made_.last_step; ++step) {
                own.terms[step - 1] = next;
                next += own.term_count;
            }
        }
        made_.bands.clear();
        made_.bands.shrink_to_fit();
        // More than 48 KB have to be asked for.
        cuda_check(cudaFuncSetAttribute(filter_tiles<T, split>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        max_shared_bytes_),
                   "cudaFuncSetAttribute");
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        auto launch = launch_;
        const Shape shape = shape_for(planes);
        const unsigned blocks = describe(launch.picture, planes, tile_columns, shape.rows);
        launch.partial = made_.band_words + made_.source_words;
        launch.middle = launch.partial + made_.partial_words(shape.rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(filter_tiles<T, split>, dim3(blocks), dim3(static_cast<unsigned>(32 * shape.warps)),
                                    arguments, static_cast<std::size_t>(made_.shared_bytes(shape.rows)), stream),
                   "cudaLaunchKernel");
    }

    [[nodiscard]] std::string name() const override {
        return "tensor tile, radius " + std::to_string(made_.radius) +
               (made_.terms == 1 ? "" : ", " + std::to_string(made_.terms) + " terms") + (split ? ", wide" : "");
    }

private:
    /// Of a block.
    struct Shape {
        int warps;
        int rows;
    };

    [[nodiscard]] std::vector<TermParams> terms_on_device() const {
        std::vector<TermParams> terms;
        for (const Prepared::Term& term : made_.all_terms) {
            terms.push_back(term.params);
            terms.back().bands = bands_.data() + term.first_band;
        }
        return terms;
    }

    // Tall tiles repeat fewer rows of the row pass, low ones keep more multiprocessors busy; several blocks on one do
    // not wait at the same time.
    [[nodiscard]] Shape shape_for(std::span<const PlaneJob> planes) const {
        constexpr int reserved_bytes = 1024;  // of each block
        constexpr int start = 40;             // what it takes to begin, in steps
        int tallest = 0;
        for (const PlaneJob& job : planes) {
            tallest = std::max(tallest, round_up(job.src.height, tile_group));
        }
        Shape best{4, tile_group};
        std::int64_t min_time = 0;
        for (const int warps : {4, tile_warps}) {
            for (int rows = tile_group; rows <= tallest && made_.shared_bytes(rows) <= max_shared_bytes_;
                 rows += tile_group) {
                std::int64_t blocks = 0;
                for (const PlaneJob& job : planes) {
                    blocks += std::int64_t{ceil_div(job.src.width * job.src.step, tile_columns)} *
                              ceil_div(job.src.height, rows);
                }
                const int resident =
                    std::min(tile_warps / warps, shared_bytes_of_all_ / (made_.shared_bytes(rows) + reserved_bytes));
                const auto rounds = [&](int units) { return ceil_div(units, warps); };
                // Of one warp, in products of 16 x 32 taps.
                const std::int64_t work =
                    made_.terms *
                    (std::int64_t{rounds(rows / 16 + 2 * made_.column_steps - 2)} * made_.products_of_rows +
                     std::int64_t{rounds(rows / 16)} * 2 * made_.column_steps + start);
                const std::int64_t each = ceil_div<std::int64_t>(blocks, multiprocessors_);
                // Few warps do not keep the tensor cores busy.
                const std::int64_t busy = std::max(std::min<std::int64_t>(each, resident) * warps, std::int64_t{1});
                const std::int64_t time = each * work * warps * tile_warps / std::min<std::int64_t>(busy, tile_warps);
                if (min_time == 0 || time < min_time) {
                    best = {warps, rows};
                    min_time = time;
                }
            }
        }
        return best;
    }

    Prepared made_;
    int multiprocessors_;
    int max_shared_bytes_;     ///< of a block
    int shared_bytes_of_all_;  ///< of a multiprocessor
    DeviceArray<uint4> bands_;
    DeviceArray<TermParams> terms_;
    Launch launch_{};
};

template <class T, bool split>
MadeLauncher make_shared_memory(Prepared prepared, Border border) {
    return std::make_unique<SharedMemory<T, split>>(std::move(prepared), border);
}

}  // namespace vfilter::cuda::tensor_shared
