// int64 arithmetic, and magnitudes of deep samples, but for what simd_mask-inl.h has code for: in 32 bits where all
// sums fit them, as those of larger exact masks do, else in 64. Compiled once for each instruction set: plain loops, a
// block of rows and columns at a time, of which the compiler makes vectors.

#if defined(VFILTER_SIMD_INT64_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_INT64_INL
#undef VFILTER_SIMD_INT64_INL
#else
#define VFILTER_SIMD_INT64_INL
#endif

#include "kernels/cpu/simd_band.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

/// A part of a band: rows from `top` and columns (samples of a row) from `left` on.
struct Block {
    static constexpr int max_rows = 32;
    static constexpr int max_columns = 512;
    int top;
    int height;
    int left;
    int width;

    [[nodiscard]] int count() const { return width * height; }
};

// The samples that a row of the block needs for the row pass, with what the border puts outside the picture.
template <class T>
void gather(const Band<T>& band, const Block& block, int y, int radius, std::vector<int>& line) {
    const PlaneView<const T>& src = band.src;
    const int row = border_index(y, src.height, band.border);
    const int reach = radius * src.step;
    const int count = block.width + 2 * reach;
    line.resize(static_cast<std::size_t>(count));
    if (row < 0) {
        std::ranges::fill(line, band.black);
        return;
    }
    const int max = band.max_value();
    const int lsb = src.lsb;
    const T* const from = src.row(row);
    const auto outside = [&](int i) {
        // Counted from `radius` pixels before the picture, so that it is not negative.
        const int at = block.left + i;
        const int pixel = border_index(at / src.step - radius, src.width, band.border);
        return pixel < 0 ? band.black : (from[pixel * src.step + at % src.step] >> lsb) & max;
    };
    const int first = std::max(0, reach - block.left);
    const int last = std::max(first, std::min(count, src.samples() + reach - block.left));
    int* const to = line.data();
    for (int i = 0; i < first; ++i) {
        to[i] = outside(i);
    }
    const T* const own = from + block.left - reach;
    for (int i = first; i < last; ++i) {
        to[i] = (own[i] >> lsb) & max;
    }
    for (int i = last; i < count; ++i) {
        to[i] = outside(i);
    }
}

// The intermediate samples of one row; `sums` has room for the row.
template <class Sum>
void row_pass(const Term& term, const std::vector<int>& line, int step, int width, Sum* HWY_RESTRICT sums,
              std::int32_t* HWY_RESTRICT mid) {
    std::fill_n(sums, width, static_cast<Sum>(half(term.row_shift)));
    for (std::size_t j = 0; j < term.rows.size(); ++j) {
        const std::int32_t tap = term.rows[j];
        const int* const from = line.data() + static_cast<std::ptrdiff_t>(j) * step;
        for (int x = 0; tap != 0 && x < width; ++x) {
            sums[x] += static_cast<Sum>(tap) * from[x];
        }
    }
    for (int x = 0; x < width; ++x) {
        mid[x] = static_cast<std::int32_t>((sums[x] >> term.row_shift) - term.centre);
    }
}

// Adds one term's v to `sums`, for all rows of a block.
template <class Sum>
void column_pass(const Term& term, const Block& block, const std::int32_t* HWY_RESTRICT mid, Sum* HWY_RESTRICT sums) {
    const auto start = static_cast<Sum>(term.centre_sum());
    for (int y = 0; y < block.height; ++y) {
        Sum* const row = sums + std::ptrdiff_t{y} * block.width;
        for (int x = 0; x < block.width; ++x) {
            row[x] += start;
        }
        for (std::size_t j = 0; j < term.columns.size(); ++j) {
            const std::int32_t tap = term.columns[j];
            const std::int32_t* const from = mid + (static_cast<std::ptrdiff_t>(j) + y) * block.width;
            for (int x = 0; tap != 0 && x < block.width; ++x) {
                row[x] += static_cast<Sum>(tap) * from[x];
            }
        }
    }
}

// Adds the squares of a_t, which a double holds, as it does their sum: a_t is below 2^19.
template <class Sum>
void add_squares(const LinearFilter& filter, const Sum* HWY_RESTRICT v, int count, double* HWY_RESTRICT squares) {
    const int shift = filter.finish.shift - 1;
    const auto rounding = static_cast<Sum>(half(shift));
    const Sum limit = filter.magnitude_limit();
    for (int i = 0; i < count; ++i) {
        const Sum halves = std::min(std::max((v[i] + rounding) >> shift, -limit), limit);
        const auto a = static_cast<double>(static_cast<std::int32_t>(halves));
        squares[i] += a * a;
    }
}

// The floors of roots. Of n below 2^40 the double's root is right to 2^-33, and that of k^2 - 1 is 2^-21 away from k:
// truncation is exact.
inline void take_roots(const double* HWY_RESTRICT squares, int count, std::int32_t* HWY_RESTRICT roots) {
    const hn::ScalableTag<double> df;
    const hn::Rebind<std::int32_t, decltype(df)> d32;
    const int lanes = static_cast<int>(hn::Lanes(df));
    for (int i = 0; i < count; i += lanes) {
        hn::StoreU(hn::DemoteTo(d32, hn::Sqrt(hn::LoadU(df, squares + i))), d32, roots + i);
    }
}

