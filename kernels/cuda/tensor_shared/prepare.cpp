#include "kernels/cuda/tensor_shared/prepare.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <span>

#include "kernels/cuda/tensor/fragments.h"
#include "kernels/cuda/trimmed_taps.h"

namespace vfilter::cuda::tensor_shared {

namespace {

using tensor::Order;
using tensor::TapForm;
using tensor::TensorFilter;
using tensor::TensorTerm;

/// A pass on the host.
struct MadePass {
    PassParams pass;
    int blocks;  ///< of 16 places that results of one tile need
    std::vector<uint4> bands;
};

/// `alignment`: what the first place is a multiple of.
MadePass make_pass(const std::vector<std::int32_t>& all, int low_bits, int spacing, int alignment, bool split,
                   tensor::Band band) {
    TrimmedTaps line = trim(all);
    const int offset = line.first * spacing;
    const int halo = (offset % alignment + alignment) % alignment;
    const int last_place = halo + (static_cast<int>(line.taps.size()) - 1) * spacing + 15;
    MadePass pass{};
    pass.blocks = last_place / 16 + 1;
    // The last half is 0.
    pass.pass = {pass.blocks / 2 + 1, offset - halo, low_bits};
    if (line.taps.size() % 2 == 0) {
        line.taps.push_back(0);
    }
    band.spacing = spacing;
    band.halo = halo + static_cast<int>(line.taps.size() / 2) * spacing;
    band.places = 32 * pass.pass.steps;
    const auto add = [&](const std::vector<std::int32_t>& taps) {
        const auto low = tensor::band_fragments(taps, 0, band);
        const auto high = tensor::band_fragments(taps, 1, band);
        for (std::size_t step = 0; step < low.size(); step += 4 * 32) {
            for (const std::span<const std::uint32_t> words : {std::span(low), std::span(high)}) {
                for (std::size_t i = step; i < step + 4 * 32; i += 4) {
                    pass.bands.push_back(make_uint4(words[i], words[i + 1], words[i + 2], words[i + 3]));
                }
            }
        }
    };
    if (split) {
        std::vector<std::int32_t> low;
        std::vector<std::int32_t> high;
        for (const std::int32_t tap : line.taps) {
            low.push_back(low_part(tap, low_bits));
            high.push_back(high_part(tap, low_bits));
        }
        add(low);
        add(high);
    } else {
        add(line.taps);
    }
    return pass;
}

/// Magnitudes get their second term if they have none.
TensorFilter make_filter(const LinearFilter& given) {
    TensorFilter filter = tensor::make_filter(given, TapForm::bytes);
    if (filter.finish.ending == Ending::magnitude && filter.terms.size() == 1) {
        filter.terms.push_back({.rows = {0}, .columns = {0}, .numbers = {}});
    }
    return filter;
}

}  // namespace

int Prepared::shared_bytes(int rows) const {
    const int blocks = rows / 16 - tile_group / 16 + 2 * column_steps + 2;
    return (band_words + source_words + partial_words(rows) + blocks * tile_block) * 16;
}

Prepared prepare(const std::vector<LinearFilter>& filters, int step) {
    Prepared made;
    made.first_step = step <= 2 ? 1 : step;
    made.last_step = std::max(step, 2);
    made.depth = filters.front().depth;
    made.split =
        std::ranges::any_of(filters, [](const LinearFilter& filter) { return filter.arithmetic == Arithmetic::split; });
    for (const LinearFilter& given : filters) {
        const TensorFilter filter = make_filter(given);
        made.filters.push_back({static_cast<int>(filter.terms.size()), filter.finish});
        made.radius = std::max({made.radius, filter.radius_x, filter.radius_y});
        made.terms = std::max(made.terms, made.filters.back().terms);
        for (int spacing = made.first_step; spacing <= made.last_step; ++spacing) {
            for (const TensorTerm& term : filter.terms) {
                const MadePass rows = make_pass(term.rows, term.low_bits, spacing, 4, made.split,
                                                {.order = Order::natural, .results_permuted = true});
                const MadePass columns =
                    make_pass(term.columns, term.low_bits, 1, 1, made.split, {.order = Order::halves});
                const std::size_t first_band = made.bands.size();
                made.bands.insert(made.bands.end(), rows.bands.begin(), rows.bands.end());
                made.bands.insert(made.bands.end(), columns.bands.begin(), columns.bands.end());
                made.band_words = std::max(made.band_words, static_cast<int>(made.bands.size() - first_band));
                made.source_words = std::max(made.source_words, 8 * (rows.pass.steps + 1));
                made.column_steps = std::max(made.column_steps, columns.pass.steps);
                made.products_of_rows = std::max(made.products_of_rows, rows.pass.steps * (made.depth == 8 ? 1 : 2));
                made.all_terms.push_back(
                    {first_band, {nullptr, rows.pass, columns.pass, term.row_down, columns.blocks - 1, term.numbers}});
            }
        }
    }
    return made;
}

}  // namespace vfilter::cuda::tensor_shared
