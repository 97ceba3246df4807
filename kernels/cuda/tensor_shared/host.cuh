#pragma once
// How the tile kernels are prepared and launched.

#include <algorithm>
#include <string>

#include "kernels/cuda/memory.h"
#include "kernels/cuda/tensor_tile.cuh"

namespace vfilter::cuda {

/// Taps without the zeros at their ends: a user's matrix of full rank has terms of one row each.
struct Line {
    int first = 0;  ///< offset of the first tap's sample
    std::vector<std::int32_t> taps{0};
};

inline Line trim(const std::vector<std::int32_t>& taps) {
    const auto is_tap = [](std::int32_t tap) { return tap != 0; };
    const auto begin = std::ranges::find_if(taps, is_tap);
    if (begin == taps.end()) {
        return {};
    }
    const auto end = std::ranges::find_if(taps.rbegin(), taps.rend(), is_tap).base();
    return {static_cast<int>(begin - taps.begin()) - static_cast<int>(taps.size() / 2), {begin, end}};
}

/// A pass on the host.
struct MadeTilePass {
    TilePass pass;
    int blocks;  ///< of 16 places that results of one tile need
    std::vector<uint4> bands;
};

/// `alignment`: what the first place is a multiple of.
inline MadeTilePass make_pass(const std::vector<std::int32_t>& all, int low_bits, int spacing, int alignment, bool wide,
                              Band band) {
    Line line = trim(all);
    const int offset = line.first * spacing;
    const int apron = (offset % alignment + alignment) % alignment;
    const int last_place = apron + (static_cast<int>(line.taps.size()) - 1) * spacing + 15;
    MadeTilePass pass{};
    pass.blocks = last_place / 16 + 1;
    // The last half is 0.
    pass.pass = {pass.blocks / 2 + 1, offset - apron, low_bits};
    if (line.taps.size() % 2 == 0) {
        line.taps.push_back(0);
    }
    band.spacing = spacing;
    band.apron = apron + static_cast<int>(line.taps.size() / 2) * spacing;
    band.places = 32 * pass.pass.steps;
    const auto add = [&](const std::vector<std::int32_t>& taps) {
        const auto low = band_fragments(taps, 0, band);
        const auto high = band_fragments(taps, 1, band);
        for (std::size_t step = 0; step < low.size(); step += 4 * 32) {
            for (const std::span<const std::uint32_t> words : {std::span(low), std::span(high)}) {
                for (std::size_t i = step; i < step + 4 * 32; i += 4) {
                    pass.bands.push_back(make_uint4(words[i], words[i + 1], words[i + 2], words[i + 3]));
                }
            }
        }
    };
    if (wide) {
        add(low_parts(line.taps, low_bits));
        add(high_parts(line.taps, low_bits));
    } else {
        add(line.taps);
    }
    return pass;
}

template <class T, bool wide>
class Tile final : public CudaConvolver::Implementation {
public:
    Tile(const PlaneFilters& filters, Border border)
        : multiprocessors_(attribute(cudaDevAttrMultiProcessorCount)),
          most_shared_bytes_(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)),
          shared_bytes_of_all_(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor)) {
        std::vector<uint4> bands;
        std::vector<TileTerm> terms;
        std::vector<std::size_t> first_bands;
        for (const PlaneFilter& made : filters) {
            const TensorFilter filter = make_filter(made);
            launch_.picture.max_value = (1U << filter.depth) - 1;
            radius_ = std::max({radius_, filter.radius_x, filter.radius_y});
            terms_ = std::max(terms_, static_cast<int>(filter.terms.size()));
            for (int step = 1; step <= 2; ++step) {
                for (const TensorFilter::Term& term : filter.terms) {
                    const MadeTilePass rows = make_pass(term.rows, term.row_low_bits, step, 4, wide,
                                                        {.order = Order::natural, .results_permuted = true});
                    const MadeTilePass columns =
                        make_pass(term.columns, term.column_low_bits, 1, 1, wide, {.order = Order::halves});
                    first_bands.push_back(bands.size());
                    bands.insert(bands.end(), rows.bands.begin(), rows.bands.end());
                    bands.insert(bands.end(), columns.bands.begin(), columns.bands.end());
                    launch_.band_words =
                        std::max(launch_.band_words, static_cast<int>(bands.size() - first_bands.back()));
                    source_words_ = std::max(source_words_, 8 * (rows.pass.steps + 1));
                    column_steps_ = std::max(column_steps_, columns.pass.steps);
                    products_of_rows_ = std::max(products_of_rows_, rows.pass.steps * (sizeof(T) == 1 ? 1 : 2));
                    terms.push_back(
                        {nullptr, rows.pass, columns.pass, term.row_down, columns.blocks - 1, term.numbers});
                }
            }
        }
        bands_ = std::make_unique<DeviceArray<uint4>>(bands);
        for (std::size_t i = 0; i < terms.size(); ++i) {
            terms[i].bands = bands_->data() + first_bands[i];
        }
        device_terms_ = std::make_unique<DeviceArray<TileTerm>>(terms);
        const TileTerm* next = device_terms_->data();
        for (std::size_t i = 0; i < filters.size(); ++i) {
            const TensorFilter filter = make_filter(filters[i]);
            TileFilter& own = launch_.filters[i];
            own.end = filter.end;
            own.term_count = static_cast<int>(filter.terms.size());
            for (const TileTerm*& of_step : own.terms) {
                of_step = next;
                next += own.term_count;
            }
        }
        launch_.picture.border = border;
        // More than 48 KB have to be asked for.
        cuda_check(
            cudaFuncSetAttribute(filter_tile<T, wide>, cudaFuncAttributeMaxDynamicSharedMemorySize, most_shared_bytes_),
            "cudaFuncSetAttribute");
    }

    /// Whether the device has the shared memory.
    [[nodiscard]] bool fits() const { return shared_bytes(tile_group) <= most_shared_bytes_; }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        auto launch = launch_;
        const Shape shape = shape_for(planes);
        const unsigned blocks = describe(launch.picture, planes, tile_columns, shape.rows);
        launch.partial = launch.band_words + source_words_;
        launch.middle = launch.partial + partial_words(shape.rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(filter_tile<T, wide>, dim3(blocks), dim3(static_cast<unsigned>(32 * shape.warps)),
                                    arguments, static_cast<std::size_t>(shared_bytes(shape.rows)), stream),
                   "cudaLaunchKernel");
    }

    [[nodiscard]] std::string name() const override {
        return "tensor tile, radius " + std::to_string(radius_) +
               (terms_ == 1 ? "" : ", " + std::to_string(terms_) + " terms") + (wide ? ", wide" : "");
    }

