#include "kernels/cuda/tensor/filter.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "kernels/cuda/magnitude.h"

namespace vfilter::cuda::tensor {

namespace {

constexpr int max_row_shift = 16;  // the intermediate is the upper half of a word

/// Whether what the row pass rounds, less the centre, fits 32 bits: then any row shift will do.
bool row_sums_fit(const Term& term, int max_sample) {
    std::int64_t min = half(term.row_shift) - (std::int64_t{term.centre} << term.row_shift);
    std::int64_t max = min;
    for (const std::int32_t tap : term.rows) {
        (tap < 0 ? min : max) += std::int64_t{tap} * max_sample;
    }
    return min >= std::numeric_limits<std::int32_t>::min() && max <= std::numeric_limits<std::int32_t>::max();
}

bool takes_int16(const LinearFilter& filter, bool any_row_shift) {
    constexpr std::int64_t max = std::numeric_limits<std::int32_t>::max();
    const auto shift_fits = [&](const Term& term) {
        return term.row_shift <= max_row_shift || (any_row_shift && row_sums_fit(term, filter.max_value()));
    };
    return filter.arithmetic == Arithmetic::int16 && filter.finish.threshold <= max &&
           std::abs(filter.finish.bias) <= max && std::ranges::all_of(filter.terms, shift_fits) &&
           (filter.finish.combine != Combine::magnitude || takes_magnitude(filter));
}

/// Both what rounds and the centre's sum have to be multiples of what the low bits of a sum are worth.
bool takes_split(const LinearFilter& filter) {
    const Term& term = filter.terms.front();
    const int row_shift = term.row_shift - filter.low_bits;
    const int column_shift = filter.finish.shift - filter.low_bits;
    return filter.depth > 8 && row_shift >= 1 && row_shift <= max_row_shift && column_shift >= 1 && column_shift < 32 &&
           term.centre % (1 << filter.low_bits) == 0;
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

TensorTerm make_term(const Term& term, TapForm form) {
    TensorTerm made{.rows = term.rows, .columns = term.columns, .numbers = {}};
    const std::int64_t row_factor = form == TapForm::bytes ? 1 : reduce(made.rows);
    const int up = std::max(max_row_shift - term.row_shift, 0);
    made.row_down = std::max(term.row_shift - max_row_shift, 0);
    for (int weight = 0; weight < max_weights; ++weight) {
        made.numbers.row_scale[weight] = word(row_factor << (up + 8 * weight));
    }
    made.numbers.row_start = word((half(term.row_shift) - (std::int64_t{term.centre} << term.row_shift)) << up);
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

/// One of split taps as of sums that have lost their low bits: floor division nests.
TensorTerm make_split_term(Term term, int low_bits) {
    const std::int64_t centre_sum = term.centre_sum();
    term.row_shift -= low_bits;
    TensorTerm made = make_term(term, TapForm::bytes);
    made.numbers.start = word(centre_sum >> low_bits);
    made.low_bits = low_bits;
    return made;
}

// For exact_byte: the power of two that all terms' sums are multiples of, besides those of the reduced taps, or nothing
// where the form does not hold the filter. sum C mid + centre * sum C = factor * sum C' mid' with mid' = sum R' s, as
// an exact row pass has nothing to round, and (factor * a + b) >> n == (a + (b >> log2 factor)) >> (n - log2 factor).
std::optional<int> exact_factor(const LinearFilter& filter) {
    std::optional<int> log;
    for (Term term : filter.terms) {
        const std::int32_t rows = reduce(term.rows);
        const std::int32_t columns = reduce(term.columns);
        std::int64_t positive = 0;
        std::int64_t negative = 0;
        for (const std::int32_t tap : term.rows) {
            (tap > 0 ? positive : negative) += std::int64_t{tap} * filter.max_value();
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
    const int shift = filter.finish.combine == Combine::magnitude ? filter.finish.shift - 1 : filter.finish.shift;
    const bool divides =
        filter.finish.gain % unit == 0 && filter.finish.threshold % unit == 0 && filter.finish.bias % unit == 0;
    return *log < shift && divides ? log : std::nullopt;
}

void set_finish(TensorFilter& made, const LinearFilter& filter) {
    const std::int64_t rounded_bias = filter.finish.rounded_bias();
    made.finish.shift = filter.finish.shift;
    made.finish.gain = word(filter.finish.gain);
    made.finish.threshold = static_cast<std::int32_t>(filter.finish.threshold);
    made.finish.bias = static_cast<std::int32_t>(rounded_bias);
    switch (filter.finish.combine) {
        case Combine::sum:
            made.finish.ending = filter.finish.threshold > 0 ? Ending::threshold : Ending::sum;
            made.terms[0].numbers.start += word(rounded_bias);
            return;
        case Combine::absolute:
            made.finish.ending = Ending::absolute;
            return;
        case Combine::magnitude:
            made.finish.ending = Ending::magnitude;
            made.finish.shift = filter.finish.shift - 1;
            made.finish.bias = static_cast<std::int32_t>(magnitude_bias(filter));
            made.finish.limit = filter.magnitude_limit();
            for (TensorTerm& term : made.terms) {
                term.numbers.start += word(half(made.finish.shift));
            }
            return;
    }
    throw std::logic_error("make_filter: not a way to combine");
}

}  // namespace

bool takes(const LinearFilter& filter) {
    return takes_int16(filter, false);
}

bool takes_in_shared_memory(const LinearFilter& filter) {
    return filter.arithmetic == Arithmetic::split ? takes_split(filter) : takes_int16(filter, true);
}

TapForm form_of(const LinearFilter& filter) {
    if (exact_factor(filter)) {
        return TapForm::exact_byte;
    }
    const bool byte = std::ranges::all_of(filter.terms, [](Term term) {
        reduce(term.rows);
        reduce(term.columns);
        return fits_byte(term.rows) && fits_byte(term.columns);
    });
    return byte ? TapForm::byte : TapForm::bytes;
}

namespace {

/// As exact_byte wants it: without the power of two that all sums are multiples of, and without a centre.
LinearFilter exact_filter(LinearFilter filter) {
    const int log = exact_factor(filter).value();
    filter.finish.shift -= log;
    filter.finish.gain >>= log;
    filter.finish.bias >>= log;
    filter.finish.threshold >>= log;
    for (Term& term : filter.terms) {
        term.centre = 0;
    }
    return filter;
}

}  // namespace

bool aligns(const LinearFilter& filter, TapForm form) {
    if (filter.depth != 8 || form == TapForm::byte || !takes(filter) || !filter.bounded()) {
        return false;
    }
    const LinearFilter& same = form == TapForm::exact_byte ? exact_filter(filter) : filter;
    return alignment(make_term(same.terms.front(), form).columns, same.finish.shift, form).has_value();
}

TensorFilter make_filter(const LinearFilter& given, TapForm form, FinishKind finish) {
    LinearFilter filter = form == TapForm::exact_byte ? exact_filter(given) : given;
    TensorFilter made;
    made.depth = filter.depth;
    made.radius_x = filter.radius_x();
    made.radius_y = filter.radius_y();
    if (filter.arithmetic == Arithmetic::split) {
        made.terms.push_back(make_split_term(filter.terms.front(), filter.low_bits));
        filter.finish.shift -= filter.low_bits;
    } else {
        for (const Term& term : filter.terms) {
            made.terms.push_back(make_term(term, form));
        }
    }
    if (made.terms.empty()) {
        made.terms.push_back({.rows = {0}, .columns = {0}, .numbers = {}});
    }
    set_finish(made, filter);
    if (finish == FinishKind::aligned) {
        TensorTerm& term = made.terms.front();
        const int up = alignment(term.columns, filter.finish.shift, form).value();
        for (std::int32_t& tap : term.columns) {
            tap *= 1 << up;
        }
        term.numbers.start <<= up;
        made.finish.shift += up;
    }
    return made;
}

FinishKind finish_of(const TensorFilter& filter) {
    if (filter.finish.ending == Ending::magnitude) {
        return FinishKind::magnitude;
    }
    const bool plain = filter.finish.ending == Ending::sum && filter.finish.gain == 0 && filter.terms.size() == 1;
    return plain ? FinishKind::plain : FinishKind::any_sum;
}

}  // namespace vfilter::cuda::tensor
