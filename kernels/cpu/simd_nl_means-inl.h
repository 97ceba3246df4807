// Non-local means. Compiled once for each instruction set. A tile of the plane goes through four steps:
//
//     guide and pairs    the tile with what surrounds it: the guide's bytes, and each sample with its right neighbour
//     as
//                        a word
//     column sums        for each offset of one row of offsets: differences of the guide and their sums over a patch's
//                        rows, in bytes that saturate; saturating sums of parts are the saturated sum
//     weights            sums of those over a patch's columns, doubled, and taken from 255; of two offsets in turn
//     products           weights of two offsets times words, both at once, added up in 32 bits

#if defined(VFILTER_SIMD_NL_MEANS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_NL_MEANS_INL
#undef VFILTER_SIMD_NL_MEANS_INL
#else
#define VFILTER_SIMD_NL_MEANS_INL
#endif

#include <algorithm>

#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_nl_means_tile-inl.h"
#include "kernels/cpu/simd_pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

// Sums over a patch's rows of the differences between the guide and another picture's, or itself, (dx, dy) further.
template <int patch>
void sum_columns(const NlMeansTile& tile, const std::uint8_t* HWY_RESTRICT guide, const std::uint8_t* HWY_RESTRICT seen,
                 int dx, int dy, int rows, std::uint8_t* HWY_RESTRICT sums) {
    const DByte d8;
    const int lanes = static_cast<int>(hn::Lanes(d8));
    const std::ptrdiff_t pitch = tile.guide_pitch;
    const std::uint8_t* const own = guide + tile.search * (pitch + 1);
    const std::uint8_t* const other = seen + (tile.search + dy) * pitch + tile.search + dx;
    for (int x = 0; x < tile.sums_width; x += lanes) {
        // Of the rows that end with the last one, `two` and `four` of them; the same of one row before, and so on.
        VByte one_1 = hn::Zero(d8);
        VByte two_1 = hn::Zero(d8);
        VByte two_2 = hn::Zero(d8);
        VByte four_1 = hn::Zero(d8);
        VByte four_2 = hn::Zero(d8);
        VByte four_3 = hn::Zero(d8);
        VByte four_4 = hn::Zero(d8);
        VByte four_5 = hn::Zero(d8);
        const std::uint8_t* from = own + x;
        const std::uint8_t* from_other = other + x;
        std::uint8_t* to = sums + x;
        for (int y = 1 - patch; y < rows; ++y, from += pitch, from_other += pitch) {
            const VByte a = hn::LoadU(d8, from);
            const VByte b = hn::LoadU(d8, from_other);
            const VByte one = hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
            const VByte two = hn::SaturatedAdd(one_1, one);
            const VByte four = hn::SaturatedAdd(two_2, two);
            if (y >= 0) {
                VByte all = one;
                if constexpr (patch == 3) {
                    all = hn::SaturatedAdd(two_1, one);
                } else if constexpr (patch == 5) {
                    all = hn::SaturatedAdd(four_1, one);
                } else if constexpr (patch == 7) {
                    all = hn::SaturatedAdd(hn::SaturatedAdd(four_3, two_1), one);
                } else {
                    static_assert(patch == 9);
                    all = hn::SaturatedAdd(hn::SaturatedAdd(four_5, four_1), one);
                }
                hn::Store(all, d8, to);
                to += tile.sums_pitch;
            }
            one_1 = one;
            two_2 = two_1;
            two_1 = two;
            four_5 = four_4;
            four_4 = four_3;
            four_3 = four_2;
            four_2 = four_1;
            four_1 = four;
        }
    }
}

// 255 less the distance, for one vector of samples.
template <int patch>
HWY_INLINE VByte weights_of(const std::uint8_t* HWY_RESTRICT sums, int doublings) {
    const DByte d8;
    VByte distance = hn::SaturatedAdd(hn::LoadU(d8, sums), hn::LoadU(d8, sums + 1));
    for (int i = 2; i < patch; ++i) {
        distance = hn::SaturatedAdd(distance, hn::LoadU(d8, sums + i));
    }
    for (int i = 0; i < doublings; ++i) {
        distance = hn::SaturatedAdd(distance, distance);
    }
    return hn::Not(distance);
}

