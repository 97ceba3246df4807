#include "kernels/arithmetic/quantise.h"

#include <algorithm>

namespace vfilter {

namespace {

/// The largest number of which all taps are whole multiples; 0 if there is none.
double common_unit(const std::vector<double>& taps) {
    constexpr int most_parts = 16;  // that the least tap may be made of
    constexpr double tolerance = 1e-9;
    double least = 0;
    for (const double tap : taps) {
        least = tap != 0 && (least == 0 || std::abs(tap) < least) ? std::abs(tap) : least;
    }
    for (int parts = 1; parts <= most_parts && least > 0; ++parts) {
        const double unit = least / parts;
        if (std::ranges::all_of(taps, [&](double tap) {
                return std::abs(tap / unit - std::round(tap / unit)) <= tolerance * std::max(1.0, std::abs(tap / unit));
            })) {
            return unit;
        }
    }
    return 0;
}

}  // namespace

bool all_equal(const std::vector<double>& taps) {
    constexpr double tolerance = 1e-12;
    return std::ranges::all_of(taps, [&](double tap) { return std::abs(tap - taps[0]) < tolerance; });
}

std::optional<Quantised> quantise_equal(std::size_t taps, int scale, const TapRange& range) {
    const std::int64_t sum = std::int64_t{1} << scale;
    const auto count = static_cast<std::int64_t>(taps);
    const std::int64_t base = sum / count;
    const std::int64_t more = sum % count;  // taps that are base + 1
    if (static_cast<double>(base) < range.min || static_cast<double>(base + (more > 0 ? 1 : 0)) > range.max) {
        return std::nullopt;
    }
    Quantised result{std::vector<std::int32_t>(taps, static_cast<std::int32_t>(base)), {}, 0};
    const auto reach = static_cast<std::size_t>(more / 2);  // on either side of the middle one
    const std::size_t centre = taps / 2;
    for (std::size_t i = centre - reach; more > 0 && i <= centre + reach; ++i) {
        result.taps[i] += i != centre || more % 2 == 1 ? 1 : 0;
    }
    for (const std::int32_t tap : result.taps) {
        result.errors.push_back(std::ldexp(static_cast<double>(tap), -scale) - 1 / static_cast<double>(taps));
    }
    return result;
}

std::optional<Quantised> quantise(const std::vector<double>& taps, double sum, int scale, const TapRange& range) {
    const auto size = taps.size();
    const std::size_t centre = size / 2;
    Quantised result{std::vector<std::int32_t>(size), std::vector<double>(size), 0};
    const auto fits = [&](double tap) { return tap >= range.min && tap <= range.max; };
    double outside = 0;
    double carries[2] = {0, 0};
    for (std::size_t i = 0; i < centre; ++i) {
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            const std::size_t at = side == 0 ? i : size - 1 - i;
            const double wanted = std::ldexp(taps[at], scale) + carries[side];
            double tap = std::copysign(std::floor(std::abs(wanted) + 0.5), wanted);
            if (taps[at] >= 0) {
                tap = std::max(tap, range.min);  // what is carried into a small tap may be below 0
            }
            if (!fits(tap)) {
                return std::nullopt;
            }
            carries[side] = wanted - tap;
            outside += tap;
            result.taps[at] = static_cast<std::int32_t>(tap);
        }
    }
    const double middle = std::floor(std::ldexp(sum, scale) + 0.5) - outside;
    if (!fits(middle)) {
        return std::nullopt;
    }
    result.taps[centre] = static_cast<std::int32_t>(middle);
    for (std::size_t i = 0; i < size; ++i) {
        result.errors[i] = std::ldexp(static_cast<double>(result.taps[i]), -scale) - taps[i];
    }
    return result;
}

std::optional<Quantised> quantise_in_proportion(const std::vector<double>& taps, int scale, const TapRange& range) {
    const double unit = common_unit(taps);
    const double whole = std::floor(std::ldexp(unit, scale) + 0.5);
    if (unit == 0 || whole < 1) {
        return std::nullopt;
    }
    Quantised result{{}, std::vector<double>(taps.size()), std::abs(std::ldexp(whole, -scale) / unit - 1)};
    for (const double real : taps) {
        const double tap = std::round(real / unit) * whole;
        if (tap < range.min || tap > range.max) {
            return std::nullopt;
        }
        result.taps.push_back(static_cast<std::int32_t>(tap));
    }
    return result;
}

}  // namespace vfilter
