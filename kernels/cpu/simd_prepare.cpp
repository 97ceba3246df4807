#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>

#include "kernels/cpu/simd.h"

namespace vfilter {

namespace {

std::int32_t pair_word(std::int32_t low, std::int32_t high) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(low & 0xffff) |
                                     (static_cast<std::uint32_t>(high) << 16));
}

// Neighbouring samples belong to the same component.
PairedTaps pair_neighbours(const std::vector<std::int32_t>& taps) {
    PairedTaps pairs;
    const auto tap = [&](std::size_t i) { return i < taps.size() ? taps[i] : 0; };
    for (std::size_t i = 0; i < taps.size(); i += 2) {
        pairs.even.push_back(pair_word(tap(i), tap(i + 1)));
        pairs.odd.push_back(pair_word(i == 0 ? 0 : tap(i - 1), tap(i)));
    }
    return pairs;
}

// Neighbouring samples belong to two components: of each pair one sample counts.
PairedTaps pair_interleaved(const std::vector<std::int32_t>& taps) {
    PairedTaps pairs;
    for (const std::int32_t tap : taps) {
        pairs.even.push_back(pair_word(tap, 0));
        pairs.odd.push_back(pair_word(0, tap));
    }
    return pairs;
}

std::int32_t low_part(std::int32_t tap, int bits) {
    const std::int32_t half = 1 << (bits - 1);
    return ((tap + half) & (2 * half - 1)) - half;
}

PairedPass prepare(const Pass& pass, std::int64_t start, PairedTaps (*pair)(const std::vector<std::int32_t>&)) {
    PairedPass result;
    result.shift = pass.shift;
    if (!pass.wide) {
        result.taps = pair(pass.taps);
        result.start = static_cast<std::int32_t>(start);
        return result;
    }
    std::vector<std::int32_t> high;
    std::vector<std::int32_t> low;
    for (const std::int32_t tap : pass.taps) {
        low.push_back(low_part(tap, pass.low_bits));
        high.push_back((tap - low.back()) >> pass.low_bits);
    }
    result.taps = pair(high);
    result.low = pair(low);
    result.low_bits = pass.low_bits;
    result.low_pairs = (1 << (16 - pass.low_bits)) - 1;
    result.shift -= pass.low_bits;
    // Modulo 2^32, as the sums are: see the contract.
    result.start = static_cast<std::int32_t>(static_cast<std::uint32_t>(start >> pass.low_bits));
    result.low_start = static_cast<std::int32_t>(start & ((1 << pass.low_bits) - 1));
    return result;
}

// The taps without the largest power of two that divides all of them.
std::vector<std::int32_t> reduce(std::vector<std::int32_t> taps) {
    std::uint32_t bits = 0;
    for (const std::int32_t tap : taps) {
        bits |= static_cast<std::uint32_t>(tap);
    }
    for (std::int32_t& tap : taps) {
        tap >>= std::countr_zero(bits);
    }
    return taps;
}

// log2 of the sum of binomial taps, reduced; 0 if they are not those of radius 1 or 2.
int binomial(const std::vector<std::int32_t>& taps) {
    const std::vector<std::int32_t> reduced = reduce(taps);
    return reduced == std::vector{1, 2, 1} ? 2 : reduced == std::vector{1, 4, 6, 4, 1} ? 4 : 0;
}

// With taps r, c that sum to 2^a and 2^b once reduced, and F >= a, the row pass rounds nothing: the contract's result
// is (sum of c * r * s + 2^(a + b - 1)) >> (a + b). With a + b <= 8, and r scaled to make that 8, no sum exceeds 255 *
// 2^8 + 128 < 2^16, and as b is 2 or 4, no row sum 255 * 2^6 < 2^15.
WordConvolution prepare_words(const Convolution& c) {
    std::vector<std::int32_t> rows = reduce(c.rows.taps);
    const int a = std::countr_zero(static_cast<unsigned>(std::accumulate(rows.begin(), rows.end(), 0)));
    const int b = binomial(c.columns.taps);
    if (c.depth != 8 || c.uniform() || b == 0 || rows.size() != c.columns.taps.size() || c.fraction_bits < a ||
        a + b > 8) {
        return {};
    }
    for (std::int32_t& tap : rows) {
        tap <<= 8 - a - b;
    }
    const auto byte = [&](std::size_t i) { return i < rows.size() ? rows[i] : 0; };
    WordConvolution words;
    for (std::size_t i = 0; i < rows.size(); i += 2) {
        words.rows_even.push_back(static_cast<std::uint16_t>(byte(i) | byte(i + 1) << 8));
        words.rows_odd.push_back(static_cast<std::uint16_t>((i == 0 ? 0 : byte(i - 1)) | byte(i) << 8));
    }
    return words;
}

}  // namespace

SimdConvolution::SimdConvolution(Convolution convolution) : convolution_(std::move(convolution)) {
    const auto half = [](int shift) { return shift > 0 ? std::int64_t{1} << (shift - 1) : 0; };
    const Pass& rows = convolution_.rows;
    const Pass& columns = convolution_.columns;
    if (rows.wide && (rows.shift < rows.low_bits || columns.shift < columns.low_bits)) {
        throw std::logic_error("wide taps without a shift");
    }
    // 16-bit samples are read centred on zero.
    const std::int64_t read = convolution_.depth == 16 ? rows.sum() * 0x8000 : 0;
    const std::int64_t centre = (std::int64_t{convolution_.centre()} << rows.shift) - read;
    rows_ = prepare(rows, half(rows.shift) - centre, pair_neighbours);
    interleaved_rows_ = prepare(rows, half(rows.shift) - centre, pair_interleaved);
    // With wide taps the sum of the column pass stays centred, too, or it would not fit.
    const std::int64_t back = columns.wide ? 0 : convolution_.centre() * columns.sum();
    columns_ = prepare(columns, half(columns.shift) + back, pair_neighbours);
    words_ = prepare_words(convolution_);
}