// Adds the products and weights of a row of offsets to one row of results.
template <int patch>
void add_row(const NlMeans& filter, const NlMeansTile& tile, int y, int dy, NlMeansScratch& scratch) {
    const DByte d8;
    const D16 d16;
    const D32 d32;
    const DWord du16;
    const hn::Rebind<std::uint8_t, D16> d8_half;
    const int lanes = static_cast<int>(hn::Lanes(d8));
    const int words = lanes / 4;
    std::uint8_t* const weights = scratch.weights.get();
    const std::ptrdiff_t of_offset = static_cast<std::ptrdiff_t>(tile.sums_of_offset());
    const std::uint8_t* const column_sums = scratch.column_sums.get() + std::ptrdiff_t{y} * tile.sums_pitch;
    const std::int32_t* const pairs =
        scratch.pairs.get() + static_cast<std::ptrdiff_t>(y + dy + tile.search) * tile.pairs_pitch;
    std::int32_t* const sums = scratch.sums.get() + std::ptrdiff_t{y} * tile.width;
    std::int32_t* const weight_sums = scratch.weight_sums.get() + std::ptrdiff_t{y} * tile.width;
    const int doublings = filter.doublings;
    for (int x = 0; x < tile.width; x += lanes) {
        V32 sum_0 = hn::Load(d32, sums + x);
        V32 sum_1 = hn::Load(d32, sums + x + words);
        V32 sum_2 = hn::Load(d32, sums + x + 2 * words);
        V32 sum_3 = hn::Load(d32, sums + x + 3 * words);
        V32 total_0 = hn::Load(d32, weight_sums + x);
        V32 total_1 = hn::Load(d32, weight_sums + x + words);
        V32 total_2 = hn::Load(d32, weight_sums + x + 2 * words);
        V32 total_3 = hn::Load(d32, weight_sums + x + 3 * words);
        const std::uint8_t* from = column_sums + x;
        const std::int32_t* samples = pairs + x;
        for (int i = 0; i <= 2 * tile.search; i += 2, from += 2 * of_offset, samples += 2) {
            const VByte first = weights_of<patch>(from, doublings);
            const VByte second = i < 2 * tile.search ? weights_of<patch>(from + of_offset, doublings) : hn::Zero(d8);
            hn::StoreInterleaved2(first, second, d8, weights);
            const auto add = [&](int part, V32& sum, V32& total) HWY_ATTR {
                const auto both = hn::PromoteTo(du16, hn::Load(d8_half, weights + part * (lanes / 2)));
                total = hn::BitCast(d32, hn::Add(hn::BitCast(du16, total), both));
                sum = dot_pairs(hn::BitCast(d16, both), hn::BitCast(d16, hn::LoadU(d32, samples + part * words)), sum);
            };
            add(0, sum_0, total_0);
            add(1, sum_1, total_1);
            add(2, sum_2, total_2);
            add(3, sum_3, total_3);
        }
        hn::Store(sum_0, d32, sums + x);
        hn::Store(sum_1, d32, sums + x + words);
        hn::Store(sum_2, d32, sums + x + 2 * words);
        hn::Store(sum_3, d32, sums + x + 3 * words);
        hn::Store(total_0, d32, weight_sums + x);
        hn::Store(total_1, d32, weight_sums + x + words);
        hn::Store(total_2, d32, weight_sums + x + 2 * words);
        hn::Store(total_3, d32, weight_sums + x + 3 * words);
    }
}

// The quotients, in place of the sums.
inline void divide(const NlMeansTile& tile, int rows, NlMeansScratch& scratch) {
    const D32 d32;
    const hn::RebindToFloat<D32> df;
    const auto count = static_cast<std::ptrdiff_t>(tile.width) * rows;
    const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d32));
    for (std::ptrdiff_t i = 0; i < count; i += lanes) {
        const V32 both = hn::Load(d32, scratch.weight_sums.get() + i);
        const V32 weights = hn::Add(hn::And(both, hn::Set(d32, 0xffff)), hn::ShiftRight<16>(both));
        const V32 sum = hn::Add(hn::Load(d32, scratch.sums.get() + i), hn::ShiftRight<1>(weights));
        // Off by one at most, which the remainder shows.
        V32 quotient = hn::ConvertTo(d32, hn::Floor(hn::Div(hn::ConvertTo(df, sum), hn::ConvertTo(df, weights))));
        const V32 rest = hn::Sub(sum, hn::Mul(quotient, weights));
        // A mask's lanes are -1.
        quotient = hn::Add(quotient, hn::VecFromMask(d32, hn::Lt(rest, hn::Zero(d32))));
        quotient = hn::Sub(quotient, hn::VecFromMask(d32, hn::Gt(rest, hn::Sub(weights, hn::Set(d32, 1)))));
        hn::Store(quotient, d32, scratch.sums.get() + i);
    }
}

// Adds what one picture gave to the sums of the window.
inline void gather(const NlMeansTile& tile, int rows, NlMeansScratch& scratch) {
    const auto count = static_cast<std::ptrdiff_t>(tile.width) * rows;
    const std::int32_t* HWY_RESTRICT const sums = scratch.sums.get();
    const std::int32_t* HWY_RESTRICT const weights = scratch.weight_sums.get();
    double* HWY_RESTRICT const all_sums = scratch.all_sums.get();
    std::int32_t* HWY_RESTRICT const all_weights = scratch.all_weights.get();
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        all_sums[i] += sums[i];
        all_weights[i] += (weights[i] & 0xffff) + (weights[i] >> 16 & 0xffff);
    }
}

