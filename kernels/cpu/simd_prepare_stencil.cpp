#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "kernels/cpu/simd_prepared.h"

namespace vfilter::simd {

std::int32_t pair_word(std::int32_t low, std::int32_t high) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(low & 0xffff) |
                                     (static_cast<std::uint32_t>(high) << 16));
}

int common_bits(const std::vector<std::int32_t>& taps) {
    std::uint32_t bits = 1U << 31;
    for (const std::int32_t tap : taps) {
        bits |= static_cast<std::uint32_t>(tap);
    }
    return std::countr_zero(bits);
}

namespace {

// Taps of a stencil: reduced by 2^`bits`. Empty if they are too many, or not the same on both sides but for a sign.
std::optional<StencilTaps> stencil_taps(const std::vector<std::int32_t>& taps, int bits) {
    StencilTaps made;
    const std::size_t radius = taps.size() / 2;
    if (radius >= made.taps.size()) {
        return std::nullopt;
    }
    made.odd =
        std::equal(taps.begin(), taps.end(), taps.rbegin(), [](std::int32_t a, std::int32_t b) { return a == -b; });
    if (!made.odd && !std::equal(taps.begin(), taps.end(), taps.rbegin())) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i <= radius; ++i) {
        made.taps[i] = static_cast<std::int16_t>(taps[radius + i] >> bits);
    }
    return made;
}

std::int64_t sum_of_sizes(const std::vector<std::int32_t>& taps) {
    return std::accumulate(taps.begin(), taps.end(), std::int64_t{0},
                           [](std::int64_t sum, std::int32_t tap) { return sum + std::abs(tap); });
}

// The weights of a stencil's sums, of which none is above `largest`, reduced. Empties it if they are too large.
void prepare_weights(const Finish& finish, std::int64_t largest, Stencil& made) {
    std::vector<std::int32_t> weights;
    for (const Stencil::Term& term : made.terms) {
        for (int i = 0; i <= made.radius; ++i) {
            weights.push_back(term.columns.taps[static_cast<std::size_t>(i)] * (1 << term.left));
        }
    }
    weights.push_back(static_cast<std::int32_t>(finish.gain));
    const int bits = std::min(common_bits(weights), finish.shift);
    for (std::int32_t& weight : weights) {
        weight >>= bits;
    }
    const std::int32_t gain = weights.back();
    made.added = static_cast<std::int32_t>(finish.rounded_bias() >> bits);
    made.shift = finish.shift - bits;
    made.in_words = gain >= 0 && gain < Stencil::coarse && (largest >> bits) <= 0x7fff;
    if (made.in_words) {
        auto weight = weights.begin();
        for (Stencil::Term& term : made.terms) {
            std::copy_n(weight, made.radius + 1, term.columns.taps.begin());
            weight += made.radius + 1;
        }
    }
    weights.back() = gain & (Stencil::coarse - 1);
    weights.push_back(gain >> std::countr_zero(unsigned{Stencil::coarse}));
    weights.resize((weights.size() + 1) / 2 * 2);
    if (std::ranges::any_of(weights, [](std::int32_t weight) { return std::abs(weight) > 0x7fff; })) {
        made = {};
        return;
    }
    for (std::size_t i = 0; i < weights.size(); i += 2) {
        made.weights.push_back(pair_word(weights[i], weights[i + 1]));
    }
}

}  // namespace

// With row taps 2^p r of whole r, and p at least the shift of the rows, the intermediate and its centre are
// 2^(p - row_shift) sum(r s): nothing is rounded, and nothing else is needed of it.
Stencil prepare_stencil(const LinearFilter& filter) {
    constexpr std::int64_t max_word = 0x7fff;
    const Finish& finish = filter.finish;
    const bool magnitude = finish.combine == Combine::magnitude;
    if (filter.depth != 8 || filter.terms.empty() || filter.terms.size() > max_stencil_terms || finish.threshold != 0) {
        return {};
    }
    Stencil made;
    std::int64_t largest = magnitude ? 0 : std::abs(finish.gain) * 255 + std::abs(finish.rounded_bias());  // of any sum
    int scale = -1;  // of magnitudes: v is 2^scale times a term's sum
    for (const Term& term : filter.terms) {
        const int row_bits = common_bits(term.rows);
        const int column_bits = magnitude ? common_bits(term.columns) : 0;
        const int left = row_bits - term.row_shift;
        const auto rows = stencil_taps(term.rows, row_bits);
        const auto columns = stencil_taps(term.columns, column_bits);
        if (!rows || !columns || left < 0 || left > 15 || (scale >= 0 && scale != left + column_bits)) {
            return {};
        }
        const std::int64_t row_max = (sum_of_sizes(term.rows) >> row_bits) * 255;
        const std::int64_t most = (sum_of_sizes(term.columns) >> column_bits) * row_max;
        if (2 * row_max > max_word) {
            return {};
        }
        if (magnitude) {
            scale = left + column_bits;
            largest = std::max(largest, most);
        } else {
            largest += most << left;
        }
        made.radius = std::max({made.radius, term.radius_x(), term.radius_y()});
        made.terms.push_back({*rows, *columns, left});
    }
    if (magnitude) {
        made.up = std::max(scale - (finish.shift - 1), 0);
        made.down = std::max(finish.shift - 1 - scale, 0);
        // Two squares fit then, and their root is exact up to 2^23 (simd_terms-inl.h). What is beyond the limit, as
        // what is beyond 2^23, makes the largest sample, if nothing is taken off.
        constexpr std::int64_t max_root = 23000;
        const std::int64_t added = finish.rounded_bias() >> finish.shift;
        const std::int64_t most = largest << made.up;
        const bool fits = made.up < 16 && made.down < 15 && most <= (added < 0 ? filter.magnitude_limit() : max_root);
        return fits && std::abs(added) <= max_word ? made : Stencil{};
    }
    if (largest >> finish.shift > max_word || largest > 0x7fffffff) {
        return {};
    }
    prepare_weights(finish, largest, made);
    return made;
}

}  // namespace vfilter::simd
