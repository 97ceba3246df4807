#pragma once
// How a tile of a fused kernel is divided among threads.

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/taps.h"

namespace vfilter::cuda {

constexpr int threads = 256;
constexpr int tile_columns = 128;  // samples
constexpr int group = 8;           // results of the row pass that one thread makes at a time

template <class T, int R>
struct Shape {
    static constexpr int per_word = 4 / static_cast<int>(sizeof(T));
    // Rounded so that all but the shortest lines begin where 8 bytes may be loaded at once.
    static constexpr int apron = R <= per_word ? per_word : (R + 2 * per_word - 1) / (2 * per_word) * (2 * per_word);
    static constexpr int words = (group + 2 * apron) / per_word;
    static constexpr int words_ahead = R <= 3 ? 20 : 36;  // registers for what is on its way
    // The column pass: neighbouring columns and rows of one thread.
    static constexpr int columns = R <= 4 ? 4 : 2;
    static constexpr int rows = 8;
    static constexpr int rows_at_once = threads / (tile_columns / columns) * rows;
    // Blocks of a multiprocessor at once, which bounds the registers.
    static constexpr int blocks = R <= 2                            ? 4
                                  : R <= (sizeof(T) == 1 ? 15 : 7)  ? 3
                                  : R <= (sizeof(T) == 1 ? 63 : 31) ? 2
                                                                    : 1;
};

}  // namespace vfilter::cuda
