// Filters of deep samples that have code of their own, made ready.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "kernels/cpu/simd_prepared.h"

namespace vfilter::simd {

namespace {

constexpr std::int64_t largest_sum = 0x7fffffff;

// Nothing if the taps are others.
std::optional<BoxSide> box_side(const std::vector<std::int32_t>& taps) {
    const int radius = static_cast<int>(taps.size()) / 2;
    const auto tap = [&](int i) { return taps[static_cast<std::size_t>(i)]; };
    BoxSide side{.radius = radius, .tap = tap(0)};
    int outside = 0;
    while (outside < radius && tap(outside) == side.tap) {
        ++outside;
    }
    if (outside < radius) {
        side.middle = radius - outside;
    }
    side.centre = tap(radius) - side.tap - (side.middle >= 0 ? 1 : 0);
    for (int i = 0; i <= 2 * radius; ++i) {
        const int distance = std::abs(i - radius);
        const std::int32_t more = (distance <= side.middle ? 1 : 0) + (distance == 0 ? side.centre : 0);
        if (tap(i) != side.tap + more) {
            return std::nullopt;
        }
    }
    return std::abs(side.centre) <= 1 ? std::optional(side) : std::nullopt;
}

// See BoxSide::nearest, of a pass without fraction bits. The mean is taken in floats.
bool is_nearest(const std::vector<std::int32_t>& taps, int shift) {
    constexpr double range = 65535;
    constexpr double of_floats = 0.004;  // of numbers up to 2^15: two roundings, by 2^-24 of them each
    const double share = 1 / static_cast<double>(taps.size());
    double miss = 0;
    std::int64_t sum = 0;
    for (const std::int32_t tap : taps) {
        miss += std::abs(std::ldexp(tap, -shift) - share) / 2;
        sum += tap;
    }
    return sum == std::int64_t{1} << shift && range * miss + of_floats < share / 2;
}

// Sums over the low parts of taps, and what is added to them, of samples and intermediates that int16_t holds.
bool low_sums_fit(const BoxSide& side, int low_bits, std::int64_t start) {
    const std::int64_t size = 2 * side.radius + 1;
    const std::int64_t low = std::abs(low_part(side.tap, low_bits));
    return low_bits == 0 || (low * size + 2 * side.middle + 2) * 0x8000 + std::abs(start) <= largest_sum;
}

/// A mask, row by row.
struct MaskMatrix {
    int radius_x;
    int radius_y;
    std::vector<std::int64_t> taps;

