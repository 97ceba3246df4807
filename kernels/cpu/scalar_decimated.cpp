#include <vector>

#include "kernels/cpu/scalar.h"

namespace vfilter {

namespace {

/// S, wherever it is asked for.
class Spline {
public:
    explicit Spline(int factor) : taps_(decimation_spline(factor)), half_(2 * factor - 2) {}
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
    Part(DecimatedSpan of_rows, DecimatedSpan of_columns)
        : rows(of_rows),
          columns(of_columns),
          samples(static_cast<std::size_t>(of_rows.count) * static_cast<std::size_t>(of_columns.count)) {}

    DecimatedSpan rows;
    DecimatedSpan columns;
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
void filter_scalar(const DecimatedFilter& filter, Band<T> band) {
    const PlaneView<const T>& src = band.src;
    const int factor = filter.factor();
    const Spline spline(factor);
    const DecimatedSpan rows = filter.span_of_decimated(band.first, band.last, filter.inner.radius_y());
    const DecimatedSpan columns = filter.span_of_decimated(0, src.width, filter.inner.radius_x());
    const DecimatedSpan result_rows = filter.span_of_results(band.first, band.last);
    for (int component = 0; component < src.step; ++component) {
        const auto sample = [&](int y, int x) -> std::int64_t {
            const int row = border_index(y, src.height, band.border);
            return row < 0 ? band.black : band.own(row, x * src.step + component);
        };
        // What stands left and right of the picture is of other columns, or black: 2^F times that.
        Part t(rows, {0, src.width});
        t.fill([&](int k, int x) {
            std::int64_t sum = half(filter.decimate_rows_shift());
            for (int i = -spline.radius(); i <= spline.radius(); ++i) {
                sum += spline[i] * sample(k * factor + i, x);
            }
            return sum >> filter.decimate_rows_shift();
        });
        Part p(rows, columns);
        p.fill([&](int k, int l) {
            std::int64_t sum = half(filter.decimate_columns_shift());
            for (int i = -spline.radius(); i <= spline.radius(); ++i) {
                const int from = border_index(l * factor + i, src.width, band.border);
                sum += spline[i] * (from < 0 ? band.black << filter.fraction_bits() : t.at(k, from));
            }
            return sum >> filter.decimate_columns_shift();
        });
        Part q = p;  // right in the middle, where it does not see the end of the decimated picture
        const auto view = [](Part& part) {
            const auto stride = static_cast<std::ptrdiff_t>(sizeof(std::uint16_t)) * part.columns.count;
            return PlaneView<std::uint16_t>{part.samples.data(), part.columns.count, part.rows.count, stride};
        };
        filter_scalar(filter.inner, Band<std::uint16_t>{.src = view(p),
                                                        .dst = view(q),
                                                        .border = Border::replicate,
                                                        .last = rows.count,
                                                        .depth = filter.inner.depth});
        const auto interpolated = [&](int place, int shift, const auto& value) {
            std::int64_t sum = half(shift);
            for (int k = (place >> filter.factor_bits) - 1; k <= (place >> filter.factor_bits) + 2; ++k) {
                sum += spline[place - k * factor] * value(k);
            }
            return sum >> shift;
        };
        Part u(result_rows, {0, src.width});
        u.fill([&](int k, int x) {
            return interpolated(x, filter.interpolate_columns_shift(), [&](int l) { return std::int64_t{q.at(k, l)}; });
        });
        for (int y = band.first; y < band.last; ++y) {
            for (int x = 0; x < src.width; ++x) {
                const std::int64_t out =
                    interpolated(y, filter.interpolate_rows_shift(), [&](int k) { return std::int64_t{u.at(k, x)}; });
                band.dst.row(y)[x * src.step + component] = static_cast<T>(out << band.dst.lsb);
            }
        }
    }
}

template void filter_scalar(const DecimatedFilter&, Band<std::uint8_t>);
template void filter_scalar(const DecimatedFilter&, Band<std::uint16_t>);

}  // namespace vfilter
