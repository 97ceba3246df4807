// Source rows, with what the border puts on either side of them. Compiled once for each instruction set.

#if defined(VFILTER_SIMD_LINES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_LINES_INL
#undef VFILTER_SIMD_LINES_INL
#else
#define VFILTER_SIMD_LINES_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "kernels/cpu/simd_band.h"
#include "kernels/cpu/simd_interleaved-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::ScalableTag<std::int16_t>;
using D32 = hn::RepartitionToWide<D16>;
using DWord = hn::RebindToUnsigned<D16>;
using V16 = hn::VFromD<D16>;
using VWord = hn::VFromD<DWord>;
using V32 = hn::VFromD<D32>;

HWY_INLINE int lanes16() {
    return static_cast<int>(hn::Lanes(D16()));
}

/// Columns up to which the passes round up: they work on whole blocks and read and write beyond the last column.
HWY_INLINE int column_unit() {
    return 2 * lanes16();
}
HWY_INLINE int round_up(int columns) {
    return (columns + column_unit() - 1) / column_unit() * column_unit();
}

// A sample as it stands in a line: bytes as they are; wider ones moved to bit 0, cleaned, and of 16 bits centred on
// zero, as multiplications are signed.
template <class T>
struct LineOf;
template <>
struct LineOf<std::uint8_t> {
    using type = std::uint8_t;
};
template <>
struct LineOf<std::uint16_t> {
    using type = std::int16_t;
};
template <class T>
using Line = typename LineOf<T>::type;

inline std::uint8_t line_sample(std::uint8_t stored, const Band<std::uint8_t>& /*band*/) {
    return stored;
}

inline std::int16_t line_sample(std::uint16_t stored, const Band<std::uint16_t>& band) {
    return static_cast<std::int16_t>(((stored >> band.src.lsb) & band.max_value()) ^ (band.depth == 16 ? 0x8000 : 0));
}

inline void copy_samples(const std::uint8_t* from, int count, const Band<std::uint8_t>& /*band*/, std::uint8_t* line) {
    std::memcpy(line, from, static_cast<std::size_t>(count));
}

inline void copy_samples(const std::uint16_t* from, int count, const Band<std::uint16_t>& band, std::int16_t* line) {
    const hn::RebindToUnsigned<D16> du;
    const int lanes = lanes16();
    const auto mask = hn::Set(du, static_cast<std::uint16_t>(band.max_value()));
    const auto centre = hn::Set(du, static_cast<std::uint16_t>(band.depth == 16 ? 0x8000 : 0));
    const auto move = [&](int x) {
        const auto sample = hn::And(hn::ShiftRightSame(hn::LoadU(du, from + x), band.src.lsb), mask);
        hn::StoreU(hn::BitCast(D16(), hn::Xor(sample, centre)), D16(), line + x);
    };
    int x = 0;
    for (; x + lanes <= count; x += lanes) {
        move(x);
    }
    if (x < count && count >= lanes) {
        move(count - lanes);  // the last whole vector, overlapping
        x = count;
    }
    for (; x < count; ++x) {
        line[x] = line_sample(from[x], band);
    }
}

/// Vectors of pairs of samples: of those at the even places of two vectors, and of those at the odd ones.
template <class V>
struct Paired {
    V even, odd;
};

template <class D, class V = hn::VFromD<D>>
HWY_INLINE Paired<V> pair_up(D d, V first, V second) {
    constexpr int bits = 8 * sizeof(hn::TFromD<D>);
    const hn::RebindToUnsigned<hn::RepartitionToWide<D>> pairs;
    return {hn::OddEven(hn::BitCast(d, hn::ShiftLeft<bits>(hn::BitCast(pairs, second))), first),
            hn::OddEven(second, hn::BitCast(d, hn::ShiftRight<bits>(hn::BitCast(pairs, first))))};
}

