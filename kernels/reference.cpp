#include "kernels/reference.h"

namespace vfilter {

template <class T>
std::vector<double> reference_convolve(const SeparableKernel& kernel, PlaneView<const T> src, int depth, Border border,
                                       int black) {
    const int samples = src.samples();
    const auto pitch = static_cast<std::size_t>(samples);
    const int mask = (1 << depth) - 1;
    const int radius_x = static_cast<int>(kernel.rows.size() / 2);
    const int radius_y = static_cast<int>(kernel.columns.size() / 2);
    std::vector<double> rows(pitch * static_cast<std::size_t>(src.height));
    for (int y = 0; y < src.height; ++y) {
        for (int x = 0; x < samples; ++x) {
            double sum = 0;
            for (int j = -radius_x; j <= radius_x; ++j) {
                const int from = border_index(x / src.step + j, src.width, border);
                const int sample = from < 0 ? black : (src.row(y)[from * src.step + x % src.step] >> src.lsb) & mask;
                sum += kernel.rows[static_cast<std::size_t>(j + radius_x)] * sample;
            }
            rows[static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x)] = sum;
        }
    }
    std::vector<double> result(rows.size());
    for (int y = 0; y < src.height; ++y) {
        for (int j = -radius_y; j <= radius_y; ++j) {
            const int from = border_index(y + j, src.height, border);
            const double tap = kernel.columns[static_cast<std::size_t>(j + radius_y)];
            for (std::size_t x = 0; x < pitch; ++x) {
                const double value = from < 0 ? black : rows[static_cast<std::size_t>(from) * pitch + x];
                result[static_cast<std::size_t>(y) * pitch + x] += tap * value;
            }
        }
    }
    return result;
}

template std::vector<double> reference_convolve(const SeparableKernel&, PlaneView<const std::uint8_t>, int, Border,
                                                int);
template std::vector<double> reference_convolve(const SeparableKernel&, PlaneView<const std::uint16_t>, int, Border,
                                                int);

}  // namespace vfilter
