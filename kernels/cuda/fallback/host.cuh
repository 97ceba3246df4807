#pragma once
// How the kernels are launched.

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/check.h"
#include "kernels/cuda/fallback/host.h"
#include "kernels/cuda/fallback/kernel.cuh"
#include "kernels/cuda/memory.h"
#include "kernels/cuda/trimmed_taps.h"

namespace vfilter::cuda::fallback {

/// All filters as they are on the device.
struct Uploads {
    std::vector<FilterParams> filters;
    std::vector<TermParams> terms;
    std::vector<std::int32_t> taps;

    explicit Uploads(const std::vector<LinearFilter>& given) {
        for (const LinearFilter& filter : given) {
            filters.push_back({filter.finish.combine, static_cast<int>(terms.size()),
                               static_cast<int>(filter.terms.size()), filter.finish.shift, filter.finish.gain,
                               filter.finish.rounded_bias(), filter.finish.threshold, filter.magnitude_limit()});
            for (const Term& term : filter.terms) {
                const Line rows = add(term.rows);
                const Line columns = add(term.columns);
                const std::int64_t centre = std::int64_t{term.centre} << term.row_shift;
                terms.push_back({rows, columns, term.row_shift,
                                 static_cast<std::uint32_t>(half(term.row_shift) - centre),
                                 static_cast<std::uint32_t>(term.centre_sum())});
            }
        }
    }

    /// The largest number of taps of either pass.
    [[nodiscard]] int max_taps() const {
        int count = 0;
        for (const TermParams& term : terms) {
            count = std::max({count, term.rows.count, term.columns.count});
        }
        return count;
    }

private:
    Line add(const std::vector<std::int32_t>& line) {
        const TrimmedTaps trimmed = trim(line);
        const Line made{trimmed.first, static_cast<int>(trimmed.taps.size()), static_cast<int>(taps.size())};
        taps.insert(taps.end(), trimmed.taps.begin(), trimmed.taps.end());
        return made;
    }
};

template <class T, class Sum, class Tile>
class Fallback final : public Launcher {
public:
    Fallback(const Uploads& uploads, unsigned max_value, Border border) : terms_(uploads.terms), taps_(uploads.taps) {
        launch_.picture.border = border;
        launch_.picture.max_value = max_value;
        std::ranges::copy(uploads.filters, launch_.filters);
        launch_.terms = terms_.data();
        launch_.taps = taps_.data();
        for (const TermParams& term : uploads.terms) {
            column_taps_ = std::max(column_taps_, term.columns.count);
        }
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        Launch launch = launch_;
        const unsigned blocks = describe(launch.picture, planes, Tile::columns, Tile::rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(filter_tiles<T, Sum, Tile>, dim3(blocks), dim3(threads), arguments, shared_bytes(),
                                    stream),
                   "cudaLaunchKernel");
    }

    [[nodiscard]] std::string name() const override {
        int terms = 0;
        for (const FilterParams& filter : launch_.filters) {
            terms = std::max(terms, filter.terms);
        }
        return "general, " + std::to_string(terms) + (terms == 1 ? " term" : " terms") +
               (sizeof(Sum) == 8 ? ", wide" : "");
    }

private:
    [[nodiscard]] std::size_t shared_bytes() const {
        return static_cast<std::size_t>((Tile::rows + column_taps_ - 1) * Tile::columns + 2 * Tile::max_taps) *
               sizeof(std::int32_t);
    }

    Launch launch_{};
    DeviceArray<TermParams> terms_;
    DeviceArray<std::int32_t> taps_;
    int column_taps_ = 1;
};

}  // namespace vfilter::cuda::fallback
