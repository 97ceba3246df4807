// Rows as they are, with what the border puts on either side: what medians read. Compiled once for each instruction
// set.

#if defined(VFILTER_SIMD_RANK_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_RANK_LINES_INL
#undef VFILTER_SIMD_RANK_LINES_INL
#else
#define VFILTER_SIMD_RANK_LINES_INL
#endif

#include <limits>
#include <vector>

#include "kernels/cpu/simd_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

/// Vectors of samples as they stand in a line.
template <class T>
using DLine = hn::Repartition<Line<T>, D16>;
template <class T>
using VLine = hn::VFromD<DLine<T>>;

template <class T>
HWY_INLINE int line_lanes() {
    return static_cast<int>(hn::Lanes(DLine<T>()));
}

/// Vectors of which more than the samples of a row are read and made.
inline constexpr int spare_vectors = 4;

/// The last `count` rows that were asked for, each as a line that begins `radius` samples before the picture and ends
/// as many behind it. What follows may be read, and means nothing.
template <class T>
class LineRing {
public:
    LineRing(const Band<T>& band, int radius, int count, Scratch& scratch)
        : band_(band), radius_(radius), count_(count), rows_(static_cast<std::size_t>(count), no_row) {
        const int unit = line_lanes<T>();
        pitch_ = (band.src.samples() + 2 * radius + unit - 1) / unit * unit + spare_vectors * unit;
        scratch.lines.reserve(static_cast<std::size_t>(count) * static_cast<std::size_t>(pitch_) * sizeof(Line<T>));
        lines_ = reinterpret_cast<Line<T>*>(scratch.lines.get());
    }

    /// The place of sample 0 of that row, of the picture or its border.
    const Line<T>* row(int y) {
        const int slot = ((y % count_) + count_) % count_;
        Line<T>* const line = lines_ + std::ptrdiff_t{slot} * pitch_ + radius_;
        if (int& there = rows_[static_cast<std::size_t>(slot)]; there != y) {
            there = y;
            fill(y, line);
        }
        return line;
    }

private:
    static constexpr int no_row = std::numeric_limits<int>::min();

    void fill(int y, Line<T>* line) const {
        const PlaneView<const T>& src = band_.src;
        const int samples = src.samples();
        const int row = border_index(y, src.height, band_.border);
        const auto outside = static_cast<Line<T>>(band_.black ^ (band_.depth == 16 ? 0x8000 : 0));
        if (row < 0) {
            std::fill_n(line - radius_, samples + 2 * radius_, outside);
            return;
        }
        const T* const from = src.row(row);
        copy_samples(from, samples, band_, line);
        for (int component = 0; component < src.step; ++component) {
            const auto outer = [&](int pixel) {
                const int inside = border_index(pixel, src.width, band_.border);
                line[pixel * src.step + component] =
                    inside < 0 ? outside : line_sample(from[inside * src.step + component], band_);
            };
            for (int i = 1; i <= radius_ / src.step; ++i) {
                outer(-i);
                outer(src.width - 1 + i);
            }
        }
    }

    const Band<T>& band_;
    int radius_;
    int count_;
    int pitch_ = 0;
    Line<T>* lines_ = nullptr;
    std::vector<int> rows_;
};

HWY_INLINE void store_samples(VLine<std::uint8_t> samples, const Band<std::uint8_t>& /*band*/, std::uint8_t* to) {
    hn::StoreU(samples, DLine<std::uint8_t>(), to);
}
HWY_INLINE void store_samples(VLine<std::uint16_t> samples, const Band<std::uint16_t>& band, std::uint16_t* to) {
    const DWord du;
    const auto centre = hn::Set(du, static_cast<std::uint16_t>(band.depth == 16 ? 0x8000 : 0));
    hn::StoreU(hn::ShiftLeftSame(hn::Xor(hn::BitCast(du, samples), centre), band.dst.lsb), du, to);
}

/// The first `count` of a vector of samples, to where they are stored.
template <class T>
HWY_INLINE void store_line(VLine<T> samples, const Band<T>& band, T* to, int count) {
    if (HWY_LIKELY(count >= line_lanes<T>())) {
        store_samples(samples, band, to);
        return;
    }
    HWY_ALIGN T rest[HWY_MAX_BYTES / sizeof(T)];
    store_samples(samples, band, rest);
    std::memcpy(to, rest, static_cast<std::size_t>(count) * sizeof(T));
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
