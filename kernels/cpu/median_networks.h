#pragma once
// The networks by which the SIMD code makes medians of small windows. Not for others.

#include "kernels/arithmetic/selection_network.h"

namespace vfilter::simd {

/// For two results above each other: what both see is the core, `core_rows` rows; each has one more row. Columns of the
/// core are sorted, and groups of as many columns as are on one side of the middle merged; samples next to each other
/// share both.
template <int radius_x, int radius_y>
struct MedianNetworks {
    static constexpr int width = 2 * radius_x + 1;
    static constexpr int core_rows = 2 * radius_y;
    static constexpr int group_size = radius_x * core_rows;
    static constexpr int core_size = width * core_rows;
    static constexpr int rank = width * (core_rows + 1) / 2;
    /// Samples of the core that can be the median, whatever the row that is missing is.
    static constexpr int kept = width + 1;

    using Made = Selection<256>;

    static constexpr Made column() {
        Made made{Network<256>(core_rows)};
        made.results = made.network.sort(SortedList::of(0, core_rows));
        return made;
    }
    /// Of radius_x columns, one after another.
    static constexpr Made group() {
        Made made{Network<256>(group_size)};
        made.results = merged_columns(made.network, 0, radius_x);
        return made;
    }
    /// Of a group, the middle column, the other group.
    static constexpr Made core() {
        Made made{Network<256>(core_size)};
        const Candidates left = Candidates{SortedList::of(0, group_size)}.of_rank(rank);
        const Candidates middle = Candidates{SortedList::of(group_size, core_rows)}.of_rank(rank);
        const Candidates right = Candidates{SortedList::of(group_size + core_rows, group_size)}.of_rank(rank);
        made.results = made.network.join(made.network.join(left, right, rank), middle, rank).list;
        made.network.keep(made.results);
        return made;
    }
    /// Of what is kept of the core, and the missing row: as many samples of the core are dropped on either side.
    static constexpr Made middle() {
        Made made{Network<256>(kept + width)};
        const SortedList row = made.network.sort(SortedList::of(kept, width));
        made.results.add(made.network.select(SortedList::of(0, kept), row, (kept + width) / 2));
        made.network.keep(made.results);
        return made;
    }

private:
    static constexpr SortedList merged_columns(Network<256>& network, int first, int count) {
        if (count == 1) {
            return SortedList::of(first * core_rows, core_rows);
        }
        const int half = (count + 1) / 2;
        const SortedList a = merged_columns(network, first, half);
        return network.merge(a, merged_columns(network, first + half, count - half));
    }
};

template <int radius_x, int radius_y>
inline constexpr auto column_network = MedianNetworks<radius_x, radius_y>::column();
template <int radius_x, int radius_y>
inline constexpr auto group_network = MedianNetworks<radius_x, radius_y>::group();
template <int radius_x, int radius_y>
inline constexpr auto core_network = MedianNetworks<radius_x, radius_y>::core();
template <int radius_x, int radius_y>
inline constexpr auto middle_network = MedianNetworks<radius_x, radius_y>::middle();

}  // namespace vfilter::simd
