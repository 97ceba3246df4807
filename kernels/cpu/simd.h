#pragma once
// The arithmetic contract in SIMD code: one source for every instruction set, the best one chosen when the program
// runs.

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/arithmetic/arithmetic.h"
#include "kernels/arithmetic/operation.h"
#include "kernels/plane.h"

namespace vfilter {

/// Taps of one pass in pairs, one 32-bit word each, low half first: what one multiply-and-add-neighbours instruction
/// takes. A vector of sample pairs at an even position serves two neighbouring results, the `even` one with its taps
/// in place and the `odd` one with its taps one position later.
struct PairedTaps {
    std::vector<std::int32_t> even;
    std::vector<std::int32_t> odd;
};

struct PairedPass {
    PairedTaps taps;         ///< the taps, or the high parts of wide ones
    PairedTaps low;          ///< the low parts of wide taps, else empty
    int low_bits = 0;        ///< of wide taps
    int low_pairs = 0;       ///< of wide taps: pairs after which sums over the low parts are carried
    int shift = 0;           ///< right shift of the sum
    std::int32_t start = 0;  ///< what the sum starts from: rounding and centring
    std::int32_t low_start = 0;
};

/// A convolution of bytes whose columns are binomial, of radius 1 or 2, and of which every sum fits 16 bits: taps are
/// reduced, and those of the rows then scaled so that the result is (sum + 128) >> 8. Empty if it is not one of those.
struct WordConvolution {
    std::vector<std::uint16_t> rows_even;  ///< pairs of bytes, laid out as in PairedTaps
    std::vector<std::uint16_t> rows_odd;

    /// Of both sides; 0 if empty.
    [[nodiscard]] int radius() const { return rows_even.empty() ? 0 : static_cast<int>(rows_even.size()) - 1; }
};

/// A convolution made ready for the SIMD code. Immutable; any number of threads may run it at once.
class SimdConvolution {
public:
    explicit SimdConvolution(Convolution convolution);

    /// Filters the rows [first, last): see convolve_scalar, whose bytes it equals. Reads and writes no byte outside the
    /// two planes' rows. Scratch memory is kept per thread, so that a second call allocates nothing.
    template <class T>
    void run(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, int first, int last) const;

    /// Into how many bands, of about as many rows each and beginning at even ones, that number of threads should cut a
    /// plane.
    [[nodiscard]] int bands(int height, int threads) const;

    [[nodiscard]] const Convolution& convolution() const { return convolution_; }
    [[nodiscard]] const PairedPass& rows(int step) const { return step == 1 ? rows_ : interleaved_rows_; }
    [[nodiscard]] const PairedPass& columns() const { return columns_; }
    [[nodiscard]] const WordConvolution& words() const { return words_; }

private:
    Convolution convolution_;
    PairedPass rows_;
    PairedPass interleaved_rows_;
    PairedPass columns_;
    WordConvolution words_;
};

/// A composite made ready for the SIMD code. Immutable; any number of threads may run it at once.
class SimdComposite {
public:
    explicit SimdComposite(Composite composite);

    /// As SimdConvolution's.
    template <class T>
    void run(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, int first, int last) const;
    [[nodiscard]] int bands(int height, int threads) const;

    [[nodiscard]] const Composite& composite() const { return composite_; }
    /// Whether its numbers and its way of combining them suit pairs; else it is summed up in 64 bits.
    [[nodiscard]] bool paired() const { return paired_; }

    struct Term {
        PairedPass rows;
        PairedPass interleaved_rows;
        PairedPass columns;  ///< of the largest radius of all terms
        int radius_x = 0;
        int first_pair = 0;  ///< of columns, from the first to behind the last that is not 0
        int last_pair = 0;
    };
    [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }

private:
    Composite composite_;
    bool paired_ = false;
    std::vector<Term> terms_;  ///< if paired
};

/// A coarse convolution made ready for the SIMD code. Immutable; any number of threads may run it at once.
class SimdCoarse {
public:
    explicit SimdCoarse(CoarseConvolution convolution);

    /// As SimdConvolution's.
    template <class T>
    void run(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, int first, int last) const;
    [[nodiscard]] int bands(int height, int threads) const;

    [[nodiscard]] const CoarseConvolution& convolution() const { return convolution_; }
    [[nodiscard]] const SimdConvolution& coarse() const { return coarse_; }

    // Taps of S in pairs, one word each, low half first.
    /// For t: of the rows r and r + 1 of a group, for the coarse row k - 1 beside it, at (k D + r) / 2.
    [[nodiscard]] const std::vector<std::int32_t>& thin_pairs() const { return thin_pairs_; }
    /// For p: from -2D on.
    [[nodiscard]] const std::vector<std::int32_t>& spline_pairs() const { return spline_pairs_; }
    /// For u and out: of the four coarse samples around each of D places, two pairs for each.
    [[nodiscard]] const std::vector<std::int32_t>& widen_pairs() const { return widen_pairs_; }

    // What the sums start from: rounding, and 2^15 taken off t, u and q or put back.
    [[nodiscard]] std::int32_t thin_rows_start() const { return start(convolution_.thin_rows_shift(), -0x8000); }
    [[nodiscard]] std::int32_t thin_columns_start() const { return start(convolution_.thin_columns_shift(), 0x8000); }
    [[nodiscard]] std::int32_t widen_start() const { return start(convolution_.widen_shift(), 0); }
    [[nodiscard]] std::int32_t result_start() const {
        return start(convolution_.result_shift(), 0) + (0x8000 << convolution_.widen_shift());
    }

private:
    static std::int32_t start(int shift, int centre) {
        return (shift > 0 ? 1 << (shift - 1) : 0) + centre * (1 << shift);
    }

    CoarseConvolution convolution_;
    SimdConvolution coarse_;
    std::vector<std::int32_t> thin_pairs_;
    std::vector<std::int32_t> spline_pairs_;
    std::vector<std::int32_t> widen_pairs_;
};

/// Any of them.
class SimdFilter {
public:
    explicit SimdFilter(PlaneFilter filter);

    template <class T>
    void run(PlaneView<const T> src, PlaneView<T> dst, Border border, int black, int first, int last) const {
        std::visit([&](const auto& made) { made.template run<T>(src, dst, border, black, first, last); }, made_);
    }
    [[nodiscard]] int bands(int height, int threads) const {
        return std::visit([&](const auto& made) { return made.bands(height, threads); }, made_);
    }

private:
    std::variant<SimdConvolution, SimdComposite, SimdCoarse> made_;
};

/// Names of the instruction sets that this program holds and this processor runs, best first.
std::vector<std::string> simd_targets();
/// The one in use.
std::string simd_target();
/// Uses only the named one from now on, "" for the best again. Throws std::invalid_argument for a name that is not in
/// simd_targets(). Not thread-safe: call it before anything is filtered.
void force_simd_target(const std::string& name);

}  // namespace vfilter
