#include <bit>
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

std::int32_t low_byte(std::int32_t tap) { return ((tap + 128) & 255) - 128; }

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
        low.push_back(low_byte(tap));
        high.push_back((tap - low.back()) >> 8);
    }
    result.taps = pair(high);
    result.low = pair(low);
    result.shift -= 8;
    // Modulo 2^32, as the sums are: see the contract.
    result.start = static_cast<std::int32_t>(static_cast<std::uint32_t>(start >> 8));
    result.low_start = static_cast<std::int32_t>(start & 255);
    return result;
}

// log2 of the largest power of two that divides all taps.
int common_shift(const std::vector<std::int32_t>& taps) {
    std::uint32_t bits = 0;
    for (const std::int32_t tap : taps) {
        bits |= static_cast<std::uint32_t>(tap);
    }
    return std::countr_zero(bits);
}

// With taps r, c that sum to 2^a and 2^b once reduced, and F >= a, the row pass rounds nothing: the contract's result is
// (sum of c * r * s + 2^(a + b - 1)) >> (a + b). With a + b <= 8, and r scaled to make that 8, no sum exceeds
// 255 * 2^8 + 128 < 2^16.
WordConvolution prepare_words(const Convolution& c) {
    const int row_gift = common_shift(c.rows.taps);
    const int column_gift = common_shift(c.columns.taps);
    const int row_sum = c.rows.scale - row_gift;
    const int column_sum = c.columns.scale - column_gift;
    const bool short_sides = c.rows.radius() == c.columns.radius() && (c.rows.radius() == 1 || c.rows.radius() == 2);
    if (c.depth != 8 || !short_sides || c.fraction_bits < row_sum || row_sum + column_sum > 8) {
        return {};
    }
    WordConvolution words;
    for (std::size_t i = 0; i <= c.rows.taps.size() / 2; ++i) {
        words.rows.push_back(static_cast<std::uint16_t>(c.rows.taps[i] >> row_gift << (8 - row_sum - column_sum)));
        words.columns.push_back(static_cast<std::uint16_t>(c.columns.taps[i] >> column_gift));
    }
    return words;
}

}  // namespace

SimdConvolution::SimdConvolution(Convolution convolution) : convolution_(std::move(convolution)) {
    const auto half = [](int shift) { return shift > 0 ? std::int64_t{1} << (shift - 1) : 0; };
    const Pass& rows = convolution_.rows;
    const Pass& columns = convolution_.columns;
    if (rows.wide && (rows.shift < 8 || columns.shift < 8)) {
        throw std::logic_error("wide taps without a shift");
    }
    // 16-bit samples are read centred on zero, and as the taps sum to a power of two the intermediate is centred thereby.
    const std::int64_t centre = convolution_.depth == 16 ? 0 : std::int64_t{convolution_.centre()} << rows.shift;
    rows_ = prepare(rows, half(rows.shift) - centre, pair_neighbours);
    interleaved_rows_ = prepare(rows, half(rows.shift) - centre, pair_interleaved);
    // With wide taps the sum of the column pass stays centred, too, or it would not fit.
    const std::int64_t back = columns.wide ? 0 : std::int64_t{convolution_.centre()} << columns.scale;
    columns_ = prepare(columns, half(columns.shift) + back, pair_neighbours);
    words_ = prepare_words(convolution_);
}

}  // namespace vfilter
