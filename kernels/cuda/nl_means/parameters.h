#pragma once
// What the kernel gets as parameters, and the shape of its tiles.

#include "kernels/arithmetic/nl_means.h"
#include "kernels/cuda/plane.h"
#include "kernels/cuda/windows.h"

namespace vfilter::cuda::nl_means {

inline constexpr int threads = 128;
inline constexpr int tile_columns = 32;    // a warp's lanes
inline constexpr int rows_of_thread = 16;  // below each other
inline constexpr int tile_rows = threads / tile_columns * rows_of_thread;

/// A tile in shared memory, with what its results are made of.
template <int patch>
struct Tile {
    static constexpr int search_radius = max_search_size / 2;
    static constexpr int reach = search_radius + patch / 2;
    static constexpr int guide_columns = tile_columns + 2 * reach;
    static constexpr int guide_rows = tile_rows + 2 * reach;
    static constexpr int byte_pitch = guide_columns + 3;  // a word begins at each
    static constexpr int sample_columns = tile_columns + 2 * search_radius;
    static constexpr int sample_rows = tile_rows + 2 * search_radius;
};

struct Launch {
    Picture picture;
    NlMeans filters[max_filters];
};
/// Where neighbours are looked at.
struct TimeLaunch : Launch {
    Windows windows;
};

// Sums of products over several pictures can outgrow 32 bits, sums of weights take 20 (17 x 255 x 15 x 15). So after
// each picture what a sum of products has above its low bits goes on top of those, as a number of 8 bits at most.
inline constexpr int low_sum_bits = 28;
inline constexpr int weight_bits = 20;
static_assert((max_neighbours + 1) * 255 * max_search_size * max_search_size < 1 << weight_bits);
static_assert((1ULL << low_sum_bits) + 255ULL * max_search_size * max_search_size * 65535 < 1ULL << 32);
static_assert((max_neighbours + 1) * 15 < 1 << (32 - weight_bits));

// On tensor cores.
inline constexpr int tensor_threads = 128;
inline constexpr int tensor_columns = 48;
inline constexpr int tensor_rows = 64;
inline constexpr int sample_pitch = 72;  ///< words: 8 more than a multiple of 32, so that pairs meet no bank twice
inline constexpr int raw_pitch = 76;     ///< samples, before they are words, which look four further

/// What a block keeps in shared memory: the guide's words, the words of samples, the guide's bytes, and where columns
/// come from.
struct TensorTile {
    constexpr TensorTile(int patch, int search)
        : patch_radius(patch / 2),
          columns(tensor_columns + patch + search - 2),
          rows(tensor_rows + patch + search - 2),
          sample_columns(tensor_columns + search - 1),
          sample_rows(tensor_rows + search - 1),
          // The last word that a lane reads is that of the last warp's last tile and row, at the last offset.
          guide_pitch(round_up(tensor_columns + 8 + search - 1 - 2, 8) + 2),
          guide_rows(tensor_rows + 16 + search - 1 - 3) {}

    int patch_radius;
    int columns;  ///< of the tile and what surrounds it
    int rows;
    int sample_columns;
    int sample_rows;
    int guide_pitch;  ///< words: 2 more than a multiple of 8, so that four rows of eight words meet no bank twice
    int guide_rows;

    /// 16 bytes each time.
    [[nodiscard]] constexpr int guide_words() const { return round_up(guide_rows * guide_pitch, 4); }
    [[nodiscard]] constexpr int byte_pitch() const { return round_up(guide_pitch, 4); }
    /// A word needs three more.
    [[nodiscard]] constexpr int byte_rows() const { return guide_rows + 3; }
    [[nodiscard]] constexpr int bytes() const {
        return 4 * (guide_words() + sample_rows * sample_pitch + columns) + byte_rows() * byte_pitch();
    }
};

}  // namespace vfilter::cuda::nl_means
