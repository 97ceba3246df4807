// Guided filters as plain loops: sums of columns, which go down with the rows.

#include <vector>

#include "kernels/cpu/scalar.h"

namespace vfilter {

namespace {

/// Sums over windows of rows, a column each, and over `across` of these.
class GuidedSums {
public:
    GuidedSums(int columns, int step, int across)
        : step_(step), across_(across), columns_(static_cast<std::size_t>(columns)) {}

    void add(const std::vector<std::int64_t>& row, int sign) {
        for (std::size_t x = 0; x < columns_.size(); ++x) {
            columns_[x] += sign * row[x];
        }
    }
    [[nodiscard]] std::int64_t at(int x) const {
        std::int64_t sum = 0;
        for (int i = 0; i < across_; ++i) {
            sum += columns_[static_cast<std::size_t>(x + i * step_)];
        }
        return sum;
    }

private:
    int step_;
    int across_;
    std::vector<std::int64_t> columns_;
};

}  // namespace

template <class T>
void filter_scalar(const Guided& filter, Band<T> band) {
    const PlaneView<const T>& src = band.src;
    const int step = src.step;
    const int across = 2 * filter.radius_x + 1;
    const int slope_columns = src.samples() + 2 * filter.radius_x * step;
    const int columns = slope_columns + 2 * filter.radius_x * step;
    using Row = std::vector<std::int64_t>;
    // Of a row, with what the border puts on either side; and its squares.
    const auto samples_of = [&](int y, bool squares) {
        Row made;
        for (int x = 0; x < columns; ++x) {
            const int row = border_index(y, src.height, band.border);
            const int column = border_index(x / step - 2 * filter.radius_x, src.width, band.border);
            const std::int64_t sample = band.sample(row, column, x % step);
            made.push_back(squares ? sample * sample : sample);
        }
        return made;
    };
    GuidedSums sums(columns, step, across);
    GuidedSums squares(columns, step, across);
    GuidedSums slopes(slope_columns, step, across);
    GuidedSums rests(slope_columns, step, across);
    std::vector<Row> slope_rows;
    std::vector<Row> rest_rows;
    for (int y = band.first - 2 * filter.radius_y; y < band.first; ++y) {
        sums.add(samples_of(y, false), 1);
        squares.add(samples_of(y, true), 1);
    }
    for (int y = band.first - filter.radius_y; y < band.last + filter.radius_y; ++y) {
        sums.add(samples_of(y + filter.radius_y, false), 1);
        squares.add(samples_of(y + filter.radius_y, true), 1);
        Row& slope_row = slope_rows.emplace_back();
        Row& rest_row = rest_rows.emplace_back();
        for (int x = 0; x < slope_columns; ++x) {
            const std::int64_t sum = sums.at(x);
            slope_row.push_back(filter.slope(sum, squares.at(x)));
            rest_row.push_back(Guided::rest(slope_row.back(), sum));
        }
        slopes.add(slope_row, 1);
        rests.add(rest_row, 1);
        sums.add(samples_of(y - filter.radius_y, false), -1);
        squares.add(samples_of(y - filter.radius_y, true), -1);
        const int made = y - filter.radius_y;
        if (made < band.first) {
            continue;
        }
        for (int x = 0; x < src.samples(); ++x) {
            const int result = filter.result(band.own(made, x), slopes.at(x), rests.at(x));
            band.dst.row(made)[x] = static_cast<T>(result << band.dst.lsb);
        }
        const auto oldest = static_cast<std::size_t>(made - band.first);
        slopes.add(slope_rows[oldest], -1);
        rests.add(rest_rows[oldest], -1);
        slope_rows[oldest] = {};
        rest_rows[oldest] = {};
    }
}

template void filter_scalar(const Guided&, Band<std::uint8_t>);
template void filter_scalar(const Guided&, Band<std::uint16_t>);

}  // namespace vfilter
