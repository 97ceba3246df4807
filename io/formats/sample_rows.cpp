#include "io/formats/sample_rows.h"

extern "C" {
#include <libavutil/imgutils.h>
}

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

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
void read_words(const Component& c, bool swapped, const std::uint8_t* __restrict from, std::uint16_t* __restrict to,
                int width) {
    const std::uint32_t mask = (1U << c.depth) - 1;
    const int shift = c.shift;
    with_constant_step(words_of_step<Word>(c), [&](auto words) {
        const std::ptrdiff_t step = words > 0 ? words * static_cast<int>(sizeof(Word)) : c.step;
        for (std::ptrdiff_t x = 0; x < width; ++x) {
            Word word;
            std::memcpy(&word, from + x * step, sizeof(Word));
            to[x] = static_cast<std::uint16_t>((swap(word, swapped) >> shift) & mask);
        }
    });
}

template <class Word>
void write_words(const Component& c, bool swapped, const std::uint16_t* __restrict from, std::uint8_t* __restrict to,
                 int width) {
    const int shift = c.shift;
    const auto others = static_cast<Word>(~(((1U << c.depth) - 1) << c.shift));
    with_constant_step(words_of_step<Word>(c), [&](auto words) {
        const std::ptrdiff_t step = words > 0 ? words * static_cast<int>(sizeof(Word)) : c.step;
        const auto write = [&](auto old) {
            for (std::ptrdiff_t x = 0; x < width; ++x) {
                const auto sample = static_cast<Word>(static_cast<std::uint32_t>(from[x]) << shift);
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

}  // namespace

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

std::vector<std::uint16_t> depth_table(int from, int to, bool full_range) {
    std::vector<std::uint16_t> values(std::size_t{1} << from);
    const std::size_t largest = values.size() - 1;
    const std::size_t largest_to = (std::size_t{1} << to) - 1;
    for (std::size_t value = 0; value < values.size(); ++value) {
        std::size_t other = 0;
        if (to < from) {
            const int shift = from - to;
            other = full_range ? (value * largest_to + largest / 2) / largest
                               : std::min(largest_to, (value + (std::size_t{1} << (shift - 1))) >> shift);
        } else {
            other = value << (to - from);
            for (int bits = from; full_range && bits < to; bits += from) {
                other |= bits + from <= to ? value << (to - from - bits) : value >> (bits + from - to);
            }
        }
        values[value] = static_cast<std::uint16_t>(other);
    }
    return values;
}

}  // namespace vfilter
