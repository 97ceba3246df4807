#include "io/formats/rgb_yuv.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "io/formats/formats.h"
#include "io/formats/sample_layout.h"
#include "io/formats/sample_rows.h"

namespace vfilter {

namespace {

using Triple = std::array<double, 3>;

// Each result is a sum of multiples of three samples, and a constant.
struct ColourSums {
    std::array<Triple, 3> of{};
    Triple constant{};
};

struct LumaWeights {
    AVColorSpace matrix;
    double red;
    double blue;
};
constexpr LumaWeights luma_weights[] = {{AVCOL_SPC_UNSPECIFIED, 0.299, 0.114}, {AVCOL_SPC_BT470BG, 0.299, 0.114},
                                        {AVCOL_SPC_SMPTE170M, 0.299, 0.114},   {AVCOL_SPC_BT709, 0.2126, 0.0722},
                                        {AVCOL_SPC_FCC, 0.30, 0.11},           {AVCOL_SPC_SMPTE240M, 0.212, 0.087},
                                        {AVCOL_SPC_BT2020_NCL, 0.2627, 0.0593}};

const LumaWeights* weights_of(AVColorSpace matrix) {
    const auto* const found = std::ranges::find(luma_weights, matrix, &LumaWeights::matrix);
    return found == std::end(luma_weights) ? nullptr : found;
}

// Of numbers from 0 to 1, and chroma from -0.5 to 0.5.
std::array<Triple, 3> yuv_of_rgb(AVColorSpace matrix) {
    if (matrix == AVCOL_SPC_YCGCO) {
        return {Triple{0.25, 0.5, 0.25}, Triple{-0.25, 0.5, -0.25}, Triple{0.5, 0, -0.5}};
    }
    const double r = weights_of(matrix)->red;
    const double b = weights_of(matrix)->blue;
    const double g = 1 - r - b;
    const double u = 2 * (1 - b);
    const double v = 2 * (1 - r);
    return {Triple{r, g, b}, Triple{-r / u, -g / u, 0.5}, Triple{0.5, -g / v, -b / v}};
}

std::array<Triple, 3> rgb_of_yuv(AVColorSpace matrix) {
    if (matrix == AVCOL_SPC_YCGCO) {
        return {Triple{1, -1, 1}, Triple{1, 1, 0}, Triple{1, -1, -1}};
    }
    const double r = weights_of(matrix)->red;
    const double b = weights_of(matrix)->blue;
    const double g = 1 - r - b;
    const double u = 2 * (1 - b);
    const double v = 2 * (1 - r);
    return {Triple{1, 0, v}, Triple{1, -b * u / g, -r * v / g}, Triple{1, u, 0}};
}

// How numbers become samples.
struct SampleScale {
    double factor = 1;
    double zero = 0;
};

std::array<SampleScale, 3> scales_of(bool rgb, const YuvMeaning& yuv, int depth) {
    const double largest = (1 << depth) - 1;
    if (rgb) {
        return {SampleScale{largest, 0}, {largest, 0}, {largest, 0}};
    }
    const double step = 1 << (depth - 8);
    if (yuv.full_range) {
        return {SampleScale{largest, 0}, {largest, 128 * step}, {largest, 128 * step}};
    }
    // Of YCgCo the three are made of what has luma's range (H.273, equations 20 to 22).
    const SampleScale chroma{(yuv.matrix == AVCOL_SPC_YCGCO ? 219 : 224) * step, 128 * step};
    return {SampleScale{219 * step, 16 * step}, chroma, chroma};
}

ColourSums sums_between(bool from_rgb, const YuvMeaning& yuv, int from_depth, int to_depth) {
    const std::array<Triple, 3> numbers = from_rgb ? yuv_of_rgb(yuv.matrix) : rgb_of_yuv(yuv.matrix);
    const std::array<SampleScale, 3> from = scales_of(from_rgb, yuv, from_depth);
    const std::array<SampleScale, 3> to = scales_of(!from_rgb, yuv, to_depth);
    ColourSums sums;
    for (std::size_t i = 0; i < 3; ++i) {
        sums.constant[i] = to[i].zero;
        for (std::size_t j = 0; j < 3; ++j) {
            sums.of[i][j] = numbers[i][j] * to[i].factor / from[j].factor;
            sums.constant[i] -= sums.of[i][j] * from[j].zero;
        }
    }
    return sums;
}

using SampleRow = std::vector<std::uint16_t>;

// The multiples, the constant and a half, in fractions of a level.
template <class Sum>
struct Multiples {
    Multiples(const Triple& of, double constant, int bits)
        : a(in(of[0], bits)), b(in(of[1], bits)), c(in(of[2], bits)), d(in(constant + 0.5, bits)), fraction(bits) {}
    static Sum in(double number, int bits) { return static_cast<Sum>(std::llround(std::ldexp(number, bits))); }
    Sum a;
    Sum b;
    Sum c;
    Sum d;
    int fraction;
};

template <class Sum>
[[gnu::always_inline]] inline void add_up(const std::array<SampleRow, 3>& from, SampleRow& to, const Multiples<Sum>& of,
                                          Sum largest) {
    const std::uint16_t* __restrict const first = from[0].data();
    const std::uint16_t* __restrict const second = from[1].data();
    const std::uint16_t* __restrict const third = from[2].data();
    std::uint16_t* __restrict const result = to.data();
    const std::size_t width = to.size();
    for (std::size_t x = 0; x < width; ++x) {
        const Sum sum = (of.a * first[x] + of.b * second[x] + of.c * third[x] + of.d) >> of.fraction;
        result[x] = static_cast<std::uint16_t>(std::min(std::max(sum, Sum{0}), largest));
    }
}

#if defined(__x86_64__)
// SSE2 does not multiply words of 32 bits.
__attribute__((target("avx2"))) void add_up_words(const std::array<SampleRow, 3>& from, SampleRow& to,
                                                  const Multiples<std::int32_t>& of, std::int32_t largest) {
    add_up(from, to, of, largest);
}
#endif

void add_up_row(const std::array<SampleRow, 3>& from, SampleRow& to, const Multiples<std::int32_t>& of,
                std::int32_t largest) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") != 0) {
        return add_up_words(from, to, of, largest);
    }
#endif
    add_up(from, to, of, largest);
}