    MaskMatrix(int x, int y) : radius_x(x), radius_y(y), taps(static_cast<std::size_t>((2 * x + 1) * (2 * y + 1))) {}
    [[nodiscard]] std::int64_t& at(int x, int y) {
        return taps[static_cast<std::size_t>((y + radius_y) * (2 * radius_x + 1) + x + radius_x)];
    }
    [[nodiscard]] std::int64_t sum() const {
        std::int64_t sum = 0;
        for (const std::int64_t tap : taps) {
            sum += tap;
        }
        return sum;
    }
    [[nodiscard]] std::int64_t magnitude() const {
        std::int64_t sum = 0;
        for (const std::int64_t tap : taps) {
            sum += std::abs(tap);
        }
        return sum;
    }
    // How often 2 divides all taps, up to `most`.
    [[nodiscard]] int common_bits(int most) const {
        std::uint64_t bits = std::uint64_t{1} << most;
        for (const std::int64_t tap : taps) {
            bits |= static_cast<std::uint64_t>(tap);
        }
        return std::countr_zero(bits);
    }
};

// False where the row pass rounds.
bool add_term(const Term& term, MaskMatrix& matrix) {
    if (common_bits(term.rows) < term.row_shift) {
        return false;
    }
    for (int y = -term.radius_y(); y <= term.radius_y(); ++y) {
        for (int x = -term.radius_x(); x <= term.radius_x(); ++x) {
            const std::int64_t row = term.rows[static_cast<std::size_t>(x + term.radius_x())] >> term.row_shift;
            matrix.at(x, y) += row * term.columns[static_cast<std::size_t>(y + term.radius_y())];
        }
    }
    return true;
}

// The taps of a row of a mask, from the first to the last that is not 0, as pairs.
void add_pairs(MaskMatrix& matrix, int y, std::vector<MaskPair>& pairs) {
    const int end = matrix.radius_x + 1;
    int first = -matrix.radius_x;
    while (first < end && matrix.at(first, y) == 0) {
        ++first;
    }
    int last = end;
    while (last > first && matrix.at(last - 1, y) == 0) {
        --last;
    }
    const auto tap = [&](int x) { return x < first || x >= last ? 0 : static_cast<std::int32_t>(matrix.at(x, y)); };
    for (int x = first; x <= last && first < last; x += 2) {
        const MaskPair pair{y + matrix.radius_y, x + matrix.radius_x, pair_word(tap(x), tap(x + 1)),
                            pair_word(tap(x - 1), tap(x))};
        if (pair.even != 0 || pair.odd != 0) {
            pairs.push_back(pair);
        }
    }
}

// `added` goes to its sums, which are divided by 2^bits. Nothing if a tap or a sum does not fit.
std::optional<Mask> make_mask(MaskMatrix matrix, int bits, std::int64_t added, std::int64_t max_value, bool centred) {
    for (std::int64_t& tap : matrix.taps) {
        tap >>= bits;
        if (std::abs(tap) > 0x7fff) {
            return std::nullopt;
        }
    }
    added >>= bits;
    if (matrix.magnitude() * max_value + std::abs(added) > largest_sum) {
        return std::nullopt;
    }
    // Samples of 16 bits are read centred on zero; modulo 2^32, as the sums are.
    const std::int64_t start = added + (centred ? matrix.sum() * 0x8000 : 0);
    Mask made{.start = static_cast<std::int32_t>(static_cast<std::uint32_t>(start))};
    for (int y = -matrix.radius_y; y <= matrix.radius_y; ++y) {
        add_pairs(matrix, y, made.pairs);
    }
    return made;
}

}  // namespace

// With row shifts that leave what is added to the rows' sums without a low part.
RunningBox prepare_running_box(const LinearFilter& filter) {
    if (filter.depth == 8 || !filter.bounded() || filter.arithmetic == Arithmetic::int64) {
        return {};
    }
    const Term& term = filter.terms.front();
    auto rows = box_side(term.rows);
    auto columns = box_side(term.columns);
    const int low_bits = filter.low_bits;
    const int shift = filter.finish.shift;
    const std::int64_t start = half(shift) + term.centre_sum() - (std::int64_t{1} << (filter.depth - 1 + shift));
    if (!rows || !columns || std::max(rows->radius, columns->radius) == 0 || !low_sums_fit(*rows, low_bits, 0) ||
        !low_sums_fit(*columns, low_bits, start) || (low_bits > 0 && term.row_shift <= low_bits)) {
        return {};
    }
    if (filter.depth == 16) {
        rows->nearest = is_nearest(term.rows, term.row_shift) && term.centre == 0x8000;
        columns->nearest = is_nearest(term.columns, shift);
    }
    return {*rows, *columns, static_cast<std::int32_t>(static_cast<std::uint32_t>(start)), true};
}

// Of a magnitude each mask is that of one term, whose half is a_t; all others add up to one, which has the gain as
// well.
MaskFilter prepare_mask(const LinearFilter& filter) {
    constexpr int max_radius = 2;
    const Finish& finish = filter.finish;
    const bool magnitude = finish.combine == Combine::magnitude;
    const int radius_x = filter.radius_x();
    const int radius_y = filter.radius_y();
    if (filter.depth == 8 || filter.terms.empty() || finish.threshold != 0 ||
        std::max(radius_x, radius_y) > max_radius || (magnitude && filter.terms.size() != 2)) {
        return {};
    }
    std::vector<MaskMatrix> matrices(magnitude ? filter.terms.size() : 1, MaskMatrix(radius_x, radius_y));
    for (std::size_t i = 0; i < filter.terms.size(); ++i) {
        if (!add_term(filter.terms[i], matrices[magnitude ? i : 0])) {
            return {};
        }
    }
    matrices[0].at(0, 0) += finish.gain;
    const int shift = magnitude ? finish.shift - 1 : finish.shift;
    int bits = shift;
    for (const MaskMatrix& matrix : matrices) {
        bits = std::min(bits, matrix.common_bits(shift));
    }
    const bool added_last = finish.combine == Combine::absolute;
    const std::int64_t last = finish.rounded_bias() >> (magnitude ? finish.shift : bits);
    MaskFilter made{.combine = finish.combine,
                    .radius_x = radius_x,
                    .radius_y = radius_y,
                    .added = static_cast<std::int32_t>(last),
                    .shift = shift - bits,
                    .limit = filter.magnitude_limit()};
    const std::int64_t max_value = filter.max_value();
    for (const MaskMatrix& matrix : matrices) {
        auto mask = make_mask(matrix, bits,
                              magnitude    ? half(shift)
                              : added_last ? 0
                                           : finish.rounded_bias(),
                              max_value, filter.depth == 16);
        const std::int64_t most = (matrix.magnitude() >> bits) * max_value + std::abs(last);
        if (!mask || most > largest_sum || std::abs(last) > largest_sum / 2) {
            return {};
        }
        made.masks.push_back(*std::move(mask));
    }
    return made;
}

}  // namespace vfilter::simd
