// Sums of terms in 64 bits: int64 arithmetic, and magnitudes of deep samples. Compiled once for each instruction set:
// plain loops, a block of rows and columns at a time, of which the compiler makes vectors.

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
    line.resize(static_cast<std::size_t>(block.width + 2 * radius * src.step));
    for (std::size_t i = 0; i < line.size(); ++i) {
        // Counted from `radius` pixels before the picture, so that it is not negative.
        const int at = block.left + static_cast<int>(i);
        const int from = border_index(at / src.step - radius, src.width, band.border);
        line[i] = from < 0 || row < 0 ? band.black
                                      : (src.row(row)[from * src.step + at % src.step] >> src.lsb) & band.max_value();
    }
}

// The intermediate samples of one row; `sums` has room for the row.
inline void row_pass(const Term& term, const std::vector<int>& line, int step, int width, std::int64_t* sums,
                     std::int32_t* mid) {
    std::fill_n(sums, width, half(term.row_shift));
    for (std::size_t j = 0; j < term.rows.size(); ++j) {
        const std::int64_t tap = term.rows[j];
        const int* const from = line.data() + static_cast<std::ptrdiff_t>(j) * step;
        for (int x = 0; x < width; ++x) {
            sums[x] += tap * from[x];
        }
    }
    for (int x = 0; x < width; ++x) {
        mid[x] = static_cast<std::int32_t>((sums[x] >> term.row_shift) - term.centre);
    }
}

// Adds one term's v to `sums`, for all rows of a block.
inline void column_pass(const Term& term, const Block& block, const std::int32_t* mid, std::int64_t* sums) {
    const std::int64_t start = term.centre_sum();
    for (int y = 0; y < block.height; ++y) {
        std::int64_t* const row = sums + std::ptrdiff_t{y} * block.width;
        for (int x = 0; x < block.width; ++x) {
            row[x] += start;
        }
        for (std::size_t j = 0; j < term.columns.size(); ++j) {
            const std::int64_t tap = term.columns[j];
            const std::int32_t* const from = mid + (static_cast<std::ptrdiff_t>(j) + y) * block.width;
            for (int x = 0; tap != 0 && x < block.width; ++x) {
                row[x] += tap * from[x];
            }
        }
    }
}

template <class T>
void sum_block(const LinearFilter& filter, const Band<T>& band, const Block& block, Scratch& scratch) {
    const bool squares = filter.finish.combine == Combine::magnitude;
    scratch.sums.assign(static_cast<std::size_t>(2 * block.count()), 0);
    std::int64_t* const totals = scratch.sums.data();
    std::int64_t* const own = totals + block.count();
    for (const Term& term : filter.terms) {
        const int rows = block.height + 2 * term.radius_y();
        scratch.mid.resize(static_cast<std::size_t>(block.width * rows));
        for (int row = 0; row < rows; ++row) {
            gather(band, block, block.top + row - term.radius_y(), term.radius_x(), scratch.edges);
            row_pass(term, scratch.edges, band.src.step, block.width, own,
                     scratch.mid.data() + std::ptrdiff_t{row} * block.width);
        }
        if (!squares) {
            column_pass(term, block, scratch.mid.data(), totals);
            continue;
        }
        std::fill_n(own, block.count(), 0);
        column_pass(term, block, scratch.mid.data(), own);
        for (int i = 0; i < block.count(); ++i) {
            totals[i] += filter.square(own[i]);
        }
    }
    for (int y = 0; y < block.height; ++y) {
        const T* const from = band.src.row(block.top + y) + block.left;
        T* const to = band.dst.row(block.top + y) + block.left;
        for (int x = 0; x < block.width; ++x) {
            const std::int64_t sample = (from[x] >> band.src.lsb) & band.max_value();
            to[x] = static_cast<T>(filter.result(totals[y * block.width + x], sample) << band.dst.lsb);
        }
    }
}

template <class T>
void filter_int64(const LinearFilter& filter, const Band<T>& band) {
    const int samples = band.src.samples();
    for (int top = band.first; top < band.last; top += Block::max_rows) {
        for (int left = 0; left < samples; left += Block::max_columns) {
            const Block block{top, std::min(Block::max_rows, band.last - top), left,
                              std::min(Block::max_columns, samples - left)};
            sum_block(filter, band, block, thread_scratch());
        }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
