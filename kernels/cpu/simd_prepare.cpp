#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "kernels/cpu/simd.h"
#include "kernels/cpu/simd_prepared.h"

namespace vfilter {

namespace simd {

namespace {

PairedTaps pair_up(const std::vector<std::int32_t>& taps) {
    PairedTaps pairs;
    const auto tap = [&](std::size_t i) { return i < taps.size() ? taps[i] : 0; };
    for (std::size_t i = 0; i < taps.size(); i += 2) {
        pairs.even.push_back(pair_word(tap(i), tap(i + 1)));
        pairs.odd.push_back(pair_word(i == 0 ? 0 : tap(i - 1), tap(i)));
    }
    return pairs;
}

PairedPass prepare(const std::vector<std::int32_t>& taps, int shift, int low_bits, std::int64_t start) {
    PairedPass result;
    result.shift = shift;
    if (low_bits == 0) {
        result.taps = pair_up(taps);
        result.start = static_cast<std::int32_t>(start);
        return result;
    }
    std::vector<std::int32_t> high;
    std::vector<std::int32_t> low;
    for (const std::int32_t tap : taps) {
        high.push_back(high_part(tap, low_bits));
        low.push_back(low_part(tap, low_bits));
    }
    result.taps = pair_up(high);
    result.low = pair_up(low);
    result.low_bits = low_bits;
    result.low_pairs = (1 << (16 - low_bits)) - 1;
    result.shift -= low_bits;
    // Modulo 2^32, as the sums are: see the contract.
    result.start = static_cast<std::int32_t>(static_cast<std::uint32_t>(start >> low_bits));
    result.low_start = static_cast<std::int32_t>(start & ((1 << low_bits) - 1));
    return result;
}

std::int64_t sum_of(const std::vector<std::int32_t>& taps) {
    return std::accumulate(taps.begin(), taps.end(), std::int64_t{0});
}

PairedTerm prepare(const LinearFilter& filter, const Term& term, std::int64_t column_start) {
    // 16-bit samples are read centred on zero.
    const std::int64_t read = filter.depth == 16 ? sum_of(term.rows) * 0x8000 : 0;
    const std::int64_t start = half(term.row_shift) + read - (std::int64_t{term.centre} << term.row_shift);
    const auto radius = static_cast<std::size_t>(filter.radius_y());
    std::vector<std::int32_t> columns(2 * radius + 1);
    std::ranges::copy(term.columns, columns.begin() + static_cast<std::ptrdiff_t>(radius) - term.radius_y());
    const int low_bits = filter.low_bits;
    PairedTerm made{.rows = prepare(term.rows, term.row_shift, low_bits, start),
                    .columns = prepare(columns, filter.finish.shift, low_bits, column_start),
                    .radius_x = term.radius_x()};
    const PairedTaps& pairs = made.columns.taps;
    const auto used = [&](std::size_t i) { return pairs.even[i] != 0 || pairs.odd[i] != 0; };
    for (std::size_t i = 0; i < pairs.even.size(); ++i) {
        made.first_pair += made.last_pair == 0 && !used(i) ? 1 : 0;
        made.last_pair = used(i) ? static_cast<int>(i) + 1 : made.last_pair;
    }
    return made;
}

// The taps without the largest power of two that divides all of them.
std::vector<std::int32_t> reduce(std::vector<std::int32_t> taps) {
    const int bits = common_bits(taps);
    for (std::int32_t& tap : taps) {
        tap >>= bits;
    }
    return taps;
}

// log2 of the sum of binomial taps, reduced; 0 if they are not those of radius 1 or 2.
int binomial(const std::vector<std::int32_t>& taps) {
    const std::vector<std::int32_t> reduced = reduce(taps);
    return reduced == std::vector{1, 2, 1} ? 2 : reduced == std::vector{1, 4, 6, 4, 1} ? 4 : 0;
}

// log2 of a power of two, else -1.
int exact_log2(std::int64_t n) {
    return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n)) ? std::countr_zero(static_cast<std::uint64_t>(n))
                                                                       : -1;
}

WordTaps word_taps(const std::vector<std::int32_t>& rows) {
    const auto byte = [&](std::size_t i) { return i < rows.size() ? rows[i] : 0; };
    WordTaps words;
    for (std::size_t i = 0; i < rows.size(); i += 2) {
        words.rows_even.push_back(static_cast<std::uint16_t>(byte(i) | byte(i + 1) << 8));
        words.rows_odd.push_back(static_cast<std::uint16_t>((i == 0 ? 0 : byte(i - 1)) | byte(i) << 8));
    }
    return words;
}

// With taps r, c that sum to 2^a and 2^b once reduced, and at least a fraction bits of the intermediate, the row pass
// rounds nothing: the contract's result is (sum of c * r * s + 2^(a + b - 1)) >> (a + b). With a + b <= 8, and r scaled
// to make that 8, no sum exceeds 255 * 2^8 + 128 < 2^16, and as b is 2 or 4, no row sum 255 * 2^6 < 2^15.
WordTaps prepare_words(const LinearFilter& filter) {
    const Term& term = filter.terms.front();
    std::vector<std::int32_t> rows = reduce(term.rows);
    const int a = exact_log2(sum_of(rows));
    const int b = binomial(term.columns);
    const int row_scale = exact_log2(sum_of(term.rows));
    const int column_scale = exact_log2(sum_of(term.columns));
    const int fraction_bits = row_scale - term.row_shift;
    const bool keeps_level = column_scale + fraction_bits == filter.finish.shift;
    if (filter.depth != 8 || a < 0 || b == 0 || rows.size() != term.columns.size() || !keeps_level ||
        fraction_bits < a || a + b > 8) {
        return {};
    }
    for (std::int32_t& tap : rows) {
        tap <<= 8 - a - b;
    }
    return word_taps(rows);
}

// Of a short box whose sum fits words, and whose product with its tap is rounded above bit 16: see RunningSums.
WordTaps box_words(const LinearFilter& filter) {
    constexpr std::size_t longest = 5;
    const Term& term = filter.terms.front();
    const std::size_t size = term.rows.size();
    const bool fits = filter.depth == 8 && size == term.columns.size() && size > 1 && size <= longest &&
                      filter.finish.shift >= 17 && filter.finish.shift <= 24;
    return fits ? word_taps(std::vector<std::int32_t>(size, 1)) : WordTaps{};
}

int bands_of(int radius, int height, int threads) {
    // A thread that sleeps takes some 20 us to come, so there are several bands for each, and whoever is there takes
    // the next. But every band repeats the row pass of 2 * radius rows: where that would be more than an eighth of its
    // own, there are fewer, down to one per thread. Measured on two cores at 1080p: two bands for size 63, four for 31,
    // eight for 15 and less give 1.8 to 1.95 times the speed of one thread; two for size 5 only 1.6, eight for size
    // 63 1.7.
    constexpr int min_rows = 32;
    constexpr int max_per_thread = 4;
    const int good_rows = std::max(min_rows, 16 * radius);
    const int wanted = threads * std::clamp(height / good_rows / threads, 1, max_per_thread);
    return threads == 1 ? 1 : std::clamp(height / min_rows, 1, wanted);
}

// Rows above and below a band that it works through once more; of a block, which it sums up as a whole, half of them.
// What non-local means repeat is a small part of their work.
template <class Made>
int repeated_rows(const Made& /*filter*/) {
    return 0;
}
int repeated_rows(const Pixelation& filter) {
    return ceil_div(filter.rows.size, 2 * filter.rows.pitch);
}
int repeated_rows(const MedianFilter& filter) {
    return filter.radius_y;
}
int repeated_rows(const Deband& filter) {
    return filter.radius_y;
}
int repeated_rows(const Guided& filter) {
    return 2 * filter.radius_y;
}
int repeated_rows(const Bilateral& filter) {
    return filter.radius_y;
}

// Sums of squares of deeper samples do not fit 32 bits.
constexpr int max_magnitude_depth = 12;

}  // namespace

