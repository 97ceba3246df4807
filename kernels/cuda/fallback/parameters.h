#pragma once
// What the kernels get as parameters, and the shape of their tiles.

#include <algorithm>
#include <cstdint>

#include "kernels/arithmetic/filter_kernel.h"
#include "kernels/cuda/plane.h"

namespace vfilter::cuda::fallback {

inline constexpr int threads = 256;

/// What a block makes, with terms of up to so many taps.
struct NearTile {
    static constexpr int columns = 32;
    static constexpr int rows = 96;  // the row pass is repeated for as many more as a term has column taps
    static constexpr int max_taps = 255;
};
struct FarTile {
    static constexpr int columns = 16;
    static constexpr int rows = 80;
    static constexpr int max_taps = max_kernel_size;
};
template <class Tile>
inline constexpr int rows_at_once = threads / Tile::columns;
template <class Tile>
inline constexpr int max_shared_words = (Tile::rows + Tile::max_taps - 1) * Tile::columns + 2 * Tile::max_taps;
static_assert(4 * std::max(max_shared_words<NearTile>, max_shared_words<FarTile>) <= 48 * 1024,
              "more has to be asked for");
static_assert(NearTile::rows % rows_at_once<NearTile> == 0 && FarTile::rows % rows_at_once<FarTile> == 0);

/// A run of taps without the zeros at its ends.
struct Line {
    int first;  ///< offset of the first tap's sample
    int count;
    int taps;  ///< where they begin
};

struct TermParams {
    Line rows;
    Line columns;
    int row_shift;
    std::uint32_t row_start;   ///< of 32-bit sums: what rounds them, less what centres them
    std::uint32_t centre_sum;  ///< centre * sum of C, for the same
};

struct FilterParams {
    Combine combine;
    int first_term;
    int terms;
    int shift;
    std::int64_t gain;
    std::int64_t bias;  ///< with the half that rounds
    std::int64_t threshold;
    std::int64_t magnitude_limit;
};

struct Launch {
    Picture picture;
    FilterParams filters[max_filters];
    const TermParams* terms;
    const std::int32_t* taps;
};

}  // namespace vfilter::cuda::fallback