// result() of a row for all but magnitudes.
template <class Sum, class T>
void finish_row(const LinearFilter& filter, const Band<T>& band, const Sum* HWY_RESTRICT sums, const T* from, int width,
                T* to) {
    const Finish& finish = filter.finish;
    const int lsb = band.src.lsb;
    const int max = band.max_value();
    const auto each = [&](const auto& result) HWY_ATTR {
        for (int x = 0; x < width; ++x) {
            const int sample = (from[x] >> lsb) & max;
            to[x] = static_cast<T>(result(sums[x], sample) << band.dst.lsb);
        }
    };
    const auto gain = static_cast<Sum>(finish.gain);
    const auto added = static_cast<Sum>(finish.rounded_bias());
    const int shift = finish.shift;
    const auto clamped = [max](Sum v) HWY_ATTR { return static_cast<int>(std::min(std::max(v, Sum{0}), Sum{max})); };
    if (finish.threshold != 0) {
        each([&](Sum v, int sample) HWY_ATTR { return filter.result(v, sample); });
    } else if (finish.combine == Combine::absolute) {
        each([&](Sum v, int sample) HWY_ATTR {
            const Sum sum = v + gain * sample;
            return clamped(((sum < 0 ? -sum : sum) + added) >> shift);
        });
    } else {
        each([&](Sum v, int sample) HWY_ATTR { return clamped((v + gain * sample + added) >> shift); });
    }
}

template <class T>
void finish_magnitudes(const LinearFilter& filter, const Band<T>& band, const std::int32_t* HWY_RESTRICT roots,
                       int width, T* to) {
    const auto added = static_cast<std::int32_t>(filter.finish.rounded_bias() >> filter.finish.shift);
    const int max = band.max_value();
    for (int x = 0; x < width; ++x) {
        const std::int32_t v = ((roots[x] + 1) >> 1) + added;
        to[x] = static_cast<T>(std::min(std::max(v, 0), max) << band.dst.lsb);
    }
}

template <class Sum, class T>
void sum_block(const LinearFilter& filter, const Band<T>& band, const Block& block, Scratch& scratch,
               Store<Sum>& store) {
    const bool squares = filter.finish.combine == Combine::magnitude;
    const int count = block.count();
    constexpr int beyond = HWY_MAX_BYTES / sizeof(std::int32_t);  // a vector of roots
    store.reserve(2 * static_cast<std::size_t>(Block::max_rows * Block::max_columns));
    Sum* const totals = store.get();
    Sum* const own = totals + count;
    std::fill_n(totals, count, Sum{0});
    if (squares) {
        scratch.squares.assign(static_cast<std::size_t>(count) + beyond, 0);
    }
    for (const Term& term : filter.terms) {
        const int rows = block.height + 2 * term.radius_y();
        scratch.mid.resize(static_cast<std::size_t>(block.width * rows + beyond));
        for (int row = 0; row < rows; ++row) {
            gather(band, block, block.top + row - term.radius_y(), term.radius_x(), scratch.edges);
            row_pass(term, scratch.edges, band.src.step, block.width, own,
                     scratch.mid.data() + std::ptrdiff_t{row} * block.width);
        }
        if (!squares) {
            column_pass(term, block, scratch.mid.data(), totals);
            continue;
        }
        std::fill_n(own, count, Sum{0});
        column_pass(term, block, scratch.mid.data(), own);
        add_squares(filter, own, count, scratch.squares.data());
    }
    if (squares) {
        scratch.mid.resize(static_cast<std::size_t>(count + beyond));
        take_roots(scratch.squares.data(), count, scratch.mid.data());
    }
    for (int y = 0; y < block.height; ++y) {
        const std::ptrdiff_t at = std::ptrdiff_t{y} * block.width;
        T* const to = band.dst.row(block.top + y) + block.left;
        if (squares) {
            finish_magnitudes(filter, band, scratch.mid.data() + at, block.width, to);
        } else {
            finish_row(filter, band, totals + at, band.src.row(block.top + y) + block.left, block.width, to);
        }
    }
}

template <class T>
void filter_int64(const LinearFilter& filter, const Band<T>& band) {
    const bool in_words = sums_fit_words(filter);
    const int samples = band.src.samples();
    for (int top = band.first; top < band.last; top += Block::max_rows) {
        for (int left = 0; left < samples; left += Block::max_columns) {
            const Block block{top, std::min(Block::max_rows, band.last - top), left,
                              std::min(Block::max_columns, samples - left)};
            Scratch& scratch = thread_scratch();
            if (in_words) {
                sum_block(filter, band, block, scratch, scratch.ring);
            } else {
                sum_block(filter, band, block, scratch, scratch.sums);
            }
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
