#include "kernels/cpu/scalar.h"

#include <vector>

namespace vfilter {

namespace {

// The sums v_t of one term, of the rows of the band.
template <class T>
std::vector<std::int64_t> term_sums(const Term& term, Band<T> band) {
    const PlaneView<const T>& src = band.src;
    const auto pitch = static_cast<std::size_t>(src.samples());
    const int top = band.first - term.radius_y();
    const int bottom = band.last + term.radius_y();
    const auto step = static_cast<std::size_t>(src.step);
    std::vector<std::int64_t> mid(pitch * static_cast<std::size_t>(bottom - top));
    std::vector<int> row(pitch + (term.rows.size() - 1) * step);  // with what lies beyond its ends
    for (int y = top; y < bottom; ++y) {
        const int from_row = border_index(y, src.height, band.border);
        for (int i = 0; i < static_cast<int>(row.size()); ++i) {
            const int from = border_index(i / src.step - term.radius_x(), src.width, band.border);
            row[static_cast<std::size_t>(i)] = band.sample(from_row, from, i % src.step);
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
    std::vector<std::int64_t> sums(pitch * static_cast<std::size_t>(band.last - band.first), term.centre_sum());
    for (std::size_t j = 0; j < term.columns.size(); ++j) {
        for (std::size_t i = 0; i < sums.size(); ++i) {
            sums[i] += term.columns[j] * mid[i + j * pitch];
        }
    }
    return sums;
}

}  // namespace

template <class T>
void filter_scalar(const LinearFilter& filter, Band<T> band) {
    const bool squares = filter.finish.combine == Combine::magnitude;
    const int samples = band.src.samples();
    std::vector<std::int64_t> total(static_cast<std::size_t>(samples) *
                                    static_cast<std::size_t>(band.last - band.first));
    for (const Term& term : filter.terms) {
        const std::vector<std::int64_t> sums = term_sums(term, band);
        for (std::size_t i = 0; i < total.size(); ++i) {
            total[i] += squares ? filter.square(sums[i]) : sums[i];
        }
    }
    std::size_t i = 0;
    for (int y = band.first; y < band.last; ++y) {
        for (int x = 0; x < samples; ++x, ++i) {
            band.dst.row(y)[x] = static_cast<T>(filter.result(total[i], band.own(y, x)) << band.dst.lsb);
        }
    }
}

template void filter_scalar(const LinearFilter&, Band<std::uint8_t>);
template void filter_scalar(const LinearFilter&, Band<std::uint16_t>);

}  // namespace vfilter
