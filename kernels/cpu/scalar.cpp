#include "kernels/cpu/scalar.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace vfilter {

namespace {

std::int64_t half(int shift) {
    return shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
}

// Rows [first, last) of the sums v_t of one term.
template <class T>
std::vector<std::int64_t> term_sums(const Composite& composite, const CompositeTerm& term, PlaneView<const T> src,
                                    Border border, int black, int first, int last) {
    const int samples = src.samples();
    const auto pitch = static_cast<std::size_t>(samples);
    const int top = first - term.radius_y();
    const int bottom = last + term.radius_y();
    std::vector<std::int64_t> mid(pitch * static_cast<std::size_t>(bottom - top));
    for (int y = top; y < bottom; ++y) {
        const int from_row = border_index(y, src.height, border);
        for (int x = 0; x < samples; ++x) {
            std::int64_t sum = half(term.row_shift);
            for (int j = 0; j < static_cast<int>(term.rows.size()); ++j) {
                const int from = border_index(x / src.step + j - term.radius_x(), src.width, border);
                const int sample =
                    from < 0 || from_row < 0
                        ? black
                        : (src.row(from_row)[from * src.step + x % src.step] >> src.lsb) & composite.max_value();
                sum += std::int64_t{term.rows[static_cast<std::size_t>(j)]} * sample;
            }
            mid[static_cast<std::size_t>(y - top) * pitch + static_cast<std::size_t>(x)] =
                (sum >> term.row_shift) - term.centre;
        }
    }
    std::vector<std::int64_t> sums(pitch * static_cast<std::size_t>(last - first), term.centre_sum());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        for (std::size_t j = 0; j < term.columns.size(); ++j) {
            sums[i] += term.columns[j] * mid[i + j * pitch];
        }
    }
    return sums;
}

// From the sums of all terms to the result, not yet clamped.
std::int64_t combine(const Composite& c, std::span<const std::int64_t> sums, std::int64_t sample) {
    const std::int64_t rounded_bias = c.bias + half(c.scale);
    std::int64_t v = c.gain * sample;
    if (c.combine == Combine::magnitude) {
        const std::int64_t rounding = (std::int64_t{1} << c.scale) >> 2;  // half(T - 1)
        for (const std::int64_t sum : sums) {
            const std::int64_t limit = c.magnitude_limit();
            const std::int64_t halves = std::clamp((sum + rounding) >> (c.scale - 1), -limit, limit);
            v += halves * halves;
        }
        return ((whole_root(v) + 1) >> 1) + (rounded_bias >> c.scale);
    }
    for (const std::int64_t sum : sums) {
        v += sum;
    }
    if (c.combine == Combine::absolute) {
        return (std::abs(v) + rounded_bias) >> c.scale;
    }
    return std::abs(v - (sample << c.scale)) < c.threshold ? sample : (v + rounded_bias) >> c.scale;
}

}  // namespace

std::int64_t whole_root(std::int64_t n) {
    auto root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
    while (root * root > n) {
        --root;
    }
    while ((root + 1) * (root + 1) <= n) {
        ++root;
    }
    return root;
}

template <class T>
void convolve_scalar(const Composite& composite, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                     int first, int last) {
    std::vector<std::vector<std::int64_t>> terms;
    for (const CompositeTerm& term : composite.terms) {
        terms.push_back(term_sums(composite, term, src, border, black, first, last));
    }
    std::vector<std::int64_t> sums(terms.size());
    std::size_t i = 0;
    for (int y = first; y < last; ++y) {
        for (int x = 0; x < src.samples(); ++x, ++i) {
            for (std::size_t t = 0; t < terms.size(); ++t) {
                sums[t] = terms[t][i];
            }
            const int sample = (src.row(y)[x] >> src.lsb) & composite.max_value();
            const auto out = std::clamp<std::int64_t>(combine(composite, sums, sample), 0, composite.max_value());
            dst.row(y)[x] = static_cast<T>(out << dst.lsb);
        }
    }
}

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
    const std::int64_t start = convolution.centre() * columns.sum() + half(columns.shift);
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

template void convolve_scalar(const Composite&, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, Border, int,
                              int, int);
template void convolve_scalar(const Composite&, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, Border, int,
                              int, int);

}  // namespace vfilter