/// Asks for the cache line of samples that are read, or, where T is not const, written a little later. Those of a row
/// are asked for one by one while another row is worked on: all at once they hold up what is read meanwhile, as a core
/// waits for few lines at a time.
template <class T>
HWY_INLINE void fetch(T* samples) {
    __builtin_prefetch(samples, std::is_const_v<T> ? 0 : 1);
}

/// How a pass reads a row.
enum class Reading {
    apart,  ///< components one after the other; bytes of one where they are, but for what is near the picture's sides
    in_place,  ///< the samples as they are, likewise, for bytes of any number of components, or deeper ones of one; who
               ///< reads fetches
    raw,       ///< as `in_place`; 16-bit samples of one component as they are stored, where raw() says so
    copied,    ///< through a buffer, whatever they are
};

/// Of an intermediate row of a strip, whose components are apart.
HWY_INLINE int slot_columns(int columns, int step) {
    return step * round_up(columns / step);
}

/// Gives the row pass its input over one strip, some rows at a time.
template <class T>
class StripLines {
public:
    /// `radius` and `columns` are samples of all components.
    StripLines(const Band<T>& band, int left, int columns, int radius, Scratch& scratch,
               Reading reading = Reading::apart)
        : band_(band),
          columns_(columns),
          begin_(left - radius),
          end_(left + columns + radius),
          apart_(reading == Reading::apart && band.src.step > 1),
          fetches_(reading != Reading::in_place && reading != Reading::raw),
          raw_(reading == Reading::raw && band.depth == 16 && band.src.lsb == 0 && band.src.step == 1 &&
               band.border != Border::constant),
          capacity_(line_samples(columns, radius, band.src.step)),
          edges_(scratch.edges) {
        buffer_ = reinterpret_cast<Line<T>*>(scratch.lines.get());
        if (sizeof(T) == 1 && !apart_ && reading != Reading::copied) {
            direct_from_ = begin_ < 0 ? round_up(-begin_) : 0;
            direct_to_ = std::min(columns, band.src.samples() - end_ + columns) / column_unit() * column_unit();
        }
        if (raw_) {
            direct_from_ = begin_ < 0 ? round_up(-begin_) : 0;
            direct_to_ =
                (std::min(columns, band.src.samples() - end_ + columns) - lanes16()) / column_unit() * column_unit();
        }
        if (direct_to_ <= direct_from_) {
            direct_from_ = direct_to_ = 0;
        }
        find_edges();
    }

    /// Of the buffers for a strip.
    static std::size_t bytes(int columns, int radius, int step) {
        return sizeof(Line<T>) * (most_rows + 1) * static_cast<std::size_t>(line_samples(columns, radius, step));
    }

    /// Calls pass(first column, number of columns, array of the lines of the kRows rows from y on), until the strip is
    /// covered. Columns are those of a slot.
    template <std::size_t kRows, class Pass>
    void rows(int y, const Pass& pass) {
        static_assert(kRows <= most_rows);
        if (apart_) {
            rows_apart<kRows>(y, pass);
            return;
        }
        std::array<const Line<T>*, kRows> lines{};
        std::array<const Line<T>*, kRows> middle{};
        for (std::size_t i = 0; i < kRows; ++i) {
            middle[i] = prepare(y + static_cast<int>(i), line(i));
        }
        const int limits[] = {0, direct_from_, direct_to_, columns_};
        for (int part = 0; part < 3; ++part) {
            const int from = limits[part];
            if (limits[part + 1] <= from) {
                continue;
            }
            for (std::size_t i = 0; i < kRows; ++i) {
                lines[i] = part == 1 ? middle[i] : line(i) + from;
            }
            pass(from, limits[part + 1] - from, lines);
        }
    }

    /// With Reading::raw: whether the lines from that first column on are not centred on zero. A vector more than
    /// counts may be read of them.
    [[nodiscard]] bool raw(int column) const { return raw_ && direct_to_ > direct_from_ && column == direct_from_; }

