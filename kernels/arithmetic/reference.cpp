#include "kernels/arithmetic/reference.h"

#include <algorithm>
#include <cmath>

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

template <class T>
std::vector<double> reference_filter(const FilterKernel& kernel, PlaneView<const T> src, int depth, Border border,
                                     int black) {
    const auto pitch = static_cast<std::size_t>(src.samples());
    std::vector<double> sums(pitch * static_cast<std::size_t>(src.height));
    for (const SeparableKernel& term : kernel.terms) {
        const std::vector<double> values = reference_convolve<T>(term, src, depth, border, black);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += kernel.combine == Combine::magnitude ? values[i] * values[i] : values[i];
        }
    }
    const double bias = std::ldexp(kernel.bias, depth);
    const int mask = (1 << depth) - 1;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const int sample = (src.row(static_cast<int>(i / pitch))[i % pitch] >> src.lsb) & mask;
        switch (kernel.combine) {
            case Combine::sum:
                sums[i] += kernel.gain * sample;
                break;
            case Combine::absolute:
                sums[i] = std::abs(sums[i] + kernel.gain * sample);
                break;
            case Combine::magnitude:
                sums[i] = std::sqrt(sums[i]);
                break;
        }
        sums[i] += bias;
    }
    return sums;
}

int miss(const FilterKernel& kernel, double real, int sample, int result, int depth, double doubt) {
    const double most = std::ldexp(1.0, depth) - 1;
    const int changed = std::abs(result - static_cast<int>(std::clamp(std::floor(real + 0.5), 0.0, most)));
    if (kernel.threshold == 0) {
        return changed;
    }
    const double over = std::abs(real - sample) - std::ldexp(kernel.threshold, depth);
    const int kept = std::abs(result - sample);
    return std::abs(over) <= doubt ? std::min(changed, kept) : over < 0 ? kept : changed;
}

template std::vector<double> reference_convolve(const SeparableKernel&, PlaneView<const std::uint8_t>, int, Border,
                                                int);
template std::vector<double> reference_convolve(const SeparableKernel&, PlaneView<const std::uint16_t>, int, Border,
                                                int);
template std::vector<double> reference_filter(const FilterKernel&, PlaneView<const std::uint8_t>, int, Border, int);
template std::vector<double> reference_filter(const FilterKernel&, PlaneView<const std::uint16_t>, int, Border, int);

}  // namespace vfilter
