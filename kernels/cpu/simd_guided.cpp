// Guided filters. All numbers are whole ones that doubles hold. Sums of columns go down with the rows; those across are
// made of sums of 1, 2, 4... neighbours, so that no sum waits for the one before it.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd_guided.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/cpu/simd_operations.h"
#include "kernels/cpu/simd_rank_lines-inl.h"
#include "kernels/cpu/thread_memory.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
template <class T>
void guide_band(const Guided& filter, const Band<T>& band) {
    filter_scalar(filter, band);
}
#else

using DDouble = hn::ScalableTag<double>;

/// Numbers of a row, of whole vectors.
using Numbers = std::vector<double>;

inline int double_lanes() {
    return static_cast<int>(hn::Lanes(DDouble()));
}

/// Two rows: samples and their squares, or slopes and rests, or sums of these.
struct NumberRow {
    Numbers first;
    Numbers second;

    void clear(std::size_t columns) {
        first.assign(columns, 0);
        second.assign(columns, 0);
    }
};

/// The last rows, and the sums of their columns.
struct ColumnSums {
    NumberRow sums;
    std::vector<NumberRow> rows;

    void clear(std::size_t count, std::size_t columns) {
        sums.clear(columns);
        rows.resize(count);
        for (NumberRow& row : rows) {
            row.clear(columns);
        }
    }
    /// A row in place of the one in that slot, which it becomes.
    void move_on(NumberRow& row, std::size_t slot) {
        replace(sums.first, row.first, rows[slot].first);
        replace(sums.second, row.second, rows[slot].second);
        std::swap(rows[slot], row);
    }

private:
    static void replace(Numbers& to, const Numbers& from, const Numbers& gone) {
        const DDouble d;
        for (std::size_t x = 0; x < to.size(); x += hn::Lanes(d)) {
            const auto more = hn::Sub(hn::LoadU(d, from.data() + x), hn::LoadU(d, gone.data() + x));
            hn::StoreU(hn::Add(hn::LoadU(d, to.data() + x), more), d, to.data() + x);
        }
    }
};

/// Memory of one thread, which is kept.
struct GuidedScratch {
    ColumnSums samples;
    ColumnSums slopes;
    NumberRow newest;
    NumberRow newest_slopes;
    NumberRow windows;

    void clear(std::size_t rows, std::size_t columns, std::size_t slope_columns) {
        samples.clear(rows, columns);
        slopes.clear(rows, slope_columns);
        newest.clear(columns);
        newest_slopes.clear(slope_columns);
        windows.clear(slope_columns);
    }
};

GuidedScratch& guided_scratch() {
    return of_this_thread<GuidedScratch>();
}

/// Sums of `count` neighbours that lie `step` apart, the first of them at the sum's own place.
class SumsAcross {
public:
    SumsAcross(int count, int step) : count_(count), step_(step) {}

    /// The first `columns` of `sums`, of so many numbers and those behind them, which are as many as the window needs;
    /// both are rounded up to whole vectors.
    void make(const NumberRow& numbers, NumberRow& sums, int columns) {
        make(numbers.first, sums.first, columns);
        make(numbers.second, sums.second, columns);
    }

private:
    void make(const Numbers& numbers, Numbers& sums, int columns) {
        const DDouble d;
        const int lanes = double_lanes();
        // Of 2^n neighbours, as far as they are needed; what lies behind means nothing.
        powers_.assign(numbers.begin(), numbers.end());
        powers_.resize(numbers.size() + static_cast<std::size_t>(count_ * step_ + lanes));
        std::fill(sums.begin(), sums.end(), 0.0);
        int done = 0;
        for (int power = 1; power <= count_; power *= 2) {
            if ((count_ & power) != 0) {
                const double* const from = powers_.data() + done * step_;
                for (int x = 0; x < columns; x += lanes) {
                    hn::StoreU(hn::Add(hn::LoadU(d, sums.data() + x), hn::LoadU(d, from + x)), d, sums.data() + x);
                }
                done += power;
            }
            const int needed = columns + (count_ - 2 * power) * step_;
            for (int x = 0; x < needed; x += lanes) {
                double* const at = powers_.data() + x;
                hn::StoreU(hn::Add(hn::LoadU(d, at), hn::LoadU(d, at + power * step_)), d, at);
            }
        }
    }

    int count_;
    int step_;
    Numbers powers_;
};