bool has_one_depth(const Layout& layout) {
    return std::all_of(layout.components, layout.components + layout.count(),
                       [&](const Component& c) { return c.depth == layout.components[0].depth; });
}

bool is_subsampled(const Layout& layout) {
    return layout.colours == Colours::yuv &&
           (layout.descriptor->log2_chroma_w != 0 || layout.descriptor->log2_chroma_h != 0);
}

void convert_alpha(const AVFrame& from_frame, const Layout& from, AVFrame& to_frame, const Layout& to, int y,
                   const std::vector<std::uint16_t>& depths, SampleRow& row) {
    if (!to.alpha) {
        return;
    }
    if (from.alpha) {
        read_row(from, from_frame, from.colour_count, y, row.data(), to_frame.width);
        std::ranges::transform(row, row.begin(), [&](std::uint16_t value) { return depths[value]; });
    } else {
        std::ranges::fill(row, static_cast<std::uint16_t>((1U << to.components[0].depth) - 1));
    }
    write_row(to, to_frame, to.colour_count, y, row.data(), to_frame.width);
}

}  // namespace

bool is_known_matrix(AVColorSpace matrix) {
    return matrix == AVCOL_SPC_YCGCO || weights_of(matrix) != nullptr;
}

AVPixelFormat between_rgb_and_yuv(AVPixelFormat from_format, AVPixelFormat to_format) {
    const std::optional<Layout> from = layout_of(from_format);
    const std::optional<Layout> to = layout_of(to_format);
    if (!from || !to || (from->colours == Colours::rgb) == (to->colours == Colours::rgb) ||
        (from->colours == Colours::yuv) == (to->colours == Colours::yuv)) {
        return AV_PIX_FMT_NONE;
    }
    const Layout& yuv = from->colours == Colours::yuv ? *from : *to;
    if (!is_subsampled(yuv) || !has_one_depth(yuv)) {
        return AV_PIX_FMT_NONE;
    }
    for (const AVPixelFormat format : native_formats()) {
        const std::optional<Layout> found = layout_of(format);
        if (found && found->colours == Colours::yuv && !is_subsampled(*found) && found->alpha == yuv.alpha &&
            found->components[0].depth == yuv.components[0].depth && found->components[0].shift == 0 &&
            found->components[1].plane != found->components[2].plane) {
            return format;
        }
    }
    return AV_PIX_FMT_NONE;
}

