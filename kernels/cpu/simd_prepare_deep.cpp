// Filters of deep samples that have code of their own, made ready.

#include <algorithm>
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

}  // namespace vfilter::simd