    /// Row y as it is, from `radius` samples before the strip on, until the next call. Not where rows are read
    /// directly.
    const Line<T>* row(int y) const {
        prepare(y, buffer_);
        return buffer_;
    }

private:
    static constexpr std::size_t most_rows = 6;
    static constexpr int ahead = 4;

    // With room for whole vectors of each component.
    static int line_samples(int columns, int radius, int step) {
        return step * round_up(round_up((columns + step - 1) / step) + 2 * (radius / step));
    }
    [[nodiscard]] Line<T>* line(std::size_t i) const { return buffer_ + i * static_cast<std::size_t>(capacity_); }

    template <std::size_t kRows, class Pass>
    void rows_apart(int y, const Pass& pass) const {
        const int step = band_.src.step;
        const int pixels = columns_ / step;
        const std::ptrdiff_t stride = capacity_ / step;
        for (std::size_t i = 0; i < kRows; ++i) {
            prepare(y + static_cast<int>(i), line(kRows));
            take_apart(line(kRows), step, (end_ - begin_) / step, line(i), stride);
        }
        for (int component = 0; component < step; ++component) {
            std::array<const Line<T>*, kRows> lines{};
            for (std::size_t i = 0; i < kRows; ++i) {
                lines[i] = line(i) + component * stride;
            }
            pass(component * round_up(pixels), pixels, lines);
        }
    }

    // Where each sample outside the picture comes from: a position in the row, or -1 for the constant.
    void find_edges() {
        const PlaneView<const T>& src = band_.src;
        edges_.clear();
        const auto add = [&](int x) {
            const int pixel = x >= 0 ? x / src.step : -((-x + src.step - 1) / src.step);
            const int from = border_index(pixel, src.width, band_.border);
            edges_.push_back(from < 0 ? -1 : from * src.step + x - pixel * src.step);
        };
        for (int x = begin_; x < 0; ++x) {
            add(x);
        }
        for (int x = src.samples(); x < end_; ++x) {
            add(x);
        }
    }

    // Fills the buffer as far as it will be read, and says where the line for the columns read directly begins, if any.
    const Line<T>* prepare(int y, Line<T>* line) const {
        const PlaneView<const T>& src = band_.src;
        const int row = border_index(y, src.height, band_.border);
        const auto outside = static_cast<Line<T>>(band_.black ^ (band_.depth == 16 ? 0x8000 : 0));
        if (row < 0) {
            std::fill_n(line, end_ - begin_, outside);
            return line + direct_from_;
        }
        const T* const from = src.row(row);
        if (fetches_ && row + ahead < src.height) {
            const T* const next = src.row(row + ahead);
            for (int x = std::max(begin_, 0); x < std::min(end_, src.samples());
                 x += 64 / static_cast<int>(sizeof(T))) {
                __builtin_prefetch(next + x);
            }
        }
        const int* edge = edges_.data();
        const auto fill = [&](int first, int last) {
            for (int x = first; x < std::min(last, 0); ++x, ++edge) {
                line[x - begin_] = *edge < 0 ? outside : line_sample(from[*edge], band_);
            }
            const int inside = std::max(first, 0);
            const int beyond = std::min(last, src.samples());
            if (beyond > inside) {
                copy_samples(from + inside, beyond - inside, band_, line + (inside - begin_));
            }
            for (int x = std::max(first, src.samples()); x < last; ++x, ++edge) {
                line[x - begin_] = *edge < 0 ? outside : line_sample(from[*edge], band_);
            }
        };
        const int halo = end_ - begin_ - columns_;  // on both sides together
        if (direct_from_ > 0) {
            fill(begin_, begin_ + direct_from_ + halo);
        }
        if (columns_ > direct_to_) {
            fill(begin_ + direct_to_, end_);
        }
        return direct_to_ > direct_from_ ? reinterpret_cast<const Line<T>*>(from + (begin_ + direct_from_)) : nullptr;
    }

