// Non-local means as plain loops.

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "kernels/cpu/scalar.h"

namespace vfilter {

namespace {

// One component of a band with what its results are made of, as the border says.
struct WidePlane {
    int width;
    int reach;
    std::vector<int> samples;
    std::vector<int> guide;

    [[nodiscard]] std::size_t pitch() const { return static_cast<std::size_t>(width + 2 * reach); }
    // Of a row and column of the band; those outside of it may be negative.
    [[nodiscard]] std::size_t at(int y, int x) const {
        return static_cast<std::size_t>(y + reach) * pitch() + static_cast<std::size_t>(x + reach);
    }
};

template <class T>
WidePlane widen(const NlMeans& filter, Band<T> band, const PlaneView<const T>& src, int component) {
    band.src = src;
    WidePlane wide{.width = src.width, .reach = filter.reach(), .samples = {}, .guide = {}};
    for (int y = band.first - wide.reach; y < band.last + wide.reach; ++y) {
        const int row = border_index(y, src.height, band.border);
        for (int x = -wide.reach; x < src.width + wide.reach; ++x) {
            const int column = border_index(x, src.width, band.border);
            const int sample = band.sample(row, column, component);
            wide.samples.push_back(sample);
            wide.guide.push_back(filter.guide(sample));
        }
    }
    return wide;
}

}  // namespace

template <class T>
void filter_scalar(const NlMeans& filter, Band<T> band) {
    const PlaneView<const T>& src = band.src;
    const int patch = filter.patch_radius();
    const int search = filter.search_radius();
    const auto width = static_cast<std::size_t>(src.width);
    std::vector<int> column_sums(width + 2 * static_cast<std::size_t>(patch));
    std::vector<std::uint64_t> sums(width);
    std::vector<std::uint32_t> weights(width);
    for (int component = 0; component < src.step; ++component) {
        const WidePlane wide = widen(filter, band, src, component);
        std::vector<WidePlane> window{wide};
        for (const PlaneView<const T>& neighbour : band.neighbours) {
            window.push_back(widen(filter, band, neighbour, component));
        }
        for (int y = 0; y < band.last - band.first; ++y) {
            std::ranges::fill(sums, 0U);
            std::ranges::fill(weights, 0U);
            const auto add = [&](const WidePlane& seen, int dy, int dx) {
                std::ranges::fill(column_sums, 0);
                for (int j = -patch; j <= patch; ++j) {
                    const int* const own = &wide.guide[wide.at(y + j, -patch)];
                    const int* const other = &seen.guide[seen.at(y + j + dy, dx - patch)];
                    for (std::size_t i = 0; i < column_sums.size(); ++i) {
                        column_sums[i] += std::abs(own[i] - other[i]);
                    }
                }
                const int* const samples = &seen.samples[seen.at(y + dy, dx)];
                for (std::size_t x = 0; x < width; ++x) {
                    int distance = 0;
                    for (int i = 0; i < filter.patch; ++i) {
                        distance += column_sums[x + static_cast<std::size_t>(i)];
                    }
                    const auto weight = static_cast<std::uint32_t>(filter.weight(distance));
                    sums[x] += weight * static_cast<std::uint32_t>(samples[x]);
                    weights[x] += weight;
                }
            };
            for (const WidePlane& seen : window) {
                for (int dy = -search; dy <= search; ++dy) {
                    for (int dx = -search; dx <= search; ++dx) {
                        add(seen, dy, dx);
                    }
                }
            }
            for (int x = 0; x < src.width; ++x) {
                const auto at = static_cast<std::size_t>(x);
                band.dst.row(y + band.first)[x * src.step + component] =
                    static_cast<T>(NlMeans::mean(sums[at], weights[at]) << band.dst.lsb);
            }
        }
    }
}

template void filter_scalar(const NlMeans&, Band<std::uint8_t>);
template void filter_scalar(const NlMeans&, Band<std::uint16_t>);

}  // namespace vfilter
