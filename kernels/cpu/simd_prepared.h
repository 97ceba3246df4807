#pragma once
// Operations in the forms that the SIMD code takes, and which code runs which. Not for others than the SIMD code.

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/arithmetic/operation.h"
#include "kernels/cpu/simd.h"

namespace vfilter::simd {

/// Taps of one pass in pairs, one 32-bit word each, low half first: what one multiply-and-add-neighbours instruction
/// takes. A vector of sample pairs at an even position serves two neighbouring results, the `even` one with its taps
/// in place and the `odd` one with its taps one position later. Samples that have been paired up for either result (see
/// PairedLine) take the `even` ones for both.
struct PairedTaps {
    std::vector<std::int32_t> even;
    std::vector<std::int32_t> odd;
};

struct PairedPass {
    PairedTaps taps;         ///< the taps, or the high parts of split ones
    PairedTaps low;          ///< the low parts of split taps, else empty
    int low_bits = 0;        ///< of split taps
    int low_pairs = 0;       ///< of split taps: pairs after which sums over the low parts are carried
    int shift = 0;           ///< right shift of the sum
    std::int32_t start = 0;  ///< what the sum starts from: rounding and centring
    std::int32_t low_start = 0;
};

/// A smoothing of bytes whose columns are binomial, of radius 1 or 2, and of which every sum fits 16 bits: taps are
/// reduced, and those of the rows then scaled so that the result is (sum + 128) >> 8. Or a box of such a radius, with
/// rows of ones. Empty if it is not one of those.
struct WordTaps {
    std::vector<std::uint16_t> rows_even;  ///< pairs of bytes, laid out as in PairedTaps
    std::vector<std::uint16_t> rows_odd;

    /// Of both sides; 0 if empty.
    [[nodiscard]] int radius() const { return rows_even.empty() ? 0 : static_cast<int>(rows_even.size()) - 1; }
};

/// Taps of one direction: the middle one and those after it. Those before it are the same, or, if odd, their negatives,
/// and the middle one is 0 then.
struct StencilTaps {
    std::array<std::int16_t, 3> taps{};
    bool odd = false;
};

inline constexpr int max_stencil_terms = 2;

/// A filter of bytes of radius 1 or 2 in both directions, of one or two terms, whose intermediate is exact in words,
/// once taps are reduced, as are sums of two of them. Empty if it is not one of those.
struct Stencil {
    struct Term {
        StencilTaps rows;
        StencilTaps columns;  ///< with magnitudes all sums over them fit words, once reduced
        int left = 0;         ///< the intermediate is 2^left times what the rows make
    };
    int radius = 0;
    std::vector<Term> terms;
    // With magnitudes: a_t of a term's sum is ((sum << up) + half(down)) >> down.
    int up = 0;
    int down = 0;
    // With others, reduced: in pairs, the multiples of each term's middle row, of each two rows around it, of the
    // sample and of `coarse` times the sample; then what is added, and the shift.
    static constexpr int coarse = 128;
    std::vector<std::int32_t> weights;
    bool in_words = false;  ///< all sums fit words as well, with what is added; the gain is 0 or below `coarse`
    std::int32_t added = 0;
    int shift = 0;
};

/// Two taps of 16 bits as one word.
std::int32_t pair_word(std::int32_t low, std::int32_t high);
/// How often 2 divides all taps.
int common_bits(const std::vector<std::int32_t>& taps);
Stencil prepare_stencil(const LinearFilter& filter);

struct PairedTerm {
    PairedPass rows;
    PairedPass columns;  ///< of the largest radius of all terms
    int radius_x = 0;
    int first_pair = 0;  ///< of columns, from the first to after the last that is not 0
    int last_pair = 0;
};

/// One side of a box of deep samples: taps that are all the same, but for one more in each of those in the middle, and
/// for what the very middle one has besides. See quantise_equal.
struct BoxSide {
    int radius = 0;
    std::int32_t tap = 0;
    int middle = -1;  ///< the radius of the taps with one more, if there are any, which are not all
    int centre = 0;   ///< -1, 0 or 1
    /// Whether the pass's results are the means of its samples, centred on zero, rounded to the nearest. Where there
    /// are few, no rounding of taps moves a mean as far as half a level: it is a multiple of 1 / n, and n is odd.
    bool nearest = false;
};

/// Both sides, and whether all sums of running_box's code fit.
struct RunningBox {
    BoxSide rows;
    BoxSide columns;
    std::int32_t start = 0;  ///< what the columns' sums start from, for results less half of the range
    bool fits = false;
};
RunningBox prepare_running_box(const LinearFilter& filter);

/// Taps of a row of a mask for two neighbouring samples, laid out as in PairedTaps.
struct MaskPair {
    int line;    ///< from the first
    int column;  ///< of the line, for column 0
    std::int32_t even;
    std::int32_t odd;
};

struct Mask {
    std::int32_t start = 0;  ///< what the sum starts from
    std::vector<MaskPair> pairs{};
};

/// A filter of deep samples of radius 2 or less in both directions whose intermediates are exact, as one mask, or, of a
/// magnitude, as two, once taps are reduced. All sums fit 32 bits. No masks if it is not one of those.
struct MaskFilter {
    Combine combine = Combine::sum;
    int radius_x = 0;
    int radius_y = 0;
    std::int32_t added = 0;  ///< of magnitudes and absolute values: to them
    int shift = 0;           ///< of the sum, or for a_t
    std::int32_t limit = 0;  ///< of a_t
    std::vector<Mask> masks{};

