// Decimated filters: see kernels/arithmetic/decimated_filter.h. Compiled once for each instruction set.
//
// What is done for every sample of the picture is done along columns, so that vectors are read and written where they
// are. A row belongs to four decimated rows at most, and D rows, a group, to the same four: their sums are four lines
// in the cache, of which one is finished with each group, and every sample is read once. On the way back D rows come
// from the same four decimated ones.

#if defined(VFILTER_SIMD_DECIMATED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_DECIMATED_INL
#undef VFILTER_SIMD_DECIMATED_INL
#else
#define VFILTER_SIMD_DECIMATED_INL
#endif

#include <utility>

#include "kernels/cpu/simd_pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

HWY_INLINE V16 load_row(const std::uint8_t* from, const Band<std::uint8_t>& /*band*/) {
    return load_samples(from);
}
HWY_INLINE V16 load_row(const std::uint16_t* from, const Band<std::uint16_t>& band) {
    const hn::RebindToUnsigned<D16> du;
    const auto mask = hn::Set(du, static_cast<std::uint16_t>(band.max_value()));
    return hn::BitCast(D16(), hn::And(hn::ShiftRightSame(hn::LoadU(du, from), band.src.lsb), mask));
}

/// Makes t, row after row, less 2^15.
template <class T>
class RowDecimator {
public:
    RowDecimator(const PreparedDecimation& made, const Band<T>& band, DecimationScratch& scratch)
        : made_(made), band_(band), width_(round_up(band.src.samples())), factor_(made.filter.factor()) {
        scratch.sums.reserve(4 * static_cast<std::size_t>(width_));
        for (int i = 0; i < 4; ++i) {
            sums_[i] = scratch.sums.get() + std::ptrdiff_t{i} * width_;
        }
        scratch.rows.reserve(static_cast<std::size_t>(width_));
        line_ = scratch.rows.get();
        scratch.black.reserve(static_cast<std::size_t>(width_) * sizeof(T));
        black_ = reinterpret_cast<T*>(scratch.black.get());
        std::fill_n(black_, width_, static_cast<T>(band.black << band.src.lsb));
    }

    /// Rows of the group, which finishes the decimated row before it; what comes out for the first three is none.
    const std::int16_t* add(int group) {
        for (int r = 0; r < factor_; ++r) {
            const int row = border_index(group * factor_ + r, band_.src.height, band_.border);
            rows_[r] = row < 0 ? black_ : band_.src.row(row);
        }
        const int lanes = lanes16();
        const int samples = band_.src.samples();
        int x = 0;
        for (; x + lanes <= samples; x += lanes) {
            add_block(x, x);
        }
        if (x < samples) {  // nothing after a row is read
            HWY_ALIGN T rest[8][HWY_MAX_BYTES / sizeof(std::int16_t)] = {};
            for (int r = 0; r < factor_; ++r) {
                std::copy_n(rows_[r] + x, samples - x, rest[r]);
                rows_[r] = rest[r];
            }
            add_block(x, 0);
        }
        std::rotate(sums_, sums_ + 1, sums_ + 4);
        return line_;
    }

private:
    // Columns from x on, which stand in the rows at `from`.
    HWY_INLINE void add_block(int x, int from) {
        const D32 d32;
        const int half = lanes16() / 2;
        V32 even[4];
        V32 odd[4];
        for (int k = 0; k < 3; ++k) {
            even[k] = hn::Load(d32, sums_[k] + x);
            odd[k] = hn::Load(d32, sums_[k] + x + half);
        }
        even[3] = odd[3] = hn::Set(d32, made_.decimate_rows_start());
        for (int r = 0; r < factor_; r += 2) {
            const Paired<V16> pair =
                pair_up(D16(), load_row(rows_[r] + from, band_), load_row(rows_[r + 1] + from, band_));
            for (int k = 0; k < 4; ++k) {
                const V16 taps = broadcast_pair(made_.decimate_pairs[static_cast<std::size_t>(k * factor_ + r) / 2]);
                even[k] = dot_pairs(pair.even, taps, even[k]);
                odd[k] = dot_pairs(pair.odd, taps, odd[k]);
            }
        }
        for (int k = 1; k < 4; ++k) {
            hn::Store(even[k], d32, sums_[k] + x);
            hn::Store(odd[k], d32, sums_[k] + x + half);
        }
        const int shift = made_.filter.decimate_rows_shift();
        hn::Store(pack_pairs(hn::ShiftRightSame(even[0], shift), hn::ShiftRightSame(odd[0], shift)), D16(), line_ + x);
    }

