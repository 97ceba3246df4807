#pragma once
// Networks of minima and maxima that sort, merge and select, made when the program is compiled: the same steps for all
// data, so that vectors, or threads of a warp, do them for as many samples at once as they have lanes.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace vfilter {

/// Values at the places low and high become their minimum, at low, and their maximum, at high; or only one of them
/// does; or, if none does, low becomes what high is.
struct NetworkStep {
    std::uint16_t low = 0;
    std::uint16_t high = 0;
    bool minimum = true;
    bool maximum = true;

    [[nodiscard]] constexpr bool copies() const { return !minimum && !maximum; }
};

/// Places of values in ascending order.
struct SortedList {
    static constexpr int capacity = 64;
    std::array<std::uint16_t, capacity> at{};
    int size = 0;

    constexpr void add(int place) { at[static_cast<std::size_t>(size++)] = static_cast<std::uint16_t>(place); }
    [[nodiscard]] constexpr int operator[](int i) const { return at[static_cast<std::size_t>(i)]; }
    /// Places first, first + 1, ...: of values that are sorted already.
    static constexpr SortedList of(int first, int count) {
        SortedList list;
        for (int i = 0; i < count; ++i) {
            list.add(first + i);
        }
        return list;
    }
    [[nodiscard]] constexpr SortedList part(int first, int stride, int end) const {
        SortedList list;
        for (int i = first; i < end; i += stride) {
            list.add((*this)[i]);
        }
        return list;
    }
};

/// A part of a window, sorted, without samples of which it is known that they are not its median: `rank` samples are
/// below it, and as many above.
struct Candidates {
    SortedList list{};
    int below = 0;  ///< samples that were dropped as they are too small
    int above = 0;

    [[nodiscard]] constexpr Candidates of_rank(int rank) const {
        const int all = list.size + below + above;
        const int first = std::max(below, all - 1 - rank);
        const int last = std::min(all - above - 1, rank);
        return {list.part(first - below, 1, last + 1 - below), first, all - 1 - last};
    }
};

/// Steps in the order in which they are done.
template <int capacity>
struct Network {
    std::array<NetworkStep, capacity> steps{};
    int count = 0;
    int places = 0;  ///< that are in use: those of the samples come first

    constexpr explicit Network(int samples) : places(samples) {}

    constexpr void add(int low, int high, bool minimum, bool maximum) {
        steps[static_cast<std::size_t>(count++)] = {static_cast<std::uint16_t>(low), static_cast<std::uint16_t>(high),
                                                    minimum, maximum};
    }

    /// The same values at places of their own.
    constexpr SortedList copy(const SortedList& list) {
        SortedList copied;
        for (int i = 0; i < list.size; ++i) {
            add(places, list[i], false, false);
            copied.add(places++);
        }
        return copied;
    }

    /// Batcher's odd-even merge of lists of any lengths (Knuth, The Art of Computer Programming 3, 5.3.4).
    constexpr SortedList merge(const SortedList& a, const SortedList& b) {
        if (a.size == 0 || b.size == 0) {
            return a.size == 0 ? b : a;
        }
        SortedList merged;
        if (a.size == 1 && b.size == 1) {
            add(a[0], b[0], true, true);
            merged.add(a[0]);
            merged.add(b[0]);
            return merged;
        }
        const SortedList even = merge(a.part(0, 2, a.size), b.part(0, 2, b.size));
        const SortedList odd = merge(a.part(1, 2, a.size), b.part(1, 2, b.size));
        merged.add(even[0]);
        int i = 0;
        for (; i < odd.size && i + 1 < even.size; ++i) {
            add(odd[i], even[i + 1], true, true);
            merged.add(odd[i]);
            merged.add(even[i + 1]);
        }
        for (int j = i; j < odd.size; ++j) {
            merged.add(odd[j]);
        }
        for (int j = i + 1; j < even.size; ++j) {
            merged.add(even[j]);
        }
        return merged;
    }

    /// Values at those places by merging halves.
    constexpr SortedList sort(const SortedList& values) {
        if (values.size <= 1) {
            return values;
        }
        const int half = (values.size + 1) / 2;
        const SortedList a = sort(values.part(0, 1, half));
        return merge(a, sort(values.part(half, 1, values.size)));
    }

    constexpr Candidates join(const Candidates& a, const Candidates& b, int rank) {
        const Candidates joined{merge(a.list, b.list), a.below + b.below, a.above + b.above};
        return joined.of_rank(rank);
    }

    /// The value of that rank among two lists, and no list any more: the least of the larger ones of a[i - 1] and
    /// b[rank - i], where either is there. Returns its place.
    constexpr int select(const SortedList& a, const SortedList& b, int rank) {
        int best = -1;
        for (int i = 0; i <= a.size; ++i) {
            const int j = rank + 1 - i;
            if (j < 0 || j > b.size) {
                continue;
            }
            const int larger = i > 0 ? a[i - 1] : b[j - 1];
            if (i > 0 && j > 0) {
                add(b[j - 1], larger, false, true);
            }
            if (best >= 0) {
                add(best, larger, true, false);
            } else {
                best = larger;
            }
        }
        return best;
    }

    /// Drops what nobody needs for the values at these places.
    constexpr void keep(const SortedList& results) {
        std::array<bool, 2 * capacity> needed{};
        for (int i = 0; i < results.size; ++i) {
            needed[static_cast<std::size_t>(results[i])] = true;
        }
        int kept = count;
        for (int i = count - 1; i >= 0; --i) {
            NetworkStep step = steps[static_cast<std::size_t>(i)];
            if (step.copies() ? !needed[step.low]
                              : !(step.minimum && needed[step.low]) && !(step.maximum && needed[step.high])) {
                continue;
            }
            if (step.copies()) {
                needed[step.low] = false;
                needed[step.high] = true;
            } else {
                step.minimum = step.minimum && needed[step.low];
                step.maximum = step.maximum && needed[step.high];
                needed[step.low] = needed[step.high] = true;
            }
            steps[static_cast<std::size_t>(--kept)] = step;
        }
        std::copy(steps.begin() + kept, steps.begin() + count, steps.begin());
        count -= kept;
    }
};

/// A network, and where its results are.
template <int capacity>
struct Selection {
    Network<capacity> network;
    SortedList results{};
};

/// Of `values` of which nothing is known, an odd number of them, at the places from 0 on: the middle one.
constexpr Selection<256> median_selection(int values) {
    Selection<256> made{Network<256>(values)};
    const SortedList all = SortedList::of(0, values);
    const int half = (values + 1) / 2;
    const SortedList first = made.network.sort(all.part(0, 1, half));
    made.results.add(made.network.select(first, made.network.sort(all.part(half, 1, values)), values / 2));
    made.network.keep(made.results);
    return made;
}

}  // namespace vfilter