// The quotients of the window's sums, in place of one picture's. Sums are below 2^40 and divisors below 2^20, so that
// the quotient of doubles is on the right side of every whole number.
inline void divide_all(const NlMeansTile& tile, int rows, int centre, NlMeansScratch& scratch) {
    const auto count = static_cast<std::ptrdiff_t>(tile.width) * rows;
    std::int32_t* HWY_RESTRICT const sums = scratch.sums.get();
    const double* HWY_RESTRICT const all_sums = scratch.all_sums.get();
    const std::int32_t* HWY_RESTRICT const all_weights = scratch.all_weights.get();
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        // Without the centre nothing is below 0, and cutting off the fraction rounds down.
        const double weights = all_weights[i];
        const double sum = all_sums[i] + weights * centre + (all_weights[i] >> 1);
        sums[i] = static_cast<std::int32_t>(sum / weights) - centre;
    }
}

template <int patch>
void add_picture(const NlMeans& filter, const NlMeansTile& tile, const std::uint8_t* seen, int rows,
                 NlMeansScratch& scratch) {
    std::fill_n(scratch.sums.get(), tile.results(), 0);
    std::fill_n(scratch.weight_sums.get(), tile.results(), 0);
    for (int dy = -tile.search; dy <= tile.search; ++dy) {
        for (int dx = -tile.search; dx <= tile.search; ++dx) {
            sum_columns<patch>(
                tile, scratch.guide.get(), seen, dx, dy, rows,
                scratch.column_sums.get() + static_cast<std::size_t>(dx + tile.search) * tile.sums_of_offset());
        }
        for (int y = 0; y < rows; ++y) {
            add_row<patch>(filter, tile, y, dy, scratch);
        }
    }
}

template <int patch, class T>
void filter_tile(const NlMeans& filter, const NlMeansTile& tile, const Band<T>& band, int component, int left, int top,
                 int columns, int rows, NlMeansScratch& scratch) {
    const int centre = band.depth == 16 ? 0x8000 : 0;
    fill_tile(filter, tile, band, band.src, component, left, top, columns, rows, scratch.guide.get(), scratch);
    add_picture<patch>(filter, tile, scratch.guide.get(), rows, scratch);
    if (!tile.time) {
        divide(tile, rows, scratch);
    } else {
        std::fill_n(scratch.all_sums.get(), tile.results(), 0.0);
        std::fill_n(scratch.all_weights.get(), tile.results(), 0);
        gather(tile, rows, scratch);
        for (const PlaneView<const T>& neighbour : band.neighbours) {
            std::uint8_t* const guide = scratch.other_guide.get();
            fill_tile(filter, tile, band, neighbour, component, left, top, columns, rows, guide, scratch);
            add_picture<patch>(filter, tile, guide, rows, scratch);
            gather(tile, rows, scratch);
        }
        divide_all(tile, rows, centre, scratch);
    }
    const int step = band.dst.step;
    const int lsb = band.dst.lsb;
    for (int y = 0; y < rows; ++y) {
        const std::int32_t* HWY_RESTRICT const from = scratch.sums.get() + std::ptrdiff_t{y} * tile.width;
        T* HWY_RESTRICT const to = band.dst.row(top + y) + std::ptrdiff_t{left} * step + component;
        if (step == 1) {
            for (int x = 0; x < columns; ++x) {
                to[x] = static_cast<T>((from[x] + centre) << lsb);
            }
        } else {
            for (int x = 0; x < columns; ++x) {
                to[x * step] = static_cast<T>((from[x] + centre) << lsb);
            }
        }
    }
}

template <class T>
void filter_band(const NlMeans& filter, const Band<T>& band) {
    const auto run = filter.patch == 3   ? filter_tile<3, T>
                     : filter.patch == 5 ? filter_tile<5, T>
                     : filter.patch == 7 ? filter_tile<7, T>
                                         : filter_tile<9, T>;
    const int columns = std::min(nl_means_columns, band.src.width);
    const int rows = std::min(nl_means_rows, band.last - band.first);
    const NlMeansTile tile(filter, columns, rows);
    NlMeansScratch& scratch = nl_means_scratch();
    tile.reserve(scratch);
    for (int component = 0; component < band.src.step; ++component) {
        for (int top = band.first; top < band.last; top += rows) {
            for (int left = 0; left < band.src.width; left += columns) {
                run(filter, tile, band, component, left, top, std::min(columns, band.src.width - left),
                    std::min(rows, band.last - top), scratch);
            }
        }
    }
}

#else

template <class T>
void filter_band(const NlMeans& filter, const Band<T>& band) {
    filter_scalar(filter, band);
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // VFILTER_SIMD_NL_MEANS_INL
