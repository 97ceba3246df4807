#include "kernels/cpu/scalar.h"

#include <algorithm>

namespace vfilter {

namespace {

std::int64_t half(int shift) {
    return shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
}

}  // namespace

template <class T>
void convolve_scalar(const Convolution& convolution, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                     int first, int last) {
    const Pass& rows = convolution.rows;
    const Pass& columns = convolution.columns;
    const int samples = src.samples();
    const auto pitch = static_cast<std::size_t>(samples);
    const int top = first - columns.radius();
    const int bottom = last + columns.radius();
    std::vector<std::int16_t> mid(pitch * static_cast<std::size_t>(bottom - top));
    for (int y = top; y < bottom; ++y) {
        const int from_row = border_index(y, src.height, border);
        for (int x = 0; x < samples; ++x) {
            std::int64_t sum = half(rows.shift);
            for (int j = 0; j < static_cast<int>(rows.taps.size()); ++j) {
                const int from = border_index(x / src.step + j - rows.radius(), src.width, border);
                const int sample =
                    from < 0 || from_row < 0
                        ? black
                        : (src.row(from_row)[from * src.step + x % src.step] >> src.lsb) & convolution.max_value();
                sum += std::int64_t{rows.taps[static_cast<std::size_t>(j)]} * sample;
            }
            mid[static_cast<std::size_t>(y - top) * pitch + static_cast<std::size_t>(x)] =
                static_cast<std::int16_t>((sum >> rows.shift) - convolution.centre());
        }
    }
    const std::int64_t start = (std::int64_t{convolution.centre()} << columns.scale) + half(columns.shift);
    for (int y = first; y < last; ++y) {
        for (std::size_t x = 0; x < pitch; ++x) {
            std::int64_t sum = start;
            for (std::size_t j = 0; j < columns.taps.size(); ++j) {
                sum += std::int64_t{columns.taps[j]} * mid[(static_cast<std::size_t>(y - first) + j) * pitch + x];
            }
            const auto out = std::clamp<std::int64_t>(sum >> columns.shift, 0, convolution.max_value());
            dst.row(y)[x] = static_cast<T>(out << dst.lsb);
        }
    }
}

template void convolve_scalar(const Convolution&, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, Border, int,
                              int, int);
template void convolve_scalar(const Convolution&, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, Border, int,
                              int, int);

}  // namespace vfilter
