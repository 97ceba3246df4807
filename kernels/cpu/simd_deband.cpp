// Debanding. A row has four places to look at, so that all four results are made of whole vectors, and each sample
// takes one of them: nothing is gathered.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/simd_deband.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <array>
#include <vector>

#include "kernels/cpu/simd_operations.h"
#include "kernels/cpu/simd_rank_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR
template <class T>
void smooth_bands(const Deband& deband, const Band<T>& band) {
    filter_scalar(deband, band);
}
#else

template <class T>
using DSample = hn::Repartition<T, D16>;
template <class T>
using VSample = hn::VFromD<DSample<T> >;

/// From the samples of a line to unsigned ones, and back.
HWY_INLINE VSample<std::uint8_t> flipped(VSample<std::uint8_t> samples, const Band<std::uint8_t>& /*band*/) {
    return samples;
}
HWY_INLINE VSample<std::uint16_t> flipped(VSample<std::uint16_t> samples, const Band<std::uint16_t>& band) {
    return hn::Xor(samples, hn::Set(DWord(), static_cast<std::uint16_t>(band.depth == 16 ? 0x8000 : 0)));
}

/// What the arithmetic has of a Deband.
template <class T>
struct DebandVectors {
    VSample<T> threshold;
    bool blur;
};

/// (the sum of the four + added) >> 2, the upper bits and the lower two of each by themselves, as the sum may not fit.
template <class T>
struct FourSums {
    VSample<T> quarters;
    VSample<T> rest;

    HWY_INLINE FourSums(VSample<T> a, VSample<T> b, VSample<T> c, VSample<T> d) {
        const VSample<T> three = hn::Set(DSample<T>(), T{3});
        quarters = hn::Add(hn::Add(hn::ShiftRight<2>(a), hn::ShiftRight<2>(b)),
                           hn::Add(hn::ShiftRight<2>(c), hn::ShiftRight<2>(d)));
        rest = hn::Add(hn::Add(hn::And(a, three), hn::And(b, three)), hn::Add(hn::And(c, three), hn::And(d, three)));
    }
    HWY_INLINE VSample<T> mean(VSample<T> added) const {
        return hn::Add(quarters, hn::ShiftRight<2>(hn::Add(rest, added)));
    }
};

template <class T>
HWY_INLINE VSample<T> smoothed(const DebandVectors<T>& deband, VSample<T> own, VSample<T> a, VSample<T> b, VSample<T> c,
                               VSample<T> d, VSample<T> added) {
    const DSample<T> du;
    const FourSums<T> sums(a, b, c, d);
    VSample<T> least = hn::Min(hn::Min(a, b), hn::Min(c, d));
    VSample<T> most = hn::Max(hn::Max(a, b), hn::Max(c, d));
    if (deband.blur) {
        least = most = sums.mean(hn::Set(du, T{2}));
    }
    const VSample<T> away = hn::Or(hn::SaturatedSub(hn::SaturatedSub(most, own), deband.threshold),
                                   hn::SaturatedSub(hn::SaturatedSub(own, least), deband.threshold));
    return hn::IfThenElse(hn::Eq(away, hn::Zero(du)), sums.mean(added), own);
}

/// What depends on the place in one row, sample by sample, for a period and as far as a vector may reach behind it.
template <class T>
class RowPattern {
public:
    explicit RowPattern(int step)
        : step_(step),
          period_(deband_period * step),
          choices_(static_cast<std::size_t>(period_ + line_lanes<T>())),
          added_(choices_.size()) {}

    void set(const Deband& deband, int y) {
        for (std::size_t i = 0; i < choices_.size(); ++i) {
            const int pixel = static_cast<int>(i) / step_;
            choices_[i] = static_cast<T>(Deband::choice(pixel, y));
            added_[i] = static_cast<T>(deband.added(pixel, y));
        }
    }
    HWY_INLINE VSample<T> choices(int x) const { return hn::LoadU(DSample<T>(), choices_.data() + x % period_); }
    HWY_INLINE VSample<T> added(int x) const { return hn::LoadU(DSample<T>(), added_.data() + x % period_); }

private:
    int step_;
    int period_;
    std::vector<T> choices_;
    std::vector<T> added_;
};

template <class T>
void smooth_bands(const Deband& deband, const Band<T>& band) {
    const DSample<T> du;
    const int step = band.src.step;
    const int samples = band.src.samples();
    const int lanes = line_lanes<T>();
    const DebandVectors<T> vectors{hn::Set(du, static_cast<T>(deband.threshold)), deband.blur};
    LineRing<T> ring(band, deband.radius_x * step, 2 * deband.radius_y + 1, thread_scratch());
    RowPattern<T> pattern(step);
    std::array<std::array<const Line<T>*, 4>, deband_places> around{};
    for (int y = band.first; y < band.last; ++y) {
        pattern.set(deband, y);
        for (int n = 0; n < deband_places; ++n) {
            const Deband::Place place = deband.place(n, y);
            const Line<T>* const above = ring.row(y - place.y);
            const Line<T>* const below = ring.row(y + place.y);
            const int along = place.x * step;
            around[static_cast<std::size_t>(n)] = {above - along, above + along, below - along, below + along};
        }
        const Line<T>* const middle = ring.row(y);
        for (int x = 0; x < samples; x += lanes) {
            const auto load = [&](const Line<T>* line)
                                  HWY_ATTR { return flipped(hn::BitCast(du, hn::LoadU(DLine<T>(), line + x)), band); };
            const VSample<T> own = load(middle);
            const VSample<T> choices = pattern.choices(x);
            const VSample<T> added = pattern.added(x);
            VSample<T> made = own;
            for (int n = 0; n < deband_places; ++n) {
                const auto& lines = around[static_cast<std::size_t>(n)];
                const VSample<T> result =
                    smoothed<T>(vectors, own, load(lines[0]), load(lines[1]), load(lines[2]), load(lines[3]), added);
                made = hn::IfThenElse(hn::Eq(choices, hn::Set(du, static_cast<T>(n))), result, made);
            }
            store_line<T>(hn::BitCast(DLine<T>(), flipped(made, band)), band, band.dst.row(y) + x, samples - x);
        }
    }
}

#endif  // HWY_TARGET

void smooth(const Deband& deband, const AnyBand& any) {
    std::visit([&](const auto& band) { smooth_bands(deband, band.get()); }, any);
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace vfilter::simd {
HWY_EXPORT(smooth);

void filter_band(const Deband& deband, const AnyBand& band) {
    HWY_DYNAMIC_DISPATCH(smooth)(deband, band);
}

}  // namespace vfilter::simd
#endif