bool sums_fit_words(const LinearFilter& filter) {
    constexpr std::int64_t most = 0x7fffffff;
    const std::int64_t max = filter.max_value();
    const auto magnitude_of = [](const std::vector<std::int32_t>& taps) {
        return std::accumulate(taps.begin(), taps.end(), std::int64_t{0},
                               [](std::int64_t sum, std::int64_t tap) { return sum + std::abs(tap); });
    };
    std::int64_t all = std::abs(filter.finish.gain) * max + std::abs(filter.finish.bias) + half(filter.finish.shift);
    for (const Term& term : filter.terms) {
        const std::int64_t row = magnitude_of(term.rows) * max + half(term.row_shift);
        const std::int64_t mid = (row >> term.row_shift) + 1 + std::abs(std::int64_t{term.centre});
        if (row > most || mid > most) {
            return false;
        }
        all += magnitude_of(term.columns) * mid + std::abs(term.centre_sum());
        if (all > most) {
            return false;
        }
    }
    return all <= most;
}

PreparedFilter::PreparedFilter(LinearFilter linear_filter)
    : filter(std::move(linear_filter)),
      int64_(filter.arithmetic == Arithmetic::int64 ||
             (filter.finish.combine == Combine::magnitude && filter.depth > max_magnitude_depth)),
      one_bounded_(!int64_ && filter.bounded()) {
    mask = prepare_mask(filter);
    if (int64_) {
        return;
    }
    const auto too_short = [&](const Term& term) {
        return term.row_shift < filter.low_bits || filter.finish.shift < filter.low_bits;
    };
    if (std::ranges::any_of(filter.terms, too_short)) {
        throw std::logic_error("split taps without a shift");
    }
    for (const Term& term : filter.terms) {
        // With split taps the sum of the column pass stays centred, too, or it would not fit. Those of several terms
        // meet before anything is added.
        const std::int64_t back = filter.arithmetic == Arithmetic::split ? 0 : term.centre_sum();
        terms.push_back(prepare(filter, term, one_bounded_ ? half(filter.finish.shift) + back : 0));
    }
    if (one_bounded_) {
        words = filter.uniform ? box_words(filter) : prepare_words(filter);
    }
    stencil = prepare_stencil(filter);
    running_box = prepare_running_box(filter);
}