private:
    /// Magnitudes get their second term if they have none.
    static TensorFilter make_filter(const PlaneFilter& made) {
        TensorFilter filter = make_tensor_filter(made, TapForm::bytes);
        if (filter.end.ending == TensorEnding::magnitude && filter.terms.size() == 1) {
            filter.terms.push_back({.rows = {0}, .columns = {0}, .numbers = {}});
        }
        return filter;
    }

    /// Of a block.
    struct Shape {
        int warps;
        int rows;
    };

    [[nodiscard]] int shared_bytes(int rows) const {
        const int blocks = rows / 16 - tile_group / 16 + 2 * column_steps_ + 2;
        return (launch_.band_words + source_words_ + partial_words(rows) + blocks * tile_block) * 16;
    }
    [[nodiscard]] int partial_words(int rows) const { return terms_ > 1 ? rows / 16 * 2 * tile_block : 0; }

    // Tall tiles repeat fewer rows of the row pass, low ones keep more multiprocessors busy; several blocks on one do
    // not wait at the same time.
    [[nodiscard]] Shape shape_for(std::span<const PlaneJob> planes) const {
        constexpr int reserved_bytes = 1024;  // of each block
        constexpr int start = 40;             // what it takes to begin, in steps
        int tallest = 0;
        for (const PlaneJob& job : planes) {
            tallest = std::max(tallest, (job.src.height + tile_group - 1) / tile_group * tile_group);
        }
        Shape best{4, tile_group};
        std::int64_t least = 0;
        for (const int warps : {4, tile_warps}) {
            for (int rows = tile_group; rows <= tallest && shared_bytes(rows) <= most_shared_bytes_;
                 rows += tile_group) {
                std::int64_t blocks = 0;
                for (const PlaneJob& job : planes) {
                    blocks += std::int64_t{(job.src.width * job.src.step + tile_columns - 1) / tile_columns} *
                              ((job.src.height + rows - 1) / rows);
                }
                const int resident =
                    std::min(tile_warps / warps, shared_bytes_of_all_ / (shared_bytes(rows) + reserved_bytes));
                const auto rounds = [&](int units) { return (units + warps - 1) / warps; };
                // Of one warp, in products of 16 x 32 taps.
                const std::int64_t work =
                    terms_ * (std::int64_t{rounds(rows / 16 + 2 * column_steps_ - 2)} * products_of_rows_ +
                              std::int64_t{rounds(rows / 16)} * 2 * column_steps_ + start);
                const std::int64_t each = (blocks + multiprocessors_ - 1) / multiprocessors_;
                // Few warps do not keep the tensor cores busy.
                const std::int64_t busy = std::max(std::min<std::int64_t>(each, resident) * warps, std::int64_t{1});
                const std::int64_t time = each * work * warps * tile_warps / std::min<std::int64_t>(busy, tile_warps);
                if (least == 0 || time < least) {
                    best = {warps, rows};
                    least = time;
                }
            }
        }
        return best;
    }

    int multiprocessors_;
    int most_shared_bytes_;    ///< of a block
    int shared_bytes_of_all_;  ///< of a multiprocessor
    int radius_ = 0;
    int terms_ = 1;
    int column_steps_ = 0;
    int source_words_ = 0;
    int products_of_rows_ = 0;
    std::unique_ptr<DeviceArray<uint4>> bands_;
    std::unique_ptr<DeviceArray<TileTerm>> device_terms_;
    TileLaunch launch_{};
};

template <class T, bool wide>
std::unique_ptr<CudaConvolver::Implementation> make_tile(const PlaneFilters& filters, Border border) {
    auto made = std::make_unique<Tile<T, wide>>(filters, border);
    return made->fits() ? std::move(made) : nullptr;
}

}  // namespace vfilter::cuda
