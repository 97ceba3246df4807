#include "io/formats/samples.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "io/formats/formats.h"
#include "io/formats/packed_samples.h"
#include "io/formats/sample_layout.h"

namespace vfilter {

namespace {

template <class Word>
Word swap(Word word, bool wanted) {
    if constexpr (sizeof(Word) == 2) {
        return wanted ? __builtin_bswap16(word) : word;
    } else if constexpr (sizeof(Word) == 4) {
        return wanted ? __builtin_bswap32(word) : word;
    }
    return word;
}

// Steps that compilers turn into vector code once they are constants, in words; 0 is any other.
template <class Work>
void with_constant_step(int words, Work work) {
    switch (words) {
        case 1:
            return work(std::integral_constant<int, 1>{});
        case 2:
            return work(std::integral_constant<int, 2>{});
        case 3:
            return work(std::integral_constant<int, 3>{});
        case 4:
            return work(std::integral_constant<int, 4>{});
        default:
            return work(std::integral_constant<int, 0>{});
    }
}

template <class Word>
int words_of_step(const Component& c) {
    constexpr int size = sizeof(Word);
    return c.step % size == 0 ? c.step / size : 0;
}

template <class Word>
void read_words(const Component& c, bool swapped, const std::uint8_t* from, std::uint16_t* to, int width) {
    const std::uint32_t mask = (1U << c.depth) - 1;
    with_constant_step(words_of_step<Word>(c), [&](auto words) {
        const std::ptrdiff_t step = words > 0 ? words * static_cast<int>(sizeof(Word)) : c.step;
        for (std::ptrdiff_t x = 0; x < width; ++x) {
            Word word;
            std::memcpy(&word, from + x * step, sizeof(Word));
            to[x] = static_cast<std::uint16_t>((swap(word, swapped) >> c.shift) & mask);
        }
    });
}

template <class Word>
void write_words(const Component& c, bool swapped, const std::uint16_t* from, std::uint8_t* to, int width) {
    const auto others = static_cast<Word>(~(((1U << c.depth) - 1) << c.shift));
    with_constant_step(words_of_step<Word>(c), [&](auto words) {
        const std::ptrdiff_t step = words > 0 ? words * static_cast<int>(sizeof(Word)) : c.step;
        const auto write = [&](auto old) {
            for (std::ptrdiff_t x = 0; x < width; ++x) {
                const auto sample = static_cast<Word>(static_cast<std::uint32_t>(from[x]) << c.shift);
                const Word word = swap(static_cast<Word>(old(to + x * step) | sample), swapped);
                std::memcpy(to + x * step, &word, sizeof(Word));
            }
        };
        if (others == 0) {
            write([](const std::uint8_t*) { return Word{0}; });
        } else {
            // The word's other bits are other components' or nobody's.
            write([&](const std::uint8_t* at) {
                Word word;
                std::memcpy(&word, at, sizeof(Word));
                return static_cast<Word>(swap(word, swapped) & others);
            });
        }
    });
}

void read_row(const Layout& layout, const AVFrame& frame, int component, int y, std::uint16_t* row, int width) {
    const Component& c = layout.components[component];
    const std::uint8_t* const samples = frame.data[c.plane] + std::ptrdiff_t{frame.linesize[c.plane]} * y;
    if (layout.has(AV_PIX_FMT_FLAG_PAL)) {
        constexpr int place[4] = {16, 8, 0, 24};  // of R, G, B and alpha in the machine's word
        for (int x = 0; x < width; ++x) {
            std::uint32_t entry = 0;
            std::memcpy(&entry, frame.data[1] + std::size_t{samples[x]} * sizeof(entry), sizeof(entry));
            row[x] = static_cast<std::uint16_t>(entry >> place[component] & 0xff);
        }
    } else if (layout.has(AV_PIX_FMT_FLAG_BITSTREAM)) {
        const std::uint8_t* data[4] = {frame.data[0]};
        av_read_image_line2(row, data, frame.linesize, layout.descriptor, 0, y, component, width, 0, sizeof(*row));
        if (layout.format == AV_PIX_FMT_MONOWHITE) {
            std::transform(row, row + width, row, [](std::uint16_t bit) { return std::uint16_t{bit == 0}; });
        }
    } else {
        const auto read = c.word == 1   ? read_words<std::uint8_t>
                          : c.word == 2 ? read_words<std::uint16_t>
                                        : read_words<std::uint32_t>;
        read(c, layout.swapped, samples + c.offset, row, width);
    }
}

void write_row(const Layout& layout, AVFrame& frame, int component, int y, const std::uint16_t* row, int width) {
    const Component& c = layout.components[component];
    const auto write = c.word == 1   ? write_words<std::uint8_t>
                       : c.word == 2 ? write_words<std::uint16_t>
                                     : write_words<std::uint32_t>;
    std::uint8_t* const samples = frame.data[c.plane] + std::ptrdiff_t{frame.linesize[c.plane]} * y;
    write(c, layout.swapped, row, samples + c.offset, width);
}

// Bits that no component owns: zeros, but ones in packed RGB, as FFmpeg itself writes them.
void clear_unowned_bits(const Layout& layout, AVFrame& frame) {
    const AVPixFmtDescriptor* const d = layout.descriptor;
    if (av_get_bits_per_pixel(d) == av_get_padded_bits_per_pixel(d)) {
        return;
    }
    const int planes = av_pix_fmt_count_planes(layout.format);
    const int value = layout.has_ones_between() ? 0xff : 0;
    for (int plane = 0; plane < planes; ++plane) {
        const bool chroma = layout.colours == Colours::yuv && (plane == 1 || plane == 2);
        const int height = AV_CEIL_RSHIFT(frame.height, chroma ? d->log2_chroma_h : 0);
        const int bytes = av_image_get_linesize(layout.format, frame.width, plane);
        for (int y = 0; y < height; ++y) {
            std::memset(frame.data[plane] + std::ptrdiff_t{frame.linesize[plane]} * y, value,
                        static_cast<std::size_t>(bytes));
        }
    }
}

// What each value becomes at a greater depth: the bits repeated downward where the greatest value is all ones, and
// zeros where black and white are multiples of a power of two.
std::vector<std::uint16_t> widened(int from, int to, bool full_range) {
    std::vector<std::uint16_t> values(std::size_t{1} << from);
    for (std::size_t value = 0; value < values.size(); ++value) {
        std::size_t wide = value << (to - from);
        for (int bits = from; full_range && bits < to; bits += from) {
            wide |= bits + from <= to ? value << (to - from - bits) : value >> (bits + from - to);
        }
        values[value] = static_cast<std::uint16_t>(wide);
    }
    return values;
}

bool is_full_range(const Layout& layout, int component, AVColorRange range) {
    return layout.colours == Colours::rgb || layout.colours == Colours::xyz || component == layout.colour_count ||
           range == AVCOL_RANGE_JPEG || (layout.colours == Colours::gray && range != AVCOL_RANGE_MPEG);
}

}  // namespace

int distance(AVPixelFormat from_format, AVPixelFormat to_format) {
    const std::optional<Layout> from = layout_of(from_format);
    const std::optional<Layout> to = layout_of(to_format);
    // A J says that the range is full, which nothing here would see to.
    if (!from || !to || !to->can_be_written() || without_j(to_format) != to_format || (from->alpha && !to->alpha) ||
        to->colour_count < from->colour_count) {
        return -1;
    }
    if (from->colours == Colours::yuv && (from->descriptor->log2_chroma_w != to->descriptor->log2_chroma_w ||
                                          from->descriptor->log2_chroma_h != to->descriptor->log2_chroma_h)) {
        return -1;
    }
    constexpr int other_layout = 1;
    constexpr int other_depth = 2;  // for each bit, of 16 at most
    constexpr int other_components = 100;
    int sum = (from_format == to_format ? 0 : other_layout) + (to->swapped ? other_layout : 0) +
              (to->count() - from->count()) * other_components;
    if (from->colours == Colours::gray && to->colours == Colours::yuv) {
        sum += other_components;  // it leans on a tag for the range
    }
    for (int i = 0; i < to->count(); ++i) {
        const int source = source_of(i, *from, *to);
        const int more = source < 0 ? 0 : to->components[i].depth - from->components[source].depth;
        if (more < 0) {
            return -1;
        }
        sum += more * other_depth;
    }
    return sum;
}

bool holds(AVPixelFormat to_format, AVPixelFormat from_format) {
    if (distance(from_format, to_format) < 0) {
        return false;
    }
    const AVPixFmtDescriptor& from = *av_pix_fmt_desc_get(from_format);
    const AVPixFmtDescriptor& to = *av_pix_fmt_desc_get(to_format);
    // Gray's range is full unless it is tagged, and so is RGB's; with YUV the tag has to say so.
    return colours_of(from) == colours_of(to) ||
           (colours_of(from) == Colours::gray &&
            (colours_of(to) == Colours::yuv ||
             (colours_of(to) == Colours::rgb && (from.flags & AV_PIX_FMT_FLAG_ALPHA) != 0)));
}

void rearrange(const AVFrame& from_frame, AVFrame& to_frame) {
    const std::optional<Layout> from = layout_of(static_cast<AVPixelFormat>(from_frame.format));
    const std::optional<Layout> to = layout_of(static_cast<AVPixelFormat>(to_frame.format));
    if (!from || !to) {
        throw Error(ExitCode::internal, "rearrange: a format without a description");
    }
    if (rearrange_packed(from_frame, *from, to_frame, *to)) {
        return;
    }
    clear_unowned_bits(*to, to_frame);
    struct Move {
        int source;  // component, -1 for none
        int width;
        int height;
        std::uint16_t constant;
        std::vector<std::uint16_t> wider;  // empty if the depth is the same
    };
    std::vector<Move> moves;
    for (int i = 0; i < to->count(); ++i) {
        const Component& target = to->components[i];
        const int source = source_of(i, *from, *to);
        const int depth = source < 0 ? target.depth : from->components[source].depth;
        const auto constant = static_cast<std::uint16_t>(i == to->colour_count ? (1U << depth) - 1 : 1U << (depth - 1));
        const bool full_range = is_full_range(*from, source, from_frame.color_range);
        moves.push_back(
            {source, AV_CEIL_RSHIFT(to_frame.width, target.log2_width),
             AV_CEIL_RSHIFT(to_frame.height, target.log2_height), constant,
             depth == target.depth ? std::vector<std::uint16_t>{} : widened(depth, target.depth, full_range)});
    }
    // Row by row, while what several components share is in the cache.
    std::vector<std::uint16_t> row(static_cast<std::size_t>(to_frame.width));
    for (int y = 0; y < to_frame.height; ++y) {
        for (int i = 0; i < to->count(); ++i) {
            const Move& move = moves[static_cast<std::size_t>(i)];
            if (y >= move.height) {
                continue;
            }
            if (move.source < 0) {
                std::ranges::fill(row, move.constant);
            } else {
                read_row(*from, from_frame, move.source, y, row.data(), move.width);
            }
            if (!move.wider.empty()) {
                std::transform(row.begin(), row.begin() + move.width, row.begin(),
                               [&](std::uint16_t value) { return move.wider[value]; });
            }
            write_row(*to, to_frame, i, y, row.data(), move.width);
        }
    }
}

}  // namespace vfilter
