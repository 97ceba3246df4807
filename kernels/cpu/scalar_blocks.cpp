// Pixelation and fill as plain loops.

#include <algorithm>

#include "kernels/cpu/scalar.h"

namespace vfilter {

template <class T>
void filter_scalar(const Pixelation& pixelation, PlaneView<const T> src, PlaneView<T> dst, Border /*border*/,
                   int /*black*/, int first, int last) {
    const BlockGrid& columns = pixelation.columns;
    const BlockGrid& rows = pixelation.rows;
    for (int y = first; y < last; ++y) {
        const int top = rows.begin(rows.block_of(y));
        const int bottom = std::min(rows.begin(rows.block_of(y) + 1), src.height);
        for (int left = 0, right = 0; left < src.width; left = right) {
            right = std::min(columns.begin(columns.block_of(left) + 1), src.width);
            const std::uint64_t count = static_cast<std::uint64_t>(bottom - top) * static_cast<unsigned>(right - left);
            for (int component = 0; component < src.step; ++component) {
                std::uint64_t sum = 0;
                for (int row = top; row < bottom; ++row) {
                    for (int column = left; column < right; ++column) {
                        const int sample = src.row(row)[column * src.step + component] >> src.lsb;
                        sum += static_cast<std::uint64_t>(sample & pixelation.max_value());
                    }
                }
                for (int column = left; column < right; ++column) {
                    dst.row(y)[column * src.step + component] = static_cast<T>(Pixelation::mean(sum, count) << dst.lsb);
                }
            }
        }
    }
}

template <class T>
void filter_scalar(const Fill& fill, PlaneView<const T> /*src*/, PlaneView<T> dst, Border /*border*/, int /*black*/,
                   int first, int last) {
    for (int y = first; y < last; ++y) {
        for (int x = 0; x < dst.samples(); ++x) {
            dst.row(y)[x] = static_cast<T>(fill.value(x, dst.step) << dst.lsb);
        }
    }
}

template void filter_scalar(const Pixelation&, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, Border, int, int,
                            int);
template void filter_scalar(const Pixelation&, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, Border, int,
                            int, int);
template void filter_scalar(const Fill&, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, Border, int, int, int);
template void filter_scalar(const Fill&, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, Border, int, int,
                            int);

}  // namespace vfilter
