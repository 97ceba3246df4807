#include "kernels/arithmetic/reference.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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
    // What a row outside of the picture becomes.
    const double outside = black * std::accumulate(kernel.rows.begin(), kernel.rows.end(), 0.0);
    std::vector<double> result(rows.size());
    for (int y = 0; y < src.height; ++y) {
        for (int j = -radius_y; j <= radius_y; ++j) {
            const int from = border_index(y + j, src.height, border);
            const double tap = kernel.columns[static_cast<std::size_t>(j + radius_y)];
            for (std::size_t x = 0; x < pitch; ++x) {
                const double value = from < 0 ? outside : rows[static_cast<std::size_t>(from) * pitch + x];
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

namespace {

// Where the block of a sample ends, sample by sample, as the contract says it.
int end_of_block(const BlockGrid& grid, int at, int length) {
    int end = at + 1;
    while (end < length && grid.block_of(end) == grid.block_of(at)) {
        ++end;
    }
    return end;
}

template <class T>
std::vector<double> reference_of(const LinearFilter& filter, const ReferencePlane<T>& plane) {
    return reference_filter(filter.exact, plane.src, filter.depth, plane.border, plane.black);
}
template <class T>
std::vector<double> reference_of(const DecimatedFilter& filter, const ReferencePlane<T>& plane) {
    return reference_filter(filter.exact, plane.src, filter.depth, plane.border, plane.black);
}

template <class T>
std::vector<double> reference_of(const Pixelation& pixelation, const ReferencePlane<T>& plane) {
    const PlaneView<const T>& src = plane.src;
    const auto pitch = static_cast<std::size_t>(src.samples());
    std::vector<double> result(pitch * static_cast<std::size_t>(src.height));
    for (int top = 0, bottom = 0; top < src.height; top = bottom) {
        bottom = end_of_block(pixelation.rows, top, src.height);
        for (int left = 0, right = 0; left < src.width; left = right) {
            right = end_of_block(pixelation.columns, left, src.width);
            for (int component = 0; component < src.step; ++component) {
                const auto each = [&](const auto& visit) {
                    for (int y = top; y < bottom; ++y) {
                        for (int x = left; x < right; ++x) {
                            visit(y, x * src.step + component);
                        }
                    }
                };
                double sum = 0;
                each([&](int y, int x) { sum += (src.row(y)[x] >> src.lsb) & plane.max_value; });
                const double mean = sum / (double{1} * (bottom - top) * (right - left));
                each([&](int y, int x) {
                    result[static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x)] = mean;
                });
            }
        }
    }
    return result;
}

template <class T>
std::vector<double> reference_of(const Fill& fill, const ReferencePlane<T>& plane) {
    const PlaneView<const T>& src = plane.src;
    std::vector<double> result(static_cast<std::size_t>(src.samples()) * static_cast<std::size_t>(src.height));
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = fill.value(static_cast<int>(i % static_cast<std::size_t>(src.samples())), src.step);
    }
    return result;
}

// The least value that more than `rank` samples of the window do not exceed.
template <class T>
std::vector<double> reference_of(const MedianFilter& median, const ReferencePlane<T>& plane) {
    const PlaneView<const T>& src = plane.src;
    std::vector<double> result;
    std::vector<int> window;
    for (int y = 0; y < src.height; ++y) {
        for (int x = 0; x < src.samples(); ++x) {
            window.clear();
            for (int j = -median.radius_y; j <= median.radius_y; ++j) {
                for (int i = -median.reach_in_row(j); i <= median.reach_in_row(j); ++i) {
                    window.push_back(plane.sample(y + j, x / src.step + i, x % src.step));
                }
            }
            int below = -1;  // too little
            int least = median.max_value();
            while (least - below > 1) {
                const int tried = (below + least) / 2;
                const auto count = std::ranges::count_if(window, [&](int sample) { return sample <= tried; });
                (count > median.rank() ? least : below) = tried;
            }
            result.push_back(least);
        }
    }
    return result;
}

}  // namespace

template <class T>
std::vector<double> reference_operation(const Operation& operation, PlaneView<const T> src, Border border, int black,
                                        std::span<const PlaneView<const T>> neighbours) {
    const ReferencePlane<T> plane{src, (1 << depth_of(operation)) - 1, border, black, neighbours};
    return std::visit([&](const auto& made) { return reference_of(made, plane); }, operation);
}

int miss(const Operation& operation, double real, int sample, int result, double doubt) {
    static const FilterKernel no_threshold{};  // of these none is copied: this is called for every sample
    if (const auto* const dithered = std::get_if<Dithered>(&operation)) {
        const Operation& inner = dithered->inner->operation;
        const auto* const filter = std::get_if<LinearFilter>(&inner);
        // What was added for the place hides up to a level of how far the result was from the sample.
        return miss(filter == nullptr ? no_threshold : filter->exact, real, sample, result, dithered->depth, doubt + 1);
    }
    const bool linear =
        std::holds_alternative<LinearFilter>(operation) || std::holds_alternative<DecimatedFilter>(operation);
    return miss(linear ? exact_kernel(operation) : no_threshold, real, sample, result, depth_of(operation), doubt);
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
template std::vector<double> reference_operation(const Operation&, PlaneView<const std::uint8_t>, Border, int,
                                                 std::span<const PlaneView<const std::uint8_t>>);
template std::vector<double> reference_operation(const Operation&, PlaneView<const std::uint16_t>, Border, int,
                                                 std::span<const PlaneView<const std::uint16_t>>);
template std::vector<double> reference_filter(const FilterKernel&, PlaneView<const std::uint8_t>, int, Border, int);
template std::vector<double> reference_filter(const FilterKernel&, PlaneView<const std::uint16_t>, int, Border, int);

}  // namespace vfilter