    /// Whether rows and columns apart would be more work: with more pairs, and of magnitudes, they are not.
    [[nodiscard]] bool few_pairs() const {
        constexpr std::size_t most = 6;  // those of 3 by 3
        return masks.size() == 1 && masks.front().pairs.size() <= most;
    }
};
MaskFilter prepare_mask(const LinearFilter& filter);

/// The code that runs a LinearFilter, the first that can.
enum class Code {
    box,          ///< simd_box-inl.h: running sums; uniform, of bytes, radius 2 or more
    words,        ///< simd_words-inl.h: short binomials of bytes
    stencil,      ///< simd_stencil-inl.h: other filters of bytes of radius 1 and 2
    running_box,  ///< simd_box_deep-inl.h: running sums; boxes of deep samples, or pairs where that is faster
    pairs,        ///< simd_pairs-inl.h: one bounded term, as smoothings are; split taps, too
    terms,        ///< simd_terms-inl.h: all else in int16
    mask,         ///< simd_mask-inl.h: small exact filters of deep samples
    int64,        ///< simd_int64-inl.h: int64, and magnitudes of samples above 12 bits
};

/// Whether no sum on the way to any result of it leaves 32 bits, before the threshold, if there is one.
bool sums_fit_words(const LinearFilter& filter);

/// A LinearFilter made ready.
struct PreparedFilter {
    explicit PreparedFilter(LinearFilter linear_filter);

    LinearFilter filter;
    std::vector<PairedTerm> terms;  ///< empty if it is summed up in 64 bits
    WordTaps words;
    Stencil stencil;
    RunningBox running_box;
    MaskFilter mask;

    [[nodiscard]] Code code() const;
    [[nodiscard]] int bands(int height, int threads) const;

private:
    bool int64_;
    bool one_bounded_;
};

/// A DecimatedFilter made ready.
struct PreparedDecimation {
    explicit PreparedDecimation(DecimatedFilter decimated);

    DecimatedFilter filter;
    PreparedFilter inner;
    // Taps of S in pairs, one word each, low half first.
    std::vector<std::int32_t> decimate_pairs;     ///< for t: of the rows r and r + 1 of a group, for the decimated row
                                                  ///< k - 1 rows away, at (k D + r) / 2
    std::vector<std::int32_t> spline_pairs;       ///< for p: from -2D on
    std::vector<std::int32_t> interpolate_pairs;  ///< for u and out: of the four decimated samples around each of D
                                                  ///< places, two pairs for each

    // What the sums start from: rounding, and 2^15 taken off t, u and q or put back.
    [[nodiscard]] std::int32_t decimate_rows_start() const { return start(filter.decimate_rows_shift(), -0x8000); }
    [[nodiscard]] std::int32_t decimate_columns_start() const { return start(filter.decimate_columns_shift(), 0x8000); }
    [[nodiscard]] std::int32_t interpolate_columns_start() const {
        return start(filter.interpolate_columns_shift(), 0);
    }
    [[nodiscard]] std::int32_t interpolate_rows_start() const {
        return start(filter.interpolate_rows_shift(), 0) + (0x8000 << filter.interpolate_columns_shift());
    }
    [[nodiscard]] int bands(int height, int threads) const;

private:
    static std::int32_t start(int shift, int centre) { return half<std::int32_t>(shift) + centre * (1 << shift); }
};

/// An operation of any other kind, which needs no preparation.
template <class Made>
struct Unprepared {
    Made filter;

    [[nodiscard]] int bands(int height, int threads) const;
};

/// A dithered operation made ready.
struct PreparedDithered {
    explicit PreparedDithered(Dithered dithered);

    Dithered filter;
    std::shared_ptr<const SimdFilter> inner;
    Reach down;  ///< of the inner one
    [[nodiscard]] int bands(int height, int threads) const { return inner->bands(height, threads); }
};

/// Which form is whose.
inline PreparedFilter make_ready(LinearFilter filter) {
    return PreparedFilter(std::move(filter));
}
inline PreparedDecimation make_ready(DecimatedFilter filter) {
    return PreparedDecimation(std::move(filter));
}
inline PreparedDithered make_ready(Dithered filter) {
    return PreparedDithered(std::move(filter));
}
template <class Made>
Unprepared<Made> make_ready(Made filter) {
    return {std::move(filter)};
}

template <class... Made>
std::variant<decltype(make_ready(std::declval<Made>()))...> forms_of(const std::variant<Made...>& operation);

/// Any operation made ready.
struct Prepared {
    decltype(forms_of(std::declval<Operation>())) made;
};

}  // namespace vfilter::simd