/// Slopes and rests of windows, by their sums.
void make_slopes(const Guided& filter, const NumberRow& windows, NumberRow& made) {
    const DDouble d;
    const auto samples = hn::Set(d, static_cast<double>(filter.samples()));
    const auto scale = hn::Set(d, std::ldexp(1.0, -filter.coarse));
    const auto epsilon = hn::Set(d, static_cast<double>(filter.epsilon));
    const auto one = hn::Set(d, double{1 << guided_slope_bits});
    const auto half = hn::Set(d, 0.5);
    for (std::size_t x = 0; x < made.first.size(); x += hn::Lanes(d)) {
        const auto sum = hn::LoadU(d, windows.first.data() + x);
        const auto variance = hn::Sub(hn::Mul(samples, hn::LoadU(d, windows.second.data() + x)), hn::Mul(sum, sum));
        const auto v = hn::Floor(hn::Mul(variance, scale));
        const auto divisor = hn::Add(v, epsilon);
        const auto dividend = hn::Add(hn::Mul(one, v), hn::Floor(hn::Mul(divisor, half)));
        const auto slope = hn::Floor(hn::Div(dividend, divisor));
        hn::StoreU(slope, d, made.first.data() + x);
        hn::StoreU(hn::Mul(hn::Sub(one, slope), sum), d, made.second.data() + x);
    }
}

template <class T>
void guide_band(const Guided& filter, const Band<T>& band) {
    const DDouble d;
    const int step = band.src.step;
    const int samples = band.src.samples();
    const int across = 2 * filter.radius_x + 1;
    const int down = 2 * filter.radius_y + 1;
    const int margin = filter.radius_x * step;
    const int lanes = double_lanes();
    const auto rounded = [&](int columns) { return static_cast<std::size_t>((columns + lanes - 1) / lanes * lanes); };
    const std::size_t slope_columns = rounded(samples + 2 * margin);
    const std::size_t columns = rounded(samples + 4 * margin);
    LineRing<T> lines(band, 2 * margin, 2 * filter.radius_y + 2, thread_scratch());
    SumsAcross add_across(across, step);
    GuidedScratch& scratch = guided_scratch();
    scratch.clear(static_cast<std::size_t>(down), columns, slope_columns);
    NumberRow& newest = scratch.newest;
    NumberRow& newest_slopes = scratch.newest_slopes;
    const int flip = band.depth == 16 && sizeof(T) == 2 ? 0x8000 : 0;
    const auto n = hn::Set(d, static_cast<double>(filter.samples()));
    const auto divisor = hn::Set(d, static_cast<double>(filter.divisor()));
    const std::int64_t half_divisor = filter.divisor() / 2;
    const auto half = hn::Set(d, static_cast<double>(half_divisor));
    for (int y = band.first - 2 * filter.radius_y; y < band.last + 2 * filter.radius_y; ++y) {
        const Line<T>* const line = lines.row(y) - 2 * margin;
        for (int x = 0; x < samples + 4 * margin; ++x) {
            const int sample = line[x] + flip;
            newest.first[static_cast<std::size_t>(x)] = sample;
            newest.second[static_cast<std::size_t>(x)] = double{1} * sample * sample;
        }
        const auto slot = static_cast<std::size_t>((y - band.first + 2 * filter.radius_y) % down);
        scratch.samples.move_on(newest, slot);
        if (y < band.first) {
            continue;
        }
        add_across.make(scratch.samples.sums, scratch.windows, samples + 2 * margin);
        make_slopes(filter, scratch.windows, newest_slopes);
        scratch.slopes.move_on(newest_slopes, slot);
        const int made = y - 2 * filter.radius_y;
        if (made < band.first) {
            continue;
        }
        add_across.make(scratch.slopes.sums, scratch.windows, samples);
        const Line<T>* const own = lines.row(made);
        T* const to = band.dst.row(made);
        for (int x = 0; x < samples; x += lanes) {
            HWY_ALIGN double values[HWY_MAX_BYTES / sizeof(double)] = {};
            const int count = std::min(lanes, samples - x);
            for (int i = 0; i < count; ++i) {
                values[i] = own[x + i] + flip;
            }
            const auto product =
                hn::Mul(hn::Mul(n, hn::Load(d, values)), hn::LoadU(d, scratch.windows.first.data() + x));
            const auto sum = hn::Add(hn::Add(product, hn::LoadU(d, scratch.windows.second.data() + x)), half);
            hn::Store(hn::Floor(hn::Div(sum, divisor)), d, values);
            for (int i = 0; i < count; ++i) {
                to[x + i] = static_cast<T>(static_cast<int>(values[i]) << band.dst.lsb);
            }
        }
    }
}

#endif  // HWY_TARGET

void guided(const Guided& filter, const AnyBand& any) {
    std::visit([&](const auto& band) { guide_band(filter, band.get()); }, any);
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter::simd {
HWY_EXPORT(guided);

void filter_band(const Guided& filter, const AnyBand& band) {
    HWY_DYNAMIC_DISPATCH(guided)(filter, band);
}

}  // namespace vfilter::simd
#endif
