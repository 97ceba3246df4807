// Pixelation and fill as plain loops.

#include <algorithm>

#include "kernels/cpu/scalar.h"

namespace vfilter {

template <class T>
void filter_scalar(const Pixelation& pixelation, Band<T> band) {
    const PlaneView<const T>& src = band.src;
    const BlockGrid& columns = pixelation.columns;
    const BlockGrid& rows = pixelation.rows;
    for (int y = band.first; y < band.last; ++y) {
        const int top = rows.begin(rows.block_of(y));
        const int bottom = std::min(rows.begin(rows.block_of(y) + 1), src.height);
        for (int left = 0, right = 0; left < src.width; left = right) {
            right = std::min(columns.begin(columns.block_of(left) + 1), src.width);
            const std::uint64_t count = static_cast<std::uint64_t>(bottom - top) * static_cast<unsigned>(right - left);
            for (int component = 0; component < src.step; ++component) {
                std::uint64_t sum = 0;
                for (int row = top; row < bottom; ++row) {
                    for (int column = left; column < right; ++column) {
                        sum += static_cast<std::uint64_t>(band.own(row, column * src.step + component));
                    }
                }
                for (int column = left; column < right; ++column) {
                    band.dst.row(y)[column * src.step + component] =
                        static_cast<T>(Pixelation::mean(sum, count) << band.dst.lsb);
                }
            }
        }
    }
}

template <class T>
void filter_scalar(const Fill& fill, Band<T> band) {
    for (int y = band.first; y < band.last; ++y) {
        for (int x = 0; x < band.dst.samples(); ++x) {
            band.dst.row(y)[x] = static_cast<T>(fill.value(x, band.dst.step) << band.dst.lsb);
        }
    }
}

template void filter_scalar(const Pixelation&, Band<std::uint8_t>);
template void filter_scalar(const Pixelation&, Band<std::uint16_t>);
template void filter_scalar(const Fill&, Band<std::uint8_t>);
template void filter_scalar(const Fill&, Band<std::uint16_t>);

}  // namespace vfilter
