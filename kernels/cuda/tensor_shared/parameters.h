#pragma once
// What the kernels get as parameters, and the shape of their tiles.

#include <cuda_runtime_api.h>

#include "kernels/cuda/plane.h"
#include "kernels/cuda/tensor/filter.h"

namespace vfilter::cuda::tensor_shared {

using tensor::Ending;
using tensor::FinishKind;
using tensor::FinishNumbers;
using tensor::TermNumbers;

inline constexpr int tile_columns = 64;  ///< of a block, in samples
inline constexpr int tile_group = 64;    ///< of results that a warp makes at once, of 16 columns
inline constexpr int tile_warps = 12;    ///< of a multiprocessor: what registers there are for
inline constexpr int tile_half = 32;     ///< of 16 bytes: one of every lane
inline constexpr int tile_block = 128;   ///< of 16 bytes that 16 rows of intermediate samples take

/// What is the same for all lanes of a term's pass.
struct PassParams {
    int steps;     ///< halves of the band, of which the last is 0, by twos
    int first;     ///< from a tile's first result to the first place of its band, in samples: a multiple of 4 in rows
    int low_bits;  ///< of split taps
};

struct TermParams {
    const uint4* bands;  ///< rows, then columns; of split taps of either the low parts first
    PassParams rows;
    PassParams columns;
    int row_down;     ///< by what the row pass's sums are shifted down once they are scaled
    int blocks_more;  ///< blocks of 16 rows that the column pass needs, less those that it makes
    TermNumbers numbers;
};

struct FilterParams {
    const TermParams* terms[max_step];  ///< for planes with step 1 and so on, as far as there are
    int term_count;
    FinishNumbers finish;
};

struct Launch {
    Picture picture;
    FilterParams filters[max_filters];
    int band_words;  ///< of 16 bytes
    int partial;     ///< where the sums of earlier terms begin, in the same, after the samples' sources
    int middle;      ///< and where the intermediate samples do
};

}  // namespace vfilter::cuda::tensor_shared
