#pragma once
// What the kernels of the coarse grid get as parameters.

#include "kernels/cuda/launch.h"

namespace vfilter::cuda {

inline constexpr int coarse_threads = 128;  ///< of a block
inline constexpr int coarse_tile_samples = 4 * coarse_threads;

/// Coarse pixels of a tile of thinned columns: the two before its first and the one behind its last are of others.
constexpr int thin_tile_columns(int grid_bits, int step) {
    return (coarse_tile_samples / step >> grid_bits) - 3;
}

/// The coarse picture of a plane, with what results at its ends need beside it.
struct CoarsePlane {
    int first_row;  ///< its place on the grid
    int first_column;
    int rows;
    int columns;  ///< pixels
};

/// For both kernels. Of the planes, `src` is the coarse one when widening, and `dst` when thinning; the rest is the
/// fine one's.
struct CoarseLaunch {
    Picture picture;
    CoarsePlane coarse[CudaConvolver::max_planes];
    int thin_rows_shift;
    int result_shift;
    unsigned taps[4 * 8];  ///< S at phase + D - j * D, by j and phase
};

}  // namespace vfilter::cuda
