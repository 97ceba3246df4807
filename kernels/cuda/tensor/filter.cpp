#include "kernels/cuda/tensor_filter.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "kernels/cuda/magnitude.h"

namespace vfilter::cuda {

namespace {

constexpr int lanes = 32;
constexpr int most_row_shift = 16;  // the intermediate is the upper half of a word

/// Whether what the row pass rounds, less the centre, fits 32 bits: then any row shift will do.
bool row_sums_fit(const CompositeTerm& term, int depth) {
    const std::int64_t most_sample = (1 << depth) - 1;
    std::int64_t least = rounding(term.row_shift) - (std::int64_t{term.centre} << term.row_shift);
    std::int64_t most = least;
    for (const std::int32_t tap : term.rows) {
        (tap < 0 ? least : most) += tap * most_sample;
    }
    return least >= std::numeric_limits<std::int32_t>::min() && most <= std::numeric_limits<std::int32_t>::max();
}

bool takes(const Composite& composite, bool any_row_shift) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const auto shift_fits = [&](const CompositeTerm& term) {
        return term.row_shift <= most_row_shift || (any_row_shift && row_sums_fit(term, composite.depth));
    };
    if (composite.wide || composite.threshold > most || std::abs(composite.bias) > most ||
        !std::ranges::all_of(composite.terms, shift_fits)) {
        return false;
    }
    return composite.combine != Combine::magnitude || takes_magnitude(composite);
}

/// Divides taps by what they have in common and returns that.
std::int32_t reduce(std::vector<std::int32_t>& taps) {
    std::int32_t common = 0;
    for (const std::int32_t tap : taps) {
        common = std::gcd(common, tap);
    }
    common = std::max(common, 1);
    for (std::int32_t& tap : taps) {
        tap /= common;
    }
    return common;
}

bool fits_byte(const std::vector<std::int32_t>& taps) {
    return std::ranges::all_of(taps, [](std::int32_t tap) { return tap >= -128 && tap <= 127; });
}

std::uint32_t word(std::int64_t number) {
    return static_cast<std::uint32_t>(number);
}

TensorFilter::Term make_term(const CompositeTerm& term, TapForm form) {
    TensorFilter::Term made{.rows = term.rows, .columns = term.columns, .numbers = {}};
    const std::int64_t row_factor = form == TapForm::bytes ? 1 : reduce(made.rows);
    const int up = std::max(most_row_shift - term.row_shift, 0);
    made.row_down = std::max(term.row_shift - most_row_shift, 0);
    for (int weight = 0; weight < max_tensor_weights; ++weight) {
        made.numbers.row_scale[weight] = word(row_factor << (up + 8 * weight));
    }
    made.numbers.row_start = word((rounding(term.row_shift) - (std::int64_t{term.centre} << term.row_shift)) << up);
    made.numbers.column_scale = word(form == TapForm::bytes ? 1 : reduce(made.columns));
    made.numbers.start = word(term.centre_sum());
    return made;
}

/// By how much taps have to be shifted up for the shift of their sums to be a multiple of 8; nothing where they don't
/// fit their form then.
std::optional<int> alignment(const std::vector<std::int32_t>& taps, int shift, TapForm form) {
    const int up = std::max((shift + 7) / 8, 1) * 8 - shift;
    const std::int64_t limit = form == TapForm::bytes ? 32767 : 127;
    const bool fits =
        std::ranges::all_of(taps, [&](std::int32_t tap) { return (std::abs(std::int64_t{tap}) << up) <= limit; });
    return shift + up <= 24 && fits ? std::optional(up) : std::nullopt;
}

/// Whether no result of a composite with taps >= 0 needs a clamp: those of black and white pictures are the extremes.
bool stays_in_range(const Composite& composite) {
    const CompositeTerm& term = composite.terms.front();
    const auto is_negative = [](std::int32_t tap) { return tap < 0; };
    if (std::ranges::any_of(term.rows, is_negative) || std::ranges::any_of(term.columns, is_negative)) {
        return false;
    }
    const auto sum = [](const std::vector<std::int32_t>& taps) {
        return std::accumulate(taps.begin(), taps.end(), std::int64_t{0});
    };
    const auto result_of = [&](std::int64_t sample) {
        const std::int64_t mid = ((sum(term.rows) * sample + rounding(term.row_shift)) >> term.row_shift) - term.centre;
        return (mid * sum(term.columns) + term.centre_sum() + composite.bias + rounding(composite.scale)) >>
               composite.scale;
    };
    return result_of(0) >= 0 && result_of(composite.max_value()) <= composite.max_value();
}

int low_bits_of(const Pass& pass) {
    return pass.wide ? pass.low_bits : 0;
}

/// One of wide taps as of sums that have lost their low bits: floor division nests.
TensorFilter::Term make_wide_term(const Convolution& convolution, const CompositeTerm& term) {
    const int row_bits = low_bits_of(convolution.rows);
    const int column_bits = low_bits_of(convolution.columns);
    CompositeTerm less = term;
    less.row_shift -= row_bits;
    TensorFilter::Term made = make_term(less, TapForm::bytes);
    made.numbers.start = word(term.centre_sum() >> column_bits);
    made.row_low_bits = row_bits;
    made.column_low_bits = column_bits;
    return made;
}

Composite composite_of(const PlaneFilter& filter) {
    const auto* const convolution = std::get_if<Convolution>(&filter);
    return convolution != nullptr ? as_composite(*convolution) : std::get<Composite>(filter);
}

// For exact_byte: the power of two that all terms' sums are multiples of, beside those of the reduced taps, or nothing
// where the form does not hold the filter. sum C mid + centre * sum C = factor * sum C' mid' with mid' = sum R' s, as
// an exact row pass has nothing to round, and (factor * a + b) >> n == (a + (b >> log2 factor)) >> (n - log2 factor).
std::optional<int> exact_factor(const Composite& composite) {
    std::optional<int> log;
    for (CompositeTerm term : composite.terms) {
        const std::int32_t rows = reduce(term.rows);
        const std::int32_t columns = reduce(term.columns);
        std::int64_t positive = 0;
        std::int64_t negative = 0;
        for (const std::int32_t tap : term.rows) {
            (tap > 0 ? positive : negative) += std::int64_t{tap} * composite.max_value();
        }
        const std::int64_t factor = (std::int64_t{rows} >> term.row_shift) * columns;
        if (!fits_byte(term.rows) || !fits_byte(term.columns) || positive > 32767 || negative < -32768 ||
            rows % (std::int64_t{1} << term.row_shift) != 0 ||
            !std::has_single_bit(static_cast<std::uint64_t>(factor))) {
            return std::nullopt;
        }
        const int own = std::countr_zero(static_cast<std::uint64_t>(factor));
        if (log.value_or(own) != own) {
            return std::nullopt;
        }
        log = own;
    }
    if (!log) {
        return 0;
    }
    const std::int64_t unit = std::int64_t{1} << *log;
    const int shift = composite.combine == Combine::magnitude ? composite.scale - 1 : composite.scale;
    const bool divides = composite.gain % unit == 0 && composite.threshold % unit == 0 && composite.bias % unit == 0;
    return *log < shift && divides ? log : std::nullopt;
}

void set_end(TensorFilter& made, const Composite& composite) {
    const std::int64_t rounded_bias = composite.bias + rounding(composite.scale);
    made.end.shift = composite.scale;
    made.end.gain = word(composite.gain);
    made.end.threshold = static_cast<std::int32_t>(composite.threshold);
    made.end.bias = static_cast<std::int32_t>(rounded_bias);
    switch (composite.combine) {
        case Combine::sum:
            made.end.ending = composite.threshold > 0 ? TensorEnding::threshold : TensorEnding::sum;
            made.terms[0].numbers.start += word(rounded_bias);
            return;
        case Combine::absolute:
            made.end.ending = TensorEnding::absolute;
            return;
        case Combine::magnitude:
            made.end.ending = TensorEnding::magnitude;
            made.end.shift = composite.scale - 1;
            made.end.bias = static_cast<std::int32_t>(magnitude_bias(composite));
            made.end.limit = composite.magnitude_limit();
            for (TensorFilter::Term& term : made.terms) {
                term.numbers.start += word(rounding(made.end.shift));
            }
            return;
    }
    throw std::logic_error("make_tensor_filter: not a way to combine");
}

}  // namespace