namespace {

int bands_of(int radius, int height, int threads) {
    // A thread that sleeps takes some 20 us to come, so there are several bands for each, and whoever is there takes
    // the next. But every band repeats the row pass of 2 * radius rows: where that would be more than an eighth of its
    // own, there are fewer, down to one per thread. Measured on two cores at 1080p: two bands for size 63, four for 31,
    // eight for 15 and less give 1.8 to 1.95 times the speed of one thread; two for size 5 only 1.6, eight for size
    // 63 1.7.
    constexpr int least_rows = 32;
    constexpr int most_per_thread = 4;
    const int good_rows = std::max(least_rows, 16 * radius);
    const int wanted = threads * std::clamp(height / good_rows / threads, 1, most_per_thread);
    return threads == 1 ? 1 : std::clamp(height / least_rows, 1, wanted);
}

}  // namespace

int SimdConvolution::bands(int height, int threads) const {
    return bands_of(convolution_.columns.radius(), height, threads);
}

SimdComposite::SimdComposite(Composite composite) : composite_(std::move(composite)) {
    // Sums of squares of deeper samples do not fit 32 bits.
    constexpr int most_magnitude_depth = 12;
    paired_ =
        !composite_.wide && (composite_.combine != Combine::magnitude || composite_.depth <= most_magnitude_depth);
    const auto radius = static_cast<std::size_t>(composite_.radius_y());
    for (const CompositeTerm& term : composite_.terms) {
        if (!paired_) {
            break;
        }
        const auto half = [](int shift) { return shift > 0 ? std::int64_t{1} << (shift - 1) : 0; };
        // 16-bit samples are read centred on zero.
        const std::int64_t sum = std::accumulate(term.rows.begin(), term.rows.end(), std::int64_t{0});
        const std::int64_t centre = composite_.depth == 16 ? sum * 0x8000 : 0;
        const std::int64_t start = half(term.row_shift) + centre - (std::int64_t{term.centre} << term.row_shift);
        const Pass rows{.taps = term.rows, .scale = 0, .shift = term.row_shift, .wide = false};
        Pass columns{.taps = std::vector<std::int32_t>(2 * radius + 1), .scale = 0, .shift = 0, .wide = false};
        std::ranges::copy(term.columns, columns.taps.begin() + static_cast<std::ptrdiff_t>(radius) - term.radius_y());
        Term made{prepare(rows, start, pair_neighbours),
                  prepare(rows, start, pair_interleaved),
                  prepare(columns, 0, pair_neighbours),
                  term.radius_x(),
                  0,
                  0};
        const PairedTaps& pairs = made.columns.taps;
        const auto used = [&](std::size_t i) { return pairs.even[i] != 0 || pairs.odd[i] != 0; };
        for (std::size_t i = 0; i < pairs.even.size(); ++i) {
            made.first_pair += made.last_pair == 0 && !used(i) ? 1 : 0;
            made.last_pair = used(i) ? static_cast<int>(i) + 1 : made.last_pair;
        }
        terms_.push_back(std::move(made));
    }
}

int SimdComposite::bands(int height, int threads) const {
    return bands_of(composite_.radius_y(), height, threads);
}

SimdCoarse::SimdCoarse(CoarseConvolution convolution)
    : convolution_(std::move(convolution)), coarse_(convolution_.coarse) {
    const int grid = convolution_.grid();
    const std::vector<std::int32_t> spline = coarse_spline(grid);
    const auto tap = [&](int i) {
        const int at = i + 2 * grid - 2;
        return at < 0 || at >= static_cast<int>(spline.size()) ? 0 : spline[static_cast<std::size_t>(at)];
    };
    for (int k = 0; k < 4; ++k) {
        for (int r = 0; r < grid; r += 2) {
            const int i = grid + r - k * grid;
            thin_pairs_.push_back(pair_word(tap(i), tap(i + 1)));
        }
    }
    for (int i = -2 * grid; i < 2 * grid; i += 2) {
        spline_pairs_.push_back(pair_word(tap(i), tap(i + 1)));
    }
    for (int phase = 0; phase < grid; ++phase) {
        widen_pairs_.push_back(pair_word(tap(phase + grid), tap(phase)));
        widen_pairs_.push_back(pair_word(tap(phase - grid), tap(phase - 2 * grid)));
    }
}

int SimdCoarse::bands(int height, int threads) const {
    // A band repeats the thinning of what its results see above and below it, which is less than half of the work for a
    // row: so there is one for each thread, unless nearly all would be repeated.
    constexpr int least_rows = 32;
    const int reach = (convolution_.coarse.columns.radius() + 2) << convolution_.grid_bits;
    return std::clamp(height / std::max(least_rows, reach / 2), 1, threads);
}

SimdFilter::SimdFilter(PlaneFilter filter)
    : made_(std::visit(
          [](auto& made) -> std::variant<SimdConvolution, SimdComposite, SimdCoarse> {
              if constexpr (std::is_same_v<std::decay_t<decltype(made)>, Convolution>) {
                  return SimdConvolution(std::move(made));
              } else if constexpr (std::is_same_v<std::decay_t<decltype(made)>, CoarseConvolution>) {
                  return SimdCoarse(std::move(made));
              } else {
                  return SimdComposite(std::move(made));
              }
          },
          filter)) {}

}  // namespace vfilter
