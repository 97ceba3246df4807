#pragma once
// What the kernels get as parameters, and the shape of what their blocks make.

#include "kernels/arithmetic/rank.h"
#include "kernels/cuda/plane.h"

namespace vfilter::cuda::median {

inline constexpr int threads = 256;

/// Of the counting kernel, a warp to each row.
inline constexpr int counted_columns = 32;
inline constexpr int counted_rows = 32;

/// Of the networks: a warp to each two rows of a step, eight samples of each to a thread.
inline constexpr int max_network_radius = 3;
inline constexpr int network_threads = 128;
inline constexpr int network_columns = 32 * 8;
inline constexpr int network_rows = network_threads / 32 * 2;  ///< of a step
inline constexpr int network_max_rows = 4 * network_rows;      ///< of a block, which walks down

/// The pixels of interleaved components that are looked at on either side of a tile.
inline constexpr int pixel_halo = 4;

/// The rows of a step in shared memory: what a block's results need of them, from `lead` bytes before the first one on.
/// Columns are samples, or pixels of so many interleaved components.
template <class T, int radius_y, int components = 1>
struct Band {
    static constexpr int lead = (pixel_halo * components * static_cast<int>(sizeof(T)) + 15) / 16 * 16;
    static constexpr int pitch = network_columns * components * static_cast<int>(sizeof(T)) + 2 * lead;
    static constexpr int rows = network_rows + 2 * radius_y;
    static constexpr int bytes = rows * pitch;
};

/// Of the histograms: a sample of each row to a thread, which walks down.
inline constexpr int column_threads = 128;
inline constexpr int column_strip = column_threads;
inline constexpr int column_rows = 64;
inline constexpr int column_max_rows = 2 * column_rows;

/// 1 and -1, of which the compiler does not know that they are.
struct Ones {
    unsigned one = 1;
    unsigned minus_one = 0xffffffff;
};

struct Launch {
    Picture picture;
    MedianFilter window;
    int rank;  ///< the window's
    /// Of networks alone. Blocks of many planes that share a multiprocessor drop each other's parameters from its cache
    /// of constants, which with 32 planes took half of the time of size 3.
    Stack stack;
    unsigned blocks_of_picture;  ///< of the stack
    Ones ones;
};

}  // namespace vfilter::cuda::median