Composite as_composite(const Convolution& convolution) {
    Composite made;
    made.depth = convolution.depth;
    made.terms = {
        {convolution.rows.taps, convolution.columns.taps, convolution.rows.shift, convolution.centre()},
    };
    made.scale = convolution.columns.shift;
    made.error_bound = convolution.error_bound;
    return made;
}

bool tensor_takes(const PlaneFilter& filter) {
    if (const auto* const convolution = std::get_if<Convolution>(&filter)) {
        return !convolution->rows.wide && !convolution->columns.wide && takes(as_composite(*convolution), false);
    }
    return takes(std::get<Composite>(filter), false);
}

bool tensor_tile_takes(const PlaneFilter& filter) {
    const auto* const convolution = std::get_if<Convolution>(&filter);
    if (convolution == nullptr) {
        return takes(std::get<Composite>(filter), true);
    }
    if (!convolution->rows.wide && !convolution->columns.wide) {
        return takes(as_composite(*convolution), true);
    }
    // Both what rounds and the centre's sum are multiples of what the low bits of a sum are worth then.
    const int row_shift = convolution->rows.shift - low_bits_of(convolution->rows);
    const int column_shift = convolution->columns.shift - low_bits_of(convolution->columns);
    return convolution->depth > 8 && row_shift >= 1 && row_shift <= most_row_shift && column_shift >= 1 &&
           column_shift < 32 && convolution->centre() % (1 << low_bits_of(convolution->columns)) == 0;
}

