#include "kernels/arithmetic/quantise.h"

#include <algorithm>

namespace vfilter {

std::optional<Quantised> quantise(const std::vector<double>& taps, double sum, int scale, const TapRange& range) {
    const auto size = taps.size();
    const std::size_t centre = size / 2;
    Quantised result{std::vector<std::int32_t>(size), std::vector<double>(size)};
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

}  // namespace vfilter