    const PreparedDecimation& made_;
    const Band<T>& band_;
    int width_;
    int factor_;
    std::int32_t* sums_[4] = {};  ///< of the decimated rows group - 1 to group + 2
    std::int16_t* line_;
    T* black_;
    const T* rows_[8] = {};
};

/// Makes a row of p, of one component, of a row of t.
class ColumnDecimator {
public:
    template <class T>
    ColumnDecimator(const PreparedDecimation& made, const Band<T>& band, DecimatedSpan columns,
                    DecimationScratch& scratch)
        : made_(made),
          words_(made.filter.factor() / 2),
          step_(band.src.step),
          width_(band.src.width),
          black_(static_cast<std::int16_t>((band.black << made.filter.fraction_bits()) - 0x8000)),
          count_(round_up(columns.count)),
          begin_((columns.first - 2) * 2 * words_),
          from_(scratch.edges) {
        // All that stands in a line, and what the last vectors read after it.
        planar_size_ = count_ + column_unit();
        scratch.line.reserve(static_cast<std::size_t>(2 * words_ * (planar_size_ + 4)));
        scratch.planar.reserve(static_cast<std::size_t>(words_ * planar_size_));
        line_ = scratch.line.get();
        planar_ = scratch.planar.get();
        const int length = (columns.count + 3) * 2 * words_;
        from_.clear();
        for (int i = 0; i < length; ++i) {
            from_.push_back(border_index(begin_ + i, width_, band.border));
        }
    }

    void make(const std::int16_t* decimated, int component, std::uint16_t* to) {
        fill(decimated, component);
        const D32 d32;
        const int lanes = lanes16() / 2;
        for (int i = 0; i < planar_size_; i += lanes) {
            const auto* const words = reinterpret_cast<const std::int32_t*>(line_) + std::ptrdiff_t{words_} * i;
            V32 a;
            V32 b;
            V32 c;
            V32 d;
            if (words_ == 2) {
                hn::LoadInterleaved2(d32, words, a, b);
            } else {
                hn::LoadInterleaved4(d32, words, a, b, c, d);
                hn::Store(c, d32, planar_ + 2 * planar_size_ + i);
                hn::Store(d, d32, planar_ + 3 * planar_size_ + i);
            }
            hn::Store(a, d32, planar_ + i);
            hn::Store(b, d32, planar_ + planar_size_ + i);
        }
        const hn::Rebind<std::uint16_t, D32> half;
        for (int l = 0; l < count_; l += lanes) {
            V32 sum = hn::Set(d32, made_.decimate_columns_start());
            for (int chunk = 0; chunk < 4; ++chunk) {
                for (int w = 0; w < words_; ++w) {
                    const V32 pair = hn::LoadU(d32, planar_ + std::ptrdiff_t{w} * planar_size_ + l + chunk);
                    const auto tap = made_.spline_pairs[static_cast<std::size_t>(chunk * words_ + w)];
                    sum = dot_pairs(hn::BitCast(D16(), pair), broadcast_pair(tap), sum);
                }
            }
            sum = hn::ShiftRightSame(sum, made_.filter.decimate_columns_shift());
            hn::StoreU(hn::DemoteTo(half, sum), half, to + l);
        }
    }

private:
    // One component with what the border puts outside the picture.
    void fill(const std::int16_t* decimated, int component) {
        const auto length = static_cast<int>(from_.size());
        const int inside = std::min(std::max(-begin_, 0), length);
        const int beyond = std::max(inside, std::min(length, width_ - begin_));
        const auto edges = [&](int first, int last) {
            for (int i = first; i < last; ++i) {
                const int from = from_[static_cast<std::size_t>(i)];
                line_[i] = from < 0 ? black_ : decimated[from * step_ + component];
            }
        };
        edges(0, inside);
        const std::int16_t* const middle = decimated + std::ptrdiff_t{begin_ + inside} * step_ + component;
        for (int i = inside; i < beyond; ++i) {
            line_[i] = middle[(i - inside) * step_];
        }
        edges(beyond, length);
    }

