// Non-local means in double precision. Distances are running sums, down columns and along rows.

#include <cstdlib>

#include "kernels/arithmetic/reference.h"

namespace vfilter {

namespace {

// One component of a plane with what its border puts around it.
struct Surrounded {
    int reach;
    std::size_t pitch;
    std::vector<int> samples;
    std::vector<int> guide;

    [[nodiscard]] std::size_t at(int y, int x) const {
        return static_cast<std::size_t>(y + reach) * pitch + static_cast<std::size_t>(x + reach);
    }
};

template <class T>
Surrounded surround(const NlMeans& filter, const ReferencePlane<T>& plane, int component) {
    const int reach = filter.reach();
    Surrounded made{reach, static_cast<std::size_t>(plane.src.width + 2 * reach), {}, {}};
    for (int y = -reach; y < plane.src.height + reach; ++y) {
        for (int x = -reach; x < plane.src.width + reach; ++x) {
            made.samples.push_back(plane.sample(y, x, component));
            made.guide.push_back(filter.guide(made.samples.back()));
        }
    }
    return made;
}

}  // namespace

template <class T>
std::vector<double> reference_of(const NlMeans& filter, const ReferencePlane<T>& plane) {
    const PlaneView<const T>& src = plane.src;
    const int patch = filter.patch_radius();
    const int search = filter.search_radius();
    const auto width = static_cast<std::size_t>(src.width);
    const std::size_t count = width * static_cast<std::size_t>(src.height);
    std::vector<double> result(count * static_cast<std::size_t>(src.step));
    for (int component = 0; component < src.step; ++component) {
        const Surrounded around = surround(filter, plane, component);
        std::vector<double> sums(count);
        std::vector<double> weights(count);
        const auto add = [&](const Surrounded& seen, int dy, int dx) {
            std::vector<int> columns(width + 2 * static_cast<std::size_t>(patch));
            const auto change = [&](int y, int sign) {
                const int* const own = &around.guide[around.at(y, -patch)];
                const int* const other = &seen.guide[seen.at(y + dy, dx - patch)];
                for (std::size_t i = 0; i < columns.size(); ++i) {
                    columns[i] += sign * std::abs(own[i] - other[i]);
                }
            };
            for (int y = -patch; y < patch; ++y) {
                change(y, 1);
            }
            for (int y = 0; y < src.height; ++y) {
                change(y + patch, 1);
                int distance = 0;
                for (int i = 0; i < filter.patch - 1; ++i) {
                    distance += columns[static_cast<std::size_t>(i)];
                }
                for (int x = 0; x < src.width; ++x) {
                    const std::size_t column = static_cast<std::size_t>(x);
                    const std::size_t i = static_cast<std::size_t>(y) * width + column;
                    distance += columns[column + static_cast<std::size_t>(filter.patch - 1)];
                    const int weight = filter.weight(distance);
                    sums[i] += double{1} * weight * seen.samples[seen.at(y + dy, x + dx)];
                    weights[i] += weight;
                    distance -= columns[column];
                }
                change(y - patch, -1);
            }
        };
        const auto add_all = [&](const Surrounded& seen) {
            for (int dy = -search; dy <= search; ++dy) {
                for (int dx = -search; dx <= search; ++dx) {
                    add(seen, dy, dx);
                }
            }
        };
        add_all(around);
        for (const PlaneView<const T>& neighbour : plane.neighbours) {
            ReferencePlane<T> other = plane;
            other.src = neighbour;
            add_all(surround(filter, other, component));
        }
        for (std::size_t i = 0; i < count; ++i) {
            result[i * static_cast<std::size_t>(src.step) + static_cast<std::size_t>(component)] = sums[i] / weights[i];
        }
    }
    return result;
}

template std::vector<double> reference_of(const NlMeans&, const ReferencePlane<std::uint8_t>&);
template std::vector<double> reference_of(const NlMeans&, const ReferencePlane<std::uint16_t>&);

}  // namespace vfilter