std::vector<std::int32_t> low_parts(std::span<const std::int32_t> taps, int low_bits) {
    const std::int32_t half = (1 << low_bits) / 2;
    std::vector<std::int32_t> low(taps.begin(), taps.end());
    for (std::int32_t& tap : low) {
        tap = ((tap + half) & ((1 << low_bits) - 1)) - half;
    }
    return low;
}

std::vector<std::int32_t> high_parts(std::span<const std::int32_t> taps, int low_bits) {
    std::vector<std::int32_t> high = low_parts(taps, low_bits);
    for (std::size_t i = 0; i < taps.size(); ++i) {
        high[i] = (taps[i] - high[i]) >> low_bits;
    }
    return high;
}

TapForm form_of(const PlaneFilter& filter) {
    const Composite composite = composite_of(filter);
    if (exact_factor(composite)) {
        return TapForm::exact_byte;
    }
    const bool byte = std::ranges::all_of(composite.terms, [](CompositeTerm term) {
        reduce(term.rows);
        reduce(term.columns);
        return fits_byte(term.rows) && fits_byte(term.columns);
    });
    return byte ? TapForm::byte : TapForm::bytes;
}

namespace {

/// As exact_byte wants it: without the power of two that all sums are multiples of, and without a centre.
Composite exact_composite(Composite composite) {
    const int log = exact_factor(composite).value();
    composite.scale -= log;
    composite.gain >>= log;
    composite.bias >>= log;
    composite.threshold >>= log;
    for (CompositeTerm& term : composite.terms) {
        term.centre = 0;
    }
    return composite;
}

}  // namespace