    const Band<T>& band_;
    int columns_;
    int begin_;  ///< samples that the strip needs, which may lie outside the picture
    int end_;
    int direct_from_ = 0;  ///< columns that are read where they are
    int direct_to_ = 0;
    bool apart_;
    bool fetches_;  ///< rows that come later
    bool raw_;      ///< what is read where it is
    int capacity_;  ///< of a line
    Line<T>* buffer_;
    std::vector<int>& edges_;
};

/// Two rows of results of a strip, and of the samples that they are made of: where they are in the picture, or, of
/// several components, taken apart.
template <class T>
class StripResults {
public:
    /// `reads`: whether anybody looks at the samples.
    StripResults(const Band<T>& band, int left, int columns, bool reads, Scratch& scratch)
        : band_(band), left_(left), columns_(columns), reads_(reads), step_(band.src.step) {
        width_ = slot_columns(columns, step_);
        if (step_ > 1) {
            scratch.results.reserve(sizeof(T) * 4 * static_cast<std::size_t>(width_));
            buffer_ = reinterpret_cast<T*>(scratch.results.get());
        }
    }

    /// From row y on, until the next call of one of them.
    void begin(int y, bool both) {
        rows_ = both ? 2 : 1;
        first_ = y;
        for (int i = 2; i < 4 && y + i < band_.last; ++i) {
            T* const to = band_.dst.row(y + i) + left_;
            for (int x = 0; x < columns_; x += 64 / static_cast<int>(sizeof(T))) {
                __builtin_prefetch(to + x, 1);
            }
        }
        for (int i = 0; i < rows_ && reads_ && step_ > 1; ++i) {
            take_apart(band_.src.row(y + i) + left_, step_, columns_ / step_, buffer_ + (2 + i) * width_,
                       width_ / step_);
        }
    }
    /// Row 0 or 1; null where there is none.
    [[nodiscard]] T* row(int i) const {
        return i >= rows_ ? nullptr : step_ > 1 ? buffer_ + i * width_ : band_.dst.row(first_ + i) + left_;
    }
    [[nodiscard]] const T* samples(int i) const {
        return step_ > 1 ? buffer_ + (2 + i) * width_ : band_.src.row(first_ + i) + left_;
    }
    /// Of a row.
    [[nodiscard]] int columns() const { return step_ > 1 ? static_cast<int>(width_) : columns_; }
    void end() const {
        for (int i = 0; i < rows_ && step_ > 1; ++i) {
            put_together(row(i), width_ / step_, step_, columns_ / step_, band_.dst.row(first_ + i) + left_);
        }
    }

private:
    const Band<T>& band_;
    int left_;
    int columns_;
    bool reads_;
    int step_;
    std::ptrdiff_t width_ = 0;
    T* buffer_ = nullptr;
    int rows_ = 0;
    int first_ = 0;
};

// The first `count` samples of a vector, of which there may be more than it holds, or none.
template <class D>
HWY_INLINE void store_some(hn::VFromD<D> values, D d, hn::TFromD<D>* to, int count) {
    if (HWY_LIKELY(count >= static_cast<int>(hn::Lanes(d)))) {
        hn::StoreU(values, d, to);
    } else if (count > 0) {
        HWY_ALIGN hn::TFromD<D> rest[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
        hn::StoreU(values, d, rest);
        std::memcpy(to, rest, static_cast<std::size_t>(count) * sizeof(hn::TFromD<D>));
    }
}

template <class D>
HWY_INLINE hn::VFromD<D> load_some(D d, const hn::TFromD<D>* from, int count) {
    if (HWY_LIKELY(count >= static_cast<int>(hn::Lanes(d)))) {
        return hn::LoadU(d, from);
    }
    HWY_ALIGN hn::TFromD<D> rest[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)] = {};
    std::memcpy(rest, from, static_cast<std::size_t>(std::max(count, 0)) * sizeof(hn::TFromD<D>));
    return hn::LoadU(d, rest);
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