bool convert_colours(const AVFrame& from_frame, AVFrame& to_frame, const YuvMeaning& yuv) {
    const std::optional<Layout> from = layout_of(static_cast<AVPixelFormat>(from_frame.format));
    const std::optional<Layout> to = layout_of(static_cast<AVPixelFormat>(to_frame.format));
    const bool to_yuv = from && to && from->colours == Colours::rgb && to->colours == Colours::yuv;
    const bool to_rgb = from && to && from->colours == Colours::yuv && to->colours == Colours::rgb;
    const bool to_gray = from && to && from->colours == Colours::rgb && to->colours == Colours::gray;
    if (!(to_yuv || to_rgb || to_gray) || is_subsampled(*from) || is_subsampled(*to) || !to->can_be_written() ||
        !has_one_depth(*to) || !has_one_depth(*from) || !is_known_matrix(yuv.matrix)) {
        return false;
    }
    const int from_depth = from->components[0].depth;
    const int to_depth = to->components[0].depth;
    if (from_depth < 8) {
        return false;
    }
    const ColourSums sums = sums_between(!to_rgb, yuv, from_depth, to_depth);
    const std::vector<std::uint16_t> alpha = depth_table(from_depth, to_depth, true);
    const int deepest = std::max(from_depth, to_depth);
    // A sum is less than four times the largest result.
    constexpr int most_of_words = 10;
    constexpr int bits_of_words = 28;
    constexpr int bits_of_long_words = 40;
    const std::int32_t largest = (1 << to_depth) - 1;
    const auto width = static_cast<std::size_t>(to_frame.width);
    std::array<SampleRow, 3> rows{SampleRow(width), SampleRow(width), SampleRow(width)};
    SampleRow made(width);
    clear_unowned_bits(*to, to_frame);
    for (int y = 0; y < to_frame.height; ++y) {
        for (int i = 0; i < 3; ++i) {
            read_row(*from, from_frame, i, y, rows[static_cast<std::size_t>(i)].data(), to_frame.width);
        }
        for (int i = 0; i < to->colour_count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (deepest <= most_of_words) {
                add_up_row(rows, made, {sums.of[at], sums.constant[at], bits_of_words - deepest}, largest);
            } else {
                add_up<std::int64_t>(rows, made, {sums.of[at], sums.constant[at], bits_of_long_words}, largest);
            }
            write_row(*to, to_frame, i, y, made.data(), to_frame.width);
        }
        convert_alpha(from_frame, *from, to_frame, *to, y, alpha, made);
    }
    return true;
}

namespace {

// Floating-point samples, each for itself, in words of 32 bits.
struct Floats {
    const AVPixFmtDescriptor* descriptor = nullptr;
    int colours = 0;
    bool alpha = false;
    bool swapped = false;
};

std::optional<Floats> floats_of(int format) {
    const AVPixFmtDescriptor* const d = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format));
    constexpr int bits = 32;
    if (d == nullptr || (d->flags & AV_PIX_FMT_FLAG_FLOAT) == 0 || d->comp[0].depth != bits) {
        return std::nullopt;
    }
    const bool alpha = (d->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    return Floats{.descriptor = d,
                  .colours = d->nb_components - (alpha ? 1 : 0),
                  .alpha = alpha,
                  .swapped = ((d->flags & AV_PIX_FMT_FLAG_BE) != 0) != (std::endian::native == std::endian::big)};
}

std::uint16_t nearest_sample(float value, int largest) {
    const double level = std::floor(static_cast<double>(value) * largest + 0.5);
    return static_cast<std::uint16_t>(!(level > 0) ? 0.0 : std::min<double>(level, largest));
}

}  // namespace

