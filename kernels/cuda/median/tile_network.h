#pragma once
// The network by which a thread makes a tile of medians in registers.

#include "kernels/arithmetic/selection_network.h"

namespace vfilter::cuda::median {

inline constexpr int tile_columns = 4;
inline constexpr int tile_rows = 2;

/// From the samples that a tile of results needs, row by row. Rows that both rows of results see are the core, whose
/// columns are sorted. What all columns of results see of it is merged, then the tile is cut into halves, to each of
/// which the columns come that its own results see, until it is one column of results; there the last row comes to
/// each.
template <int radius_x, int radius_y>
class TileNetwork {
public:
    static constexpr int columns = tile_columns + 2 * radius_x;
    static constexpr int rows = tile_rows + 2 * radius_y;
    using Made = Selection<1280>;

    /// Its results are row by row.
    static constexpr Made make() {
        TileNetwork network;
        network.make_tile();
        return network.made_;
    }

private:
    static constexpr int width = 2 * radius_x + 1;
    static constexpr int core_rows = 2 * radius_y;
    static constexpr int rank = width * (core_rows + 1) / 2;

    constexpr void make_tile() {
        for (int x = 0; x < columns; ++x) {
            SortedList column;
            for (int y = 1; y <= core_rows; ++y) {
                column.add(y * columns + x);
            }
            // In places of their own: samples are also parts of rows.
            sorted_[static_cast<std::size_t>(x)] = made_.network.sort(made_.network.copy(column));
        }
        const Candidates core = columns_from(tile_columns - 1, width + 1 - tile_columns);
        cut(0, tile_columns, core.of_rank(rank));
        for (const int place : middles_) {
            made_.results.add(place);
        }
        made_.network.keep(made_.results);
    }

    /// Columns of the core, merged.
    constexpr Candidates columns_from(int first, int count) {
        return count <= 0 ? Candidates{} : Candidates{merged(first, count)}.of_rank(rank);
    }
    constexpr SortedList merged(int first, int count) {
        if (count == 1) {
            return made_.network.copy(sorted_[static_cast<std::size_t>(first)]);
        }
        const int half = (count + 1) / 2;
        const SortedList a = merged(first, half);
        return made_.network.merge(a, merged(first + half, count - half));
    }

    /// Columns [first, first + count) of results, of which all see what is in `seen`.
    constexpr void cut(int first, int count, const Candidates& seen) {
        if (count == 1) {
            finish(first, seen);
            return;
        }
        const int half = count / 2;
        const auto side = [&](int own, int new_columns, int own_count) {
            const Candidates copied{made_.network.copy(seen.list), seen.below, seen.above};
            const Candidates more = columns_from(new_columns, count - own_count);
            cut(own, own_count, made_.network.join(copied, more, rank));
        };
        side(first, first + half - 1, half);
        side(first + half, first + width, count - half);
    }

    constexpr void finish(int column, const Candidates& core) {
        for (int y = 0; y < tile_rows; ++y) {
            SortedList row;
            for (int i = 0; i < width; ++i) {
                row.add(y * (rows - 1) * columns + column + i);
            }
            const SortedList sorted = made_.network.sort(made_.network.copy(row));
            middles_[static_cast<std::size_t>(y * tile_columns + column)] =
                made_.network.select(made_.network.copy(core.list), sorted, rank - core.below);
        }
    }

    Made made_{Network<1280>(columns * rows)};
    std::array<SortedList, columns> sorted_{};
    std::array<int, tile_columns * tile_rows> middles_{};
};

template <int radius_x, int radius_y>
inline constexpr auto tile_network = TileNetwork<radius_x, radius_y>::make();

}  // namespace vfilter::cuda::median