Code PreparedFilter::code() const {
    if (int64_) {
        return mask.masks.empty() ? Code::int64 : Code::mask;
    }
    if (filter.depth == 8 && filter.uniform && std::min(filter.radius_x(), filter.radius_y()) > 0) {
        return Code::box;
    }
    if (words.radius() > 0) {
        return Code::words;
    }
    if (stencil.radius > 0) {
        return Code::stencil;
    }
    if (one_bounded_) {
        return running_box.fits ? Code::running_box : Code::pairs;
    }
    return mask.few_pairs() ? Code::mask : Code::terms;
}

int PreparedFilter::bands(int height, int threads) const {
    return bands_of(filter.radius_y(), height, threads);
}

PreparedDecimation::PreparedDecimation(DecimatedFilter decimated) : filter(std::move(decimated)), inner(filter.inner) {
    const int factor = filter.factor();
    const std::vector<std::int32_t> spline = decimation_spline(factor);
    const auto tap = [&](int i) {
        const int at = i + 2 * factor - 2;
        return at < 0 || at >= static_cast<int>(spline.size()) ? 0 : spline[static_cast<std::size_t>(at)];
    };
    for (int k = 0; k < 4; ++k) {
        for (int r = 0; r < factor; r += 2) {
            const int i = factor + r - k * factor;
            decimate_pairs.push_back(pair_word(tap(i), tap(i + 1)));
        }
    }
    for (int i = -2 * factor; i < 2 * factor; i += 2) {
        spline_pairs.push_back(pair_word(tap(i), tap(i + 1)));
    }
    for (int phase = 0; phase < factor; ++phase) {
        interpolate_pairs.push_back(pair_word(tap(phase + factor), tap(phase)));
        interpolate_pairs.push_back(pair_word(tap(phase - factor), tap(phase - 2 * factor)));
    }
}

int PreparedDecimation::bands(int height, int threads) const {
    // A band repeats the decimation of what its results see above and below it, which is less than half of the work for
    // a row: so there is one for each thread, unless nearly all would be repeated.
    constexpr int min_rows = 32;
    const int reach = (filter.inner.radius_y() + 2) << filter.factor_bits;
    return std::clamp(height / std::max(min_rows, reach / 2), 1, threads);
}

template <class Made>
int Unprepared<Made>::bands(int height, int threads) const {
    return bands_of(repeated_rows(filter), height, threads);
}

PreparedDithered::PreparedDithered(Dithered dithered)
    : filter(std::move(dithered)),
      inner(std::make_shared<const SimdFilter>(filter.inner->operation)),
      down(reach_y(filter.inner->operation)) {}

}  // namespace simd

SimdFilter::SimdFilter(Operation operation)
    : prepared_(std::visit(
          [](auto& made) {
              return std::make_unique<const simd::Prepared>(simd::Prepared{simd::make_ready(std::move(made))});
          },
          operation)) {}

SimdFilter::~SimdFilter() = default;
SimdFilter::SimdFilter(SimdFilter&&) noexcept = default;
SimdFilter& SimdFilter::operator=(SimdFilter&&) noexcept = default;

void SimdFilter::check_neighbours(std::size_t count) const {
    const int wanted = std::visit(
        [](const auto& made) {
            if constexpr (Temporal<std::remove_cvref_t<decltype(made.filter)>>) {
                return made.filter.time.neighbours();
            } else {
                return 0;
            }
        },
        prepared_->made);
    if (static_cast<int>(count) != wanted) {
        throw std::invalid_argument("an operation was given other pictures than those of its window");
    }
}

int SimdFilter::bands(int height, int threads) const {
    return std::visit([&](const auto& made) { return made.bands(height, threads); }, prepared_->made);
}

}  // namespace vfilter