    const PreparedDecimation& made_;
    int words_;  ///< pairs of samples from one decimated sample to the next
    int step_;
    int width_;
    std::int16_t black_;
    int count_;
    int begin_;  ///< the first sample of a line
    int planar_size_ = 0;
    std::vector<int>& from_;
    std::int16_t* line_ = nullptr;
    std::int32_t* planar_ = nullptr;
};

/// Interpolates along rows of q, less 2^15, and makes rows of results of four of them.
template <class T>
class Interpolator {
public:
    Interpolator(const PreparedDecimation& made, const Band<T>& band, DecimationScratch& scratch)
        : made_(made),
          band_(band),
          factor_(made.filter.factor()),
          columns_((band.src.width + factor_ - 1) / factor_),
          // Whole vectors of decimated samples, and of results.
          width_(round_up(round_up(columns_) * factor_ * band.src.step)) {
        scratch.words.reserve(static_cast<std::size_t>(round_up(columns_) + column_unit()));
        scratch.interpolated.reserve(4 * static_cast<std::size_t>(width_));
        scratch.component.reserve(static_cast<std::size_t>(round_up(columns_) * factor_));
        words_ = scratch.words.get();
        component_ = scratch.component.get();
        for (int i = 0; i < 4; ++i) {
            rows_[i] = scratch.interpolated.get() + std::ptrdiff_t{i} * width_;
        }
    }

    /// The next decimated row, from what the first results need on.
    void add(const std::uint16_t* const* components) {
        std::rotate(rows_, rows_ + 1, rows_ + 4);
        if (band_.src.step == 1) {
            interpolate(components[0], rows_[3]);
            return;
        }
        for (int i = 0; i < band_.src.step; ++i) {
            interpolate(components[i], component_);
            for (int x = 0; x < band_.src.width; ++x) {
                rows_[3][x * band_.src.step + i] = component_[x];
            }
        }
    }

    /// The results of a group, as far as they are the band's.
    void make(int group) const {
        const int first = std::max(group * factor_, band_.first) - group * factor_;
        const int last = std::min(group * factor_ + factor_, band_.last) - group * factor_;
        const D16 d16;
        const D32 d32;
        const int lanes = lanes16();
        const int samples = band_.src.samples();
        const int shift = made_.filter.interpolate_rows_shift();
        for (int x = 0; x < samples; x += lanes) {
            const Paired<V16> upper = pair_up(d16, hn::Load(d16, rows_[0] + x), hn::Load(d16, rows_[1] + x));
            const Paired<V16> lower = pair_up(d16, hn::Load(d16, rows_[2] + x), hn::Load(d16, rows_[3] + x));
            for (int r = first; r < last; ++r) {
                const V16 above = broadcast_pair(made_.interpolate_pairs[static_cast<std::size_t>(2 * r)]);
                const V16 below = broadcast_pair(made_.interpolate_pairs[static_cast<std::size_t>(2 * r) + 1]);
                const V32 start = hn::Set(d32, made_.interpolate_rows_start());
                const V32 even = dot_pairs(lower.even, below, dot_pairs(upper.even, above, start));
                const V32 odd = dot_pairs(lower.odd, below, dot_pairs(upper.odd, above, start));
                store(pack_pairs(hn::ShiftRightSame(even, shift), hn::ShiftRightSame(odd, shift)),
                      band_.dst.row(group * factor_ + r) + x, samples - x);
            }
        }
    }

private:
    void interpolate(const std::uint16_t* from, std::int16_t* to) {
        const D32 d32;
        const int lanes = lanes16() / 2;
        const int count = round_up(columns_);
        // Pairs of neighbours, each sample being in two.
        for (int l = 0; l < columns_ + 2; ++l) {
            words_[l] = static_cast<std::int32_t>((from[l] ^ 0x8000U) | (from[l + 1] ^ 0x8000U) << 16);
        }
        const int shift = made_.filter.interpolate_columns_shift();
        const auto two = [&](int l, int r) {
            const auto one = [&](int phase) {
                const auto* const taps = made_.interpolate_pairs.data() + std::ptrdiff_t{2} * phase;
                const V32 left = dot_pairs(hn::BitCast(D16(), hn::LoadU(d32, words_ + l)), broadcast_pair(taps[0]),
                                           hn::Set(d32, made_.interpolate_columns_start()));
                return hn::ShiftRightSame(
                    dot_pairs(hn::BitCast(D16(), hn::LoadU(d32, words_ + l + 2)), broadcast_pair(taps[1]), left),
                    shift);
            };
            return hn::BitCast(d32, pack_pairs(one(r), one(r + 1)));
        };
        for (int l = 0; l < count; l += lanes) {
            auto* const out = reinterpret_cast<std::int32_t*>(to) + std::ptrdiff_t{factor_ / 2} * l;
            if (factor_ == 4) {
                hn::StoreInterleaved2(two(l, 0), two(l, 2), d32, out);
            } else {
                hn::StoreInterleaved4(two(l, 0), two(l, 2), two(l, 4), two(l, 6), d32, out);
            }
        }
    }

