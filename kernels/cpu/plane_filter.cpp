#include "kernels/cpu/plane_filter.h"

#include <algorithm>
#include <array>

#include "kernels/cpu/thread_memory.h"

namespace vfilter {

namespace {

// Memory of one thread, which is kept.
template <class T>
T* thread_samples(std::size_t count) {
    auto& samples = of_this_thread<std::vector<T>>();
    if (samples.size() < count) {
        samples.resize(count);
    }
    return samples.data();
}

template <class T>
PlaneView<T> scratch_plane(const PlaneView<const T>& like, ScratchMemory* scratch) {
    const std::size_t count = static_cast<std::size_t>(like.samples()) * static_cast<std::size_t>(like.height);
    T* const samples =
        scratch != nullptr ? reinterpret_cast<T*>(scratch->take(count * sizeof(T))) : thread_samples<T>(count);
    return {samples,   like.width, like.height, like.samples() * static_cast<std::ptrdiff_t>(sizeof(T)),
            like.step, like.lsb};
}

}  // namespace

PlaneFilter::PlaneFilter(const Operation& operation)
    : filter_(operation), across_(reach_x(operation)), down_(reach_y(operation)) {}

std::vector<RowBand> PlaneFilter::bands(int height, int fields, int threads) const {
    std::vector<RowBand> made;
    for (int field = 0; field < fields; ++field) {
        const int rows = (height - field + fields - 1) / fields;  // 0 for the lower field of one row
        const int count = rows > 0 ? filter_.bands(rows, threads) : 0;
        for (int n = 0; n < count; ++n) {
            made.push_back({band_begin(rows, n, count), band_begin(rows, n + 1, count), field, fields});
        }
    }
    return made;
}

template <class T>
void PlaneFilter::run_boxes(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, const RowBand& band,
                            const PlaneWeights& weights, std::span<const PlaneView<const T>> neighbours,
                            ScratchMemory* scratch) const {
    for (int y = band.first; y < band.last; ++y) {
        std::copy_n(src.row(y), src.samples(), dst.row(y));
    }
    for (const WeightBox& box : weights.boxes) {
        // The field's rows that are the box's.
        const auto row_from = [&](int row) { return std::max(row - band.field + band.fields - 1, 0) / band.fields; };
        const int first = std::max(row_from(box.top), band.first);
        const int last = std::min(row_from(box.bottom()), band.last);
        if (first >= last) {
            continue;
        }
        const LinePart columns = part_of_line(across_, border, box.left, box.right(), src.width);
        const LinePart rows = part_of_line(down_, border, first, last, src.height);
        const std::ptrdiff_t left = std::ptrdiff_t{columns.first} * src.step;
        const auto part_of = [&](const PlaneView<const T>& plane) {
            return PlaneView<const T>{
                plane.row(rows.first) + left, columns.length(), rows.length(), plane.stride, plane.step, plane.lsb};
        };
        const PlaneView<const T> part = part_of(src);
        std::array<PlaneView<const T>, max_neighbours> seen{};
        std::ranges::transform(neighbours, seen.begin(), part_of);
        const PlaneView<T> made = scratch_plane<T>(part, scratch);
        filter_.run<T>(part, {seen.data(), neighbours.size()}, made, border, black, first - rows.first,
                       last - rows.first);
        const std::ptrdiff_t inside = std::ptrdiff_t{box.left - columns.first} * src.step;
        const std::ptrdiff_t place = std::ptrdiff_t{box.left} * src.step;
        for (int y = first; y < last; ++y) {
            blend_row<T>(weights.row(box, y * band.fields + band.field), src.row(y) + place,
                         made.row(y - rows.first) + inside, dst.row(y) + place, box.width, src.step, src.lsb);
        }
    }
}

template <class T>
void PlaneFilter::run(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, const RowBand& band,
                      const PlaneWeights* weights, std::span<const PlaneView<const T>> neighbours,
                      ScratchMemory* scratch) const {
    if (weights == nullptr) {
        filter_.run<T>(src, neighbours, dst, border, black, band.first, band.last);
    } else {
        run_boxes<T>(src, dst, border, black, band, *weights, neighbours, scratch);
    }
}

template void PlaneFilter::run(PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, Border, int, const RowBand&,
                               const PlaneWeights*, std::span<const PlaneView<const std::uint8_t>>,
                               ScratchMemory*) const;
template void PlaneFilter::run(PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, Border, int, const RowBand&,
                               const PlaneWeights*, std::span<const PlaneView<const std::uint16_t>>,
                               ScratchMemory*) const;

}  // namespace vfilter
