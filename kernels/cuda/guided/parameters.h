#pragma once
// What the kernels get as parameters, and the shape of what their warps make.

#include "kernels/arithmetic/guided.h"
#include "kernels/cuda/plane.h"

namespace vfilter::cuda::guided {

inline constexpr int warps = 4;  ///< of a block, each with rows of its own below the one before
inline constexpr int threads = 32 * warps;
/// Columns that a warp sums up, four to a thread. The first and last are the halo of what it makes.
inline constexpr int strip_columns = 4 * 32;

/// One plane's windows around all places that results need: those of the plane and of its halo.
struct Windows {
    std::uint32_t* sums;    ///< S of each place, row by row
    std::uint16_t* slopes;  ///< a of each
    int pitch;              ///< places of a row, a multiple of 4
    int rows;
};

struct Launch {
    Picture picture;
    Guided filters[max_filters];
    float inverses[max_filters];  ///< about 1 / D
    Windows windows[max_planes];
};

/// Samples on either side of a window's own.
constexpr int halo_of(const Guided& filter, int step) {
    return filter.radius_x * step;
}
/// Columns of what a warp makes of a strip: a multiple of 4, so that strips begin where words do.
constexpr int made_columns(const Guided& filter, int step) {
    return (strip_columns - 2 * halo_of(filter, step)) / 4 * 4;
}
static_assert(strip_columns > 4 * max_guided_radius + 4, "even where chroma is interleaved");
/// Where the first strip of samples begins: before all that the first place's window has.
constexpr int first_column(const Guided& filter, int step) {
    return -round_up(2 * halo_of(filter, step), 4);
}

}  // namespace vfilter::cuda::guided