    HWY_INLINE void store(V16 results, T* to, int count) const {
        if (HWY_LIKELY(count >= lanes16())) {
            store_all(results, to);
            return;
        }
        HWY_ALIGN T rest[HWY_MAX_BYTES / sizeof(std::int16_t)];
        store_all(results, rest);
        std::copy_n(rest, count, to);
    }
    HWY_INLINE void store_all(V16 results, std::uint8_t* to) const {
        const hn::Rebind<std::uint8_t, D16> d8;
        hn::StoreU(hn::DemoteTo(d8, results), d8, to);
    }
    HWY_INLINE void store_all(V16 results, std::uint16_t* to) const {
        const hn::RebindToUnsigned<D16> du;
        hn::StoreU(hn::ShiftLeftSame(hn::BitCast(du, results), band_.dst.lsb), du, to);
    }

    const PreparedDecimation& made_;
    const Band<T>& band_;
    int factor_;
    int columns_;
    int width_;
    std::int16_t* rows_[4] = {};
    std::int16_t* component_ = nullptr;
    std::int32_t* words_ = nullptr;
};

// `filter` is the band's, for the decimated picture.
template <class T, class Filter>
void filter_decimated(const PreparedDecimation& made, const Band<T>& band, const Filter& filter) {
    const DecimatedFilter& decimated = made.filter;
    DecimationScratch& scratch = decimation_scratch();
    const DecimatedSpan rows = decimated.span_of_decimated(band.first, band.last, decimated.inner.radius_y());
    const DecimatedSpan columns = decimated.span_of_decimated(0, band.src.width, decimated.inner.radius_x());
    const int step = band.src.step;
    const std::ptrdiff_t pitch = round_up(columns.count);
    const auto plane_size = static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows.count);
    scratch.pictures.reserve(2 * plane_size * static_cast<std::size_t>(step));
    const auto plane = [&](int component, int filtered) {
        return scratch.pictures.get() + static_cast<std::size_t>(2 * component + filtered) * plane_size;
    };
    RowDecimator<T> decimate_rows(made, band, scratch);
    ColumnDecimator decimate_columns(made, band, columns, scratch);
    for (int group = rows.first - 2; group <= rows.first + rows.count; ++group) {
        const std::int16_t* const decimated_row = decimate_rows.add(group);
        const int row = group - 1 - rows.first;
        for (int component = 0; row >= 0 && component < step; ++component) {
            decimate_columns.make(decimated_row, component, plane(component, 0) + row * pitch);
        }
    }
    const int radius = decimated.inner.radius_y();
    const int results = rows.count - 2 * radius;
    for (int component = 0; component < step; ++component) {
        const auto view = [&](int filtered) {
            return PlaneView<std::uint16_t>{plane(component, filtered), columns.count, rows.count,
                                            pitch * static_cast<std::ptrdiff_t>(sizeof(std::uint16_t))};
        };
        filter(made.inner, Band<std::uint16_t>{view(0), view(1), Border::replicate, 0, radius, radius + results,
                                               DecimatedFilter::inner_depth});
    }
    Interpolator<T> interpolator(made, band, scratch);
    const int first_group = rows.first + radius + 1;
    for (int i = 0; i < results; ++i) {
        const std::uint16_t* components[max_step];
        for (int component = 0; component < step; ++component) {
            components[component] = plane(component, 1) + (radius + i) * pitch + decimated.inner.radius_x();
        }
        interpolator.add(components);
        if (i >= 3) {
            interpolator.make(first_group + i - 3);
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