bool convert_from_floats(const AVFrame& from_frame, AVFrame& to_frame) {
    const std::optional<Floats> from = floats_of(from_frame.format);
    const std::optional<Layout> to = layout_of(static_cast<AVPixelFormat>(to_frame.format));
    const Colours wanted = from && from->colours == 1 ? Colours::gray : Colours::rgb;
    if (!from || !to || !to->can_be_written() || to->colours != wanted || to->colour_count != from->colours) {
        return false;
    }
    clear_unowned_bits(*to, to_frame);
    SampleRow row(static_cast<std::size_t>(to_frame.width));
    for (int y = 0; y < to_frame.height; ++y) {
        for (int i = 0; i < to->count(); ++i) {
            const int largest = (1 << to->components[i].depth) - 1;
            if (i == to->colour_count && !from->alpha) {
                std::ranges::fill(row, static_cast<std::uint16_t>(largest));
            } else {
                const AVComponentDescriptor& c = from->descriptor->comp[i];
                const std::uint8_t* at =
                    from_frame.data[c.plane] + std::ptrdiff_t{from_frame.linesize[c.plane]} * y + c.offset;
                for (std::uint16_t& sample : row) {
                    std::uint32_t word = 0;
                    std::memcpy(&word, at, sizeof(word));
                    word = from->swapped ? __builtin_bswap32(word) : word;
                    sample = nearest_sample(std::bit_cast<float>(word), largest);
                    at += c.step;
                }
            }
            write_row(*to, to_frame, i, y, row.data(), to_frame.width);
        }
    }
    return true;
}

bool convert_to_floats(const AVFrame& from_frame, AVFrame& to_frame) {
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(to_frame.format));
    const std::optional<Layout> from = layout_of(static_cast<AVPixelFormat>(from_frame.format));
    const bool alpha = (d.flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
    const int colours = d.nb_components - (alpha ? 1 : 0);
    const bool planar = colours == 1 || (d.flags & AV_PIX_FMT_FLAG_PLANAR) != 0;
    const bool gray = from && from->colours == Colours::gray;
    const bool limited = gray && from_frame.color_range == AVCOL_RANGE_MPEG;
    if (!from || (d.flags & AV_PIX_FMT_FLAG_FLOAT) == 0 || d.comp[0].depth != 32 || !planar ||
        !(gray || (from->colours == Colours::rgb && colours == 3))) {
        return false;
    }
    const bool swapped = ((d.flags & AV_PIX_FMT_FLAG_BE) != 0) != (std::endian::native == std::endian::big);
    SampleRow row(static_cast<std::size_t>(to_frame.width));
    for (int y = 0; y < to_frame.height; ++y) {
        for (int i = 0; i < d.nb_components; ++i) {
            const int source = i == colours ? (from->alpha ? from->colour_count : -1) : gray ? 0 : i;
            const int depth = from->components[std::max(source, 0)].depth;
            const bool colour = source >= 0 && source < from->colour_count;
            const SampleScale scale =
                limited && colour && depth >= 8 ? scales_of(false, {}, depth)[0] : scales_of(true, {}, depth)[0];
            const auto white = static_cast<float>(scale.factor);
            const auto black = static_cast<float>(scale.zero);
            if (source >= 0) {
                read_row(*from, from_frame, source, y, row.data(), to_frame.width);
            } else {
                std::ranges::fill(row, static_cast<std::uint16_t>((1U << depth) - 1));
            }
            std::uint8_t* to = to_frame.data[d.comp[i].plane] + std::ptrdiff_t{to_frame.linesize[d.comp[i].plane]} * y;
            for (const std::uint16_t sample : row) {
                auto word = std::bit_cast<std::uint32_t>((static_cast<float>(sample) - black) / white);
                word = swapped ? __builtin_bswap32(word) : word;
                std::memcpy(to, &word, sizeof(word));
                to += sizeof(word);
            }
        }
    }
    return true;
}

}  // namespace vfilter
