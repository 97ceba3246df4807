// Medians of small square windows by networks of minima and maxima (kernels/arithmetic/selection_network.h). Compiled
// once for each instruction set.
//
// Two rows of results are made at once, a block of columns after the other: sorted columns and merged groups of them
// are stored, and read at the places that a result needs.

#if defined(VFILTER_SIMD_RANK_NETWORK_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_RANK_NETWORK_INL
#undef VFILTER_SIMD_RANK_NETWORK_INL
#else
#define VFILTER_SIMD_RANK_NETWORK_INL
#endif

#include <algorithm>
#include <utility>

#include "kernels/cpu/median_networks.h"
#include "kernels/cpu/simd_network-inl.h"
#include "kernels/cpu/simd_rank_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

/// Lists of sorted samples: value i of all columns of a block is line i.
template <class T>
struct BlockLists {
    Line<T>* lines;
    int pitch;

    template <const auto& made, class V, std::size_t... index>
    HWY_INLINE void store(const V* values, int x, std::index_sequence<index...> /*list*/) const {
        // Places are template arguments, as values are only in registers where each is known to the compiler.
        (hn::StoreU(values[made.results.at[index]], DLine<T>(), at(index, x)), ...);
    }
    template <const auto& made, class V>
    HWY_INLINE void store(const V* values, int x) const {
        store<made>(values, x, std::make_index_sequence<static_cast<std::size_t>(made.results.size)>());
    }
    template <class V, std::size_t... index>
    HWY_INLINE void load(V* values, int x, std::index_sequence<index...> /*list*/) const {
        ((values[index] = hn::LoadU(DLine<T>(), at(index, x))), ...);
    }
    template <int count, class V>
    HWY_INLINE void load(V* values, int x) const {
        load(values, x, std::make_index_sequence<static_cast<std::size_t>(count)>());
    }

private:
    [[nodiscard]] Line<T>* at(std::size_t index, int x) const {
        return lines + static_cast<std::ptrdiff_t>(index) * pitch + x;
    }
};

/// The values of a network's results, in their order.
template <const auto& made, class V, std::size_t... index>
HWY_INLINE void take_results(const V* values, V* to, std::index_sequence<index...> /*list*/) {
    ((to[index] = values[made.results.at[index]]), ...);
}

template <int radius_x, int radius_y, class T>
void filter_by_network(const Band<T>& band, Scratch& scratch) {
    using Networks = MedianNetworks<radius_x, radius_y>;
    constexpr int core_rows = Networks::core_rows;
    constexpr int group_size = Networks::group_size;
    constexpr int width = Networks::width;
    constexpr int block_vectors = 16;  // with their lists they fit the first-level cache
    const DLine<T> d;
    const int lanes = line_lanes<T>();
    const int step = band.src.step;
    const int reach = radius_x * step;
    const int samples = band.src.samples();
    const int halo = (2 * reach + lanes - 1) / lanes;
    const int pitch = (block_vectors + halo + 1) * lanes;
    LineRing<T> ring(band, reach, core_rows + 2, scratch);
    scratch.ring.reserve(static_cast<std::size_t>(core_rows + group_size) * static_cast<std::size_t>(pitch) *
                         sizeof(Line<T>) / sizeof(std::int32_t));
    const BlockLists<T> columns{reinterpret_cast<Line<T>*>(scratch.ring.get()), pitch};
    const BlockLists<T> groups{radius_x == 1 ? columns.lines : columns.lines + std::ptrdiff_t{core_rows} * pitch,
                               pitch};
    const Line<T>* rows[core_rows + 2];
    for (int y = band.first; y < band.last; y += 2) {
        for (int j = 0; j < core_rows + 2; ++j) {
            rows[j] = ring.row(y + j - radius_y);
        }
        const auto next_in = [&](int i) {
            return band.src.row(std::min(y + core_rows + 2 - radius_y + i, band.src.height - 1));
        };
        const T* const in[] = {next_in(0), next_in(1)};
        T* const out[] = {band.dst.row(std::min(y + 2, band.last - 1)), band.dst.row(std::min(y + 3, band.last - 1))};
        for (int left = 0; left < samples; left += block_vectors * lanes) {
            const int made = std::min(block_vectors * lanes, samples - left);
            const int needed = made + 2 * reach;
            for (int x = 0; x < needed; x += lanes) {
                VLine<T> values[core_rows];
                for (int j = 0; j < core_rows; ++j) {
                    values[j] = hn::LoadU(d, rows[j + 1] + left - reach + x);
                }
                run_network<column_network<radius_x, radius_y>>(values);
                columns.template store<column_network<radius_x, radius_y>>(values, x);
            }
            for (int x = 0; radius_x > 1 && x < needed; x += lanes) {
                VLine<T> values[group_size];
                for (int i = 0; i < radius_x; ++i) {
                    columns.template load<core_rows>(values + i * core_rows, x + i * step);
                }
                run_network<group_network<radius_x, radius_y>>(values);
                groups.template store<group_network<radius_x, radius_y>>(values, x);
            }
            for (int x = 0; x < made; x += lanes) {
                for (int n = 0; n < 2; ++n) {
                    fetch(in[n] + left + x);
                    fetch(out[n] + left + x);
                }
                VLine<T> core[Networks::core_size];
                groups.template load<group_size>(core, x);
                columns.template load<core_rows>(core + group_size, x + reach);
                groups.template load<group_size>(core + group_size + core_rows, x + reach + step);
                run_network<core_network<radius_x, radius_y>>(core);
                for (int n = 0; n < 2 && y + n < band.last; ++n) {
                    const Line<T>* const row = rows[n * (core_rows + 1)] + left - reach + x;
                    VLine<T> values[Networks::kept + width];
                    take_results<core_network<radius_x, radius_y>>(core, values,
                                                                   std::make_index_sequence<Networks::kept>());
                    for (int i = 0; i < width; ++i) {
                        values[Networks::kept + i] = hn::LoadU(d, row + i * step);
                    }
                    run_network<middle_network<radius_x, radius_y>>(values);
                    store_line<T>(values[middle_network<radius_x, radius_y>.results[0]], band,
                                  band.dst.row(y + n) + left + x, made - x);
                }
            }
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
