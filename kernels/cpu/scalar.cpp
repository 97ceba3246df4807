#include "kernels/cpu/scalar.h"

#include <vector>

namespace vfilter {

namespace {

// Rows [first, last) of the sums v_t of one term.
template <class T>
std::vector<std::int64_t> term_sums(const LinearFilter& filter, const Term& term, PlaneView<const T> src, Border border,
                                    int black, int first, int last) {
    const int samples = src.samples();
    const auto pitch = static_cast<std::size_t>(samples);
    const int top = first - term.radius_y();
    const int bottom = last + term.radius_y();
    const auto step = static_cast<std::size_t>(src.step);
    std::vector<std::int64_t> mid(pitch * static_cast<std::size_t>(bottom - top));
    std::vector<int> row(pitch + (term.rows.size() - 1) * step);  // with what lies beyond its ends
    for (int y = top; y < bottom; ++y) {
        const int from_row = border_index(y, src.height, border);
        for (int i = 0; i < static_cast<int>(row.size()); ++i) {
            const int from = border_index(i / src.step - term.radius_x(), src.width, border);
            row[static_cast<std::size_t>(i)] =
                from < 0 || from_row < 0
                    ? black
                    : (src.row(from_row)[from * src.step + i % src.step] >> src.lsb) & filter.max_value();
        }
        std::int64_t* const out = mid.data() + static_cast<std::size_t>(y - top) * pitch;
        for (std::size_t x = 0; x < pitch; ++x) {
            std::int64_t sum = half(term.row_shift);
            for (std::size_t j = 0; j < term.rows.size(); ++j) {
                sum += std::int64_t{term.rows[j]} * row[x + j * step];
            }
            out[x] = (sum >> term.row_shift) - term.centre;
        }
    }
    std::vector<std::int64_t> sums(pitch * static_cast<std::size_t>(last - first), term.centre_sum());
    for (std::size_t j = 0; j < term.columns.size(); ++j) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += term.columns[j] * mid[i + j * pitch];
        }
    }
    return sums;
}

}  // namespace

template <class T>
void filter_scalar(const LinearFilter& filter, PlaneView<const T> src, PlaneView<T> dst, Border border, int black,
                   int first, int last) {
    const bool squares = filter.finish.combine == Combine::magnitude;
    std::vector<std::int64_t> total(static_cast<std::size_t>(src.samples()) * static_cast<std::size_t>(last - first));
    for (const Term& term : filter.terms) {
        const std::vector<std::int64_t> sums = term_sums(filter, term, src, border, black, first, last);
        for (std::size_t i = 0; i < total.size(); ++i) {
            total[i] += squares ? filter.square(sums[i]) : sums[i];
        }
    }
    std::size_t i = 0;
    for (int y = first; y < last; ++y) {
        for (int x = 0; x < src.samples(); ++x, ++i) {
            const int sample = (src.row(y)[x] >> src.lsb) & filter.max_value();
            dst.row(y)[x] = static_cast<T>(filter.result(total[i], sample) << dst.lsb);
        }
    }
}

template void filter_scalar(const LinearFilter&, PlaneView<const std::uint8_t>, PlaneView<std::uint8_t>, Border, int,
                            int, int);
template void filter_scalar(const LinearFilter&, PlaneView<const std::uint16_t>, PlaneView<std::uint16_t>, Border, int,
                            int, int);

}  // namespace vfilter
