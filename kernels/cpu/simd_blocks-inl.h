// Pixelation and fill. Compiled once for each instruction set: plain loops, of which the compiler makes vectors.

#if defined(VFILTER_SIMD_BLOCKS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_BLOCKS_INL
#undef VFILTER_SIMD_BLOCKS_INL
#else
#define VFILTER_SIMD_BLOCKS_INL
#endif

#include "kernels/cpu/simd_band.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {

// Sums of the columns of rows [top, bottom), which are a row of blocks.
template <class T>
void sum_columns(const Pixelation& pixelation, const PlaneView<const T>& src, int top, int bottom,
                 std::uint32_t* HWY_RESTRICT sums) {
    const int samples = src.samples();
    const int lsb = src.lsb;
    const auto mask = static_cast<unsigned>(pixelation.max_value());
    std::fill_n(sums, samples, 0U);
    for (int y = top; y < bottom; ++y) {
        const T* HWY_RESTRICT const row = src.row(y);
        for (int x = 0; x < samples; ++x) {
            sums[x] += (static_cast<unsigned>(row[x]) >> lsb) & mask;
        }
    }
}

template <class T>
void filter_band(const Pixelation& pixelation, const Band<T>& band) {
    const PlaneView<const T>& src = band.src;
    const BlockGrid& columns = pixelation.columns;
    const BlockGrid& rows = pixelation.rows;
    const int step = src.step;
    Store<std::uint32_t>& sums = thread_column_sums();
    sums.reserve(static_cast<std::size_t>(src.samples()));
    for (int y = band.first; y < band.last;) {
        const int top = rows.begin(rows.block_of(y));
        const int next = rows.begin(rows.block_of(y) + 1);
        const int bottom = std::min(next, src.height);
        sum_columns(pixelation, src, top, bottom, sums.get());
        T* const first_row = band.dst.row(y);
        for (int left = 0; left < src.width;) {
            const int right = std::min(columns.begin(columns.block_of(left) + 1), src.width);
            const std::uint64_t count = static_cast<std::uint64_t>(bottom - top) * static_cast<unsigned>(right - left);
            for (int component = 0; component < step; ++component) {
                std::uint64_t sum = 0;
                for (int x = left; x < right; ++x) {
                    sum += sums.get()[x * step + component];
                }
                const auto mean = static_cast<T>(Pixelation::mean(sum, count) << band.dst.lsb);
                for (int x = left; x < right; ++x) {
                    first_row[x * step + component] = mean;
                }
            }
            left = right;
        }
        for (++y; y < std::min(bottom, band.last); ++y) {
            std::copy_n(first_row, src.samples(), band.dst.row(y));
        }
    }
}

template <class T>
void filter_band(const Fill& fill, const Band<T>& band) {
    const PlaneView<T>& dst = band.dst;
    if (band.first >= band.last) {
        return;
    }
    T* const first_row = dst.row(band.first);
    for (int component = 0; component < dst.step; ++component) {
        const auto value = static_cast<T>(fill.value(component, dst.step) << dst.lsb);
        for (int x = component; x < dst.samples(); x += dst.step) {
            first_row[x] = value;
        }
    }
    for (int y = band.first + 1; y < band.last; ++y) {
        std::copy_n(first_row, dst.samples(), dst.row(y));
    }
}

}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // VFILTER_SIMD_BLOCKS_INL
