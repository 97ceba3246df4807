#pragma once
// Filters as the kernels want them in device memory, made on the host.

#include <cstddef>
#include <vector>

#include "kernels/arithmetic/linear_filter.h"
#include "kernels/cuda/tensor_shared/parameters.h"

namespace vfilter::cuda::tensor_shared {

struct Prepared {
    bool split = false;  ///< any of them has split taps
    int depth = 8;
    int first_step = 1;  ///< of the planes
    int last_step = 2;
    int radius = 0;  ///< the largest, as are all that follow
    int terms = 1;
    int band_words = 0;  ///< of 16 bytes, of a term
    int source_words = 0;
    int column_steps = 0;
    int products_of_rows = 0;
    std::vector<uint4> bands;  ///< of all filters, steps and terms
    struct Term {
        std::size_t first_band;
        TermParams params;  ///< without its bands
    };
    std::vector<Term> all_terms;  ///< in the order of the filters, of each the planes' steps
    struct Filter {
        int terms;
        FinishNumbers finish;
    };
    std::vector<Filter> filters;

    /// Shared memory of a block that makes tiles of that many rows, a multiple of tile_group.
    [[nodiscard]] int shared_bytes(int rows) const;
    /// In 16 bytes, what of it the sums of earlier terms take.
    [[nodiscard]] int partial_words(int rows) const { return terms > 1 ? rows / 16 * 2 * tile_block : 0; }
};

/// Of filters that pass takes_in_shared_memory, for planes of steps 1 and 2, or of that one alone if it is larger.
Prepared prepare(const std::vector<LinearFilter>& filters, int step);

}  // namespace vfilter::cuda::tensor_shared