bool aligns(const PlaneFilter& filter, TapForm form) {
    const auto* const convolution = std::get_if<Convolution>(&filter);
    if (convolution == nullptr || convolution->depth != 8 || form == TapForm::byte || !tensor_takes(filter)) {
        return false;
    }
    Composite composite = as_composite(*convolution);
    if (!stays_in_range(composite)) {
        return false;
    }
    composite = form == TapForm::exact_byte ? exact_composite(composite) : composite;
    return alignment(make_term(composite.terms.front(), form).columns, composite.scale, form).has_value();
}

TensorFilter make_tensor_filter(const PlaneFilter& filter, TapForm form, Finish finish) {
    Composite composite = composite_of(filter);
    if (form == TapForm::exact_byte) {
        composite = exact_composite(composite);
    }
    TensorFilter made;
    made.depth = composite.depth;
    made.radius_x = composite.radius_x();
    made.radius_y = composite.radius_y();
    const auto* const convolution = std::get_if<Convolution>(&filter);
    if (convolution != nullptr && (convolution->rows.wide || convolution->columns.wide)) {
        made.terms.push_back(make_wide_term(*convolution, composite.terms.front()));
        composite.scale -= low_bits_of(convolution->columns);
    } else {
        for (const CompositeTerm& term : composite.terms) {
            made.terms.push_back(make_term(term, form));
        }
    }
    if (made.terms.empty()) {
        made.terms.push_back({.rows = {0}, .columns = {0}, .numbers = {}});
    }
    set_end(made, composite);
    if (finish == Finish::aligned) {
        TensorFilter::Term& term = made.terms.front();
        const int up = alignment(term.columns, composite.scale, form).value();
        for (std::int32_t& tap : term.columns) {
            tap *= 1 << up;
        }
        term.numbers.start <<= up;
        made.end.shift += up;
    }
    return made;
}

Finish finish_of(const TensorFilter& filter) {
    if (filter.end.ending == TensorEnding::magnitude) {
        return Finish::magnitude;
    }
    const bool plain = filter.end.ending == TensorEnding::sum && filter.end.gain == 0 && filter.terms.size() == 1;
    return plain ? Finish::plain : Finish::any_sum;
}

int place_of(Order order, int slot) {
    const int half = slot / 16;
    const int lane = slot % 16 / 4;  // of the four that share a column
    const int i = slot % 4;
    switch (order) {
        case Order::natural:
            return slot;
        case Order::eights:
            return 8 * lane + 4 * half + i;
        case Order::halves:
            return 16 * half + (i < 2 ? 2 * lane + i : 8 + 2 * lane + i - 2);
    }
    throw std::logic_error("place_of: not an order");
}

int result_of(int m) {
    return m < 8 ? 4 * (m / 2) + m % 2 : 4 * ((m - 8) / 2) + 2 + m % 2;
}

std::vector<std::uint32_t> band_fragments(std::span<const std::int32_t> taps, int byte, const Band& band) {
    const int radius = static_cast<int>(taps.size() / 2);
    const int steps = (band.places + 31) / 32;
    std::vector<std::uint32_t> words(static_cast<std::size_t>(steps) * lanes * 4);
    const auto element = [&](int m, int step, int slot) -> std::uint32_t {
        const int place = 32 * step + place_of(band.order, slot);
        const int distance = place - band.apron - (band.results_permuted ? result_of(m) : m);
        if (place >= band.places || distance % band.spacing != 0 || std::abs(distance / band.spacing) > radius) {
            return 0;
        }
        const std::int32_t tap = taps[static_cast<std::size_t>(radius + distance / band.spacing)];
        return static_cast<std::uint32_t>(byte == 1 ? tap >> 8 : tap) & 0xff;
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const int step = static_cast<int>(i) / (lanes * 4);
        const int lane = static_cast<int>(i) / 4 % lanes;
        const int number = static_cast<int>(i) % 4;
        for (int k = 0; k < 4; ++k) {
            words[i] |= element(lane / 4 + 8 * (number % 2), step, 16 * (number / 2) + 4 * (lane % 4) + k) << (8 * k);
        }
    }
    return words;
}

}  // namespace vfilter::cuda
