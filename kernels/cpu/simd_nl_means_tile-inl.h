// What non-local means reads: a tile of a picture with what surrounds it. Compiled once for each instruction set.

#if defined(VFILTER_SIMD_NL_MEANS_TILE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_NL_MEANS_TILE_INL
#undef VFILTER_SIMD_NL_MEANS_TILE_INL
#else
#define VFILTER_SIMD_NL_MEANS_TILE_INL
#endif

#include <algorithm>

#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

using DByte = hn::Repartition<std::uint8_t, D16>;
using VByte = hn::VFromD<DByte>;

HWY_INLINE int round_up_to_bytes(int count) {
    return vfilter::round_up(count, static_cast<int>(hn::Lanes(DByte())));
}

// The size of a tile's buffers: vectors are read and written whole.
struct NlMeansTile {
    NlMeansTile(const NlMeans& filter, int columns, int rows)
        : patch(filter.patch_radius()),
          search(filter.search_radius()),
          width(round_up_to_bytes(columns)),
          height(rows),
          sums_width(round_up_to_bytes(width + 2 * patch)),
          guide_pitch(round_up_to_bytes(sums_width + 2 * search)),
          pairs_pitch(round_up_to_bytes(width + 2 * search)),
          sums_pitch(sums_width + round_up_to_bytes(1)),
          time(filter.time.neighbours() > 0) {}

    int patch;
    int search;
    int width;  // of the results
    int height;
    int sums_width;  // columns of which there are column sums
    int guide_pitch;
    int pairs_pitch;
    int sums_pitch;
    bool time;  // whether there are other pictures

    [[nodiscard]] std::size_t sums_of_offset() const {
        return static_cast<std::size_t>(sums_pitch) * static_cast<std::size_t>(height);
    }
    [[nodiscard]] std::size_t results() const {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    }
    void reserve(NlMeansScratch& scratch) const {
        const auto size = [](int pitch, int rows) {
            return static_cast<std::size_t>(pitch) * static_cast<std::size_t>(rows);
        };
        scratch.guide.reserve(size(guide_pitch, height + 2 * (patch + search)));
        scratch.pairs.reserve(size(pairs_pitch, height + 2 * search));
        scratch.line.reserve(size(guide_pitch + 1, 1));
        scratch.column_sums.reserve(sums_of_offset() * static_cast<std::size_t>(2 * search + 1));
        scratch.weights.reserve(size(round_up_to_bytes(1), 2));
        scratch.sums.reserve(results());
        scratch.weight_sums.reserve(results());
        scratch.all_sums.reserve(time ? results() : 0);
        scratch.all_weights.reserve(time ? results() : 0);
        scratch.other_guide.reserve(time ? size(guide_pitch, height + 2 * (patch + search)) : 0);
    }
};

// The samples of one component from column `left` on, bit 0 first, 16-bit ones less 2^15, as products are signed.
template <class T>
void copy_line(const Band<T>& band, const PlaneView<const T>& src, int component, int y, int left, int count,
               std::int16_t* HWY_RESTRICT line) {
    const int centre = band.depth == 16 ? 0x8000 : 0;
    const int mask = band.max_value();
    const int row = border_index(y, src.height, band.border);
    if (row < 0) {
        std::fill_n(line, count, static_cast<std::int16_t>(band.black - centre));
        return;
    }
    const T* HWY_RESTRICT const from = src.row(row) + component;
    const int begin = std::clamp(-left, 0, count);
    const int end = std::clamp(src.width - left, begin, count);
    const auto outside = [&](int i) {
        const int column = border_index(left + i, src.width, band.border);
        line[i] =
            static_cast<std::int16_t>((column < 0 ? band.black : (from[column * src.step] >> src.lsb) & mask) - centre);
    };
    for (int i = 0; i < begin; ++i) {
        outside(i);
    }
    const int step = src.step;
    const int lsb = src.lsb;
    const T* HWY_RESTRICT const inside = from + std::ptrdiff_t{left} * step;
    if (step == 1) {
        for (int i = begin; i < end; ++i) {
            line[i] = static_cast<std::int16_t>(((inside[i] >> lsb) & mask) - centre);
        }
    } else {
        for (int i = begin; i < end; ++i) {
            line[i] = static_cast<std::int16_t>(((inside[i * step] >> lsb) & mask) - centre);
        }
    }
    for (int i = end; i < count; ++i) {
        outside(i);
    }
}

// Guide and pairs of the tile whose first result is at (left, top), in one picture of the window.
template <class T>
void fill_tile(const NlMeans& filter, const NlMeansTile& tile, const Band<T>& band, const PlaneView<const T>& src,
               int component, int left, int top, int columns, int rows, std::uint8_t* of_picture,
               NlMeansScratch& scratch) {
    const int reach = tile.patch + tile.search;
    const int count = columns + 2 * reach;
    const int centre = band.depth == 16 ? 0x8000 : 0;
    const int shift = filter.depth - 8;
    const int mul = filter.mul;
    std::int16_t* HWY_RESTRICT const line = scratch.line.get();
    for (int y = -reach; y < rows + reach; ++y) {
        copy_line(band, src, component, top + y, left - reach, count, line);
        std::uint8_t* HWY_RESTRICT const guide = of_picture + static_cast<std::ptrdiff_t>(y + reach) * tile.guide_pitch;
        for (int i = 0; i < count; ++i) {
            guide[i] = static_cast<std::uint8_t>((((line[i] + centre) >> shift) * mul) >> 8);
        }
        if (y >= -tile.search && y < rows + tile.search) {
            std::int32_t* HWY_RESTRICT const pairs =
                scratch.pairs.get() + static_cast<std::ptrdiff_t>(y + tile.search) * tile.pairs_pitch;
            const std::int16_t* HWY_RESTRICT const own = line + tile.patch;
            for (int i = 0; i < columns + 2 * tile.search; ++i) {
                pairs[i] = static_cast<std::int32_t>(static_cast<std::uint16_t>(own[i]) |
                                                     static_cast<std::uint32_t>(own[i + 1]) << 16);
            }
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
