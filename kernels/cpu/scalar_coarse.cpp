#include <vector>

#include "kernels/cpu/scalar.h"

namespace vfilter {

namespace {

std::int64_t half(int shift) {
    return shift > 0 ? std::int64_t{1} << (shift - 1) : 0;
}

/// S, wherever it is asked for.
class Spline {
public:
    explicit Spline(int grid) : taps_(coarse_spline(grid)), half_(2 * grid - 2) {}
    [[nodiscard]] int radius() const { return half_; }
    [[nodiscard]] std::int64_t operator[](int i) const {
        return i < -half_ || i > half_ ? 0 : taps_[static_cast<std::size_t>(i + half_)];
    }

private:
    std::vector<std::int32_t> taps_;
    int half_;
};

/// A part of a picture that has samples at any place, one component of it.
struct Part {
    Part(CoarseSpan of_rows, CoarseSpan of_columns)
        : rows(of_rows),
          columns(of_columns),
          samples(static_cast<std::size_t>(of_rows.count) * static_cast<std::size_t>(of_columns.count)) {}

    CoarseSpan rows;
    CoarseSpan columns;
    std::vector<std::uint16_t> samples;

    [[nodiscard]] std::uint16_t& at(int k, int l) {
        return samples[static_cast<std::size_t>(k - rows.first) * static_cast<std::size_t>(columns.count) +
                       static_cast<std::size_t>(l - columns.first)];
    }
    void fill(const auto& value) {
        for (int k = rows.first; k < rows.first + rows.count; ++k) {
            for (int l = columns.first; l < columns.first + columns.count; ++l) {
                at(k, l) = static_cast<std::uint16_t>(value(k, l));
            }
        }
    }
};

}  // namespace

template <class T>
void convolve_scalar(const CoarseConvolution& convolution, PlaneView<const T> src, PlaneView<T> dst, Border border,
                     int black, int first, int last) {
    const int grid = convolution.grid();
    const Spline spline(grid);
    const CoarseSpan rows = convolution.span_of_thinned(first, last, convolution.coarse.columns);
    const CoarseSpan columns = convolution.span_of_thinned(0, src.width, convolution.coarse.rows);
    const CoarseSpan result_rows = convolution.span_of_results(first, last);
    for (int component = 0; component < src.step; ++component) {
        const auto sample = [&](int y, int x) -> std::int64_t {
            const int from_row = border_index(y, src.height, border);
            return from_row < 0 ? black
                                : (src.row(from_row)[x * src.step + component] >> src.lsb) & convolution.max_value();
        };
        // What stands beside the picture is of other columns, or black: 2^(4d) times that.
        Part t(rows, {0, src.width});
        t.fill([&](int k, int x) {
            std::int64_t sum = half(convolution.thin_rows_shift());
            for (int i = -spline.radius(); i <= spline.radius(); ++i) {
                sum += spline[i] * sample(k * grid + i, x);
            }
            return sum >> convolution.thin_rows_shift();
        });
        Part p(rows, columns);
        p.fill([&](int k, int l) {
            std::int64_t sum = half(convolution.thin_columns_shift());
            for (int i = -spline.radius(); i <= spline.radius(); ++i) {
                const int from = border_index(l * grid + i, src.width, border);
                sum += spline[i] * (from < 0 ? black << convolution.fraction_bits() : t.at(k, from));
            }
            return sum >> convolution.thin_columns_shift();
        });
        Part q = p;  // right in the middle, where it does not see the coarse picture's end
        const auto view = [](Part& part) {
            const auto stride = static_cast<std::ptrdiff_t>(sizeof(std::uint16_t)) * part.columns.count;
            return PlaneView<std::uint16_t>{part.samples.data(), part.columns.count, part.rows.count, stride};
        };
        convolve_scalar<std::uint16_t>(convolution.coarse, view(p), view(q), Border::replicate, 0, 0, rows.count);
        const auto interpolated = [&](int place, int shift, const auto& value) {
            std::int64_t sum = half(shift);
            for (int k = (place >> convolution.grid_bits) - 1; k <= (place >> convolution.grid_bits) + 2; ++k) {
                sum += spline[place - k * grid] * value(k);
            }
            return sum >> shift;
        };
        Part u(result_rows, {0, src.width});
        u.fill([&](int k, int x) {
            return interpolated(x, convolution.widen_shift(), [&](int l) { return std::int64_t{q.at(k, l)}; });
        });
        for (int y = first; y < last; ++y) {
            for (int x = 0; x < src.width; ++x) {
                const std::int64_t out =
                    interpolated(y, convolution.result_shift(), [&](int k) { return std::int64_t{u.at(k, x)}; });
                dst.row(y)[x * src.step + component] = static_cast<T>(out << dst.lsb);
            }
        }
    }
}

template void convolve_scalar(const CoarseConvolution&, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, Border,
                              int, int, int);
template void convolve_scalar(const CoarseConvolution&, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>,
                              Border, int, int, int);

}  // namespace vfilter
