// Medians of any window, bit by bit: the result has a bit if no more samples than its rank are below the value that has
// it and the bits found before. Compiled once for each instruction set.

#if defined(VFILTER_SIMD_RANK_COUNT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_RANK_COUNT_INL
#undef VFILTER_SIMD_RANK_COUNT_INL
#else
#define VFILTER_SIMD_RANK_COUNT_INL
#endif

#include "kernels/cpu/simd_rank_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

template <class T>
void filter_by_counting(const MedianFilter& median, const Band<T>& band, Scratch& scratch) {
    using D = hn::RebindToSigned<DLine<T>>;  // instruction sets compare signed numbers
    using Number = hn::TFromD<D>;
    const D d;
    const int step = band.src.step;
    const int samples = band.src.samples();
    const int lanes = line_lanes<T>();
    // Bytes are made signed here; lines of 16 bits are.
    const auto flip = hn::Set(d, static_cast<Number>(sizeof(T) == 1 ? 0x80 : 0));
    const auto lowest = hn::Set(d, sizeof(T) == 1 || band.depth == 16 ? std::numeric_limits<Number>::min() : Number{0});
    const auto nothing = hn::Set(d, std::numeric_limits<Number>::min());
    const auto rank = hn::Set(d, static_cast<Number>(std::numeric_limits<Number>::min() + median.rank()));
    LineRing<T> ring(band, median.radius_x * step, median.height(), scratch);
    std::vector<const Line<T>*> rows(static_cast<std::size_t>(median.height()));
    for (int y = band.first; y < band.last; ++y) {
        for (int j = 0; j < median.height(); ++j) {
            rows[static_cast<std::size_t>(j)] = ring.row(y + j - median.radius_y);
        }
        for (int x = 0; x < samples; x += 2 * lanes) {
            auto found0 = lowest;
            auto found1 = lowest;
            for (int bit = band.depth - 1; bit >= 0; --bit) {
                const auto more = hn::Set(d, static_cast<Number>(1 << bit));
                const auto tried0 = hn::Add(found0, more);
                const auto tried1 = hn::Add(found1, more);
                auto below0 = nothing;
                auto below1 = nothing;
                for (int j = 0; j < median.height(); ++j) {
                    const int reach = median.reach_in_row(j - median.radius_y);
                    const Line<T>* at = rows[static_cast<std::size_t>(j)] + x - reach * step;
                    for (int i = -reach; i <= reach; ++i, at += step) {
                        const auto sample0 = hn::Xor(hn::BitCast(d, hn::LoadU(DLine<T>(), at)), flip);
                        const auto sample1 = hn::Xor(hn::BitCast(d, hn::LoadU(DLine<T>(), at + lanes)), flip);
                        below0 = hn::Sub(below0, hn::VecFromMask(d, hn::Lt(sample0, tried0)));
                        below1 = hn::Sub(below1, hn::VecFromMask(d, hn::Lt(sample1, tried1)));
                    }
                }
                found0 = hn::IfThenElse(hn::Gt(below0, rank), found0, tried0);
                found1 = hn::IfThenElse(hn::Gt(below1, rank), found1, tried1);
            }
            T* const to = band.dst.row(y) + x;
            store_line<T>(hn::BitCast(DLine<T>(), hn::Xor(found0, flip)), band, to, samples - x);
            if (x + lanes < samples) {
                store_line<T>(hn::BitCast(DLine<T>(), hn::Xor(found1, flip)), band, to + lanes, samples - x - lanes);
            }
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
