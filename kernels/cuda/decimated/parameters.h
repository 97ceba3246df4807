#pragma once
// What the kernels get as parameters.

#include "kernels/cuda/plane.h"

namespace vfilter::cuda::decimated {

inline constexpr int threads = 128;  ///< of a block
inline constexpr int tile_samples = 4 * threads;

/// Decimated pixels of a tile: the two before its first and the one after its last are of others.
constexpr int decimated_tile_columns(int factor_bits, int step) {
    return (tile_samples / step >> factor_bits) - 3;
}

/// The decimated picture of a plane, with its halo: what results at its ends need.
struct DecimatedPlane {
    int first_row;  ///< its number
    int first_column;
    int rows;
    int columns;  ///< pixels
};

/// For both kernels. Of the planes, `dst` is the decimated one when decimating, and `src` when interpolating; the rest
/// is the full one's.
struct Launch {
    Picture picture;
    DecimatedPlane decimated[max_planes];
    int decimate_rows_shift;
    int interpolate_rows_shift;
    unsigned taps[4 * 8];  ///< S at phase + D - j * D, by j and phase
};

}  // namespace vfilter::cuda::decimated
