#include "io/formats/packed_samples.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

namespace vfilter {

namespace {

template <bool kSwapped, class Word>
[[gnu::always_inline]] inline Word ordered(Word word) {
    if constexpr (kSwapped && sizeof(Word) == 2) {
        return __builtin_bswap16(word);
    } else {
        return word;
    }
}

template <class Word>
using Rows = std::array<Word*, 4>;

struct Apart {
    template <int kStep, bool kSwapped, class Word>
    [[gnu::always_inline]] static void run(const Word* __restrict pixels, const Rows<Word>& planes,
                                           std::ptrdiff_t width) {
        Word* __restrict const a = planes[0];
        Word* __restrict const b = planes[1];
        Word* __restrict const c = planes[2];
        Word* __restrict const d = planes[3];
        for (std::ptrdiff_t x = 0; x < width; ++x) {
            a[x] = ordered<kSwapped>(pixels[x * kStep]);
            b[x] = ordered<kSwapped>(pixels[x * kStep + 1]);
            c[x] = ordered<kSwapped>(pixels[x * kStep + 2]);
            if constexpr (kStep == 4) {
                d[x] = ordered<kSwapped>(pixels[x * kStep + 3]);
            }
        }
    }
};

struct Together {
    template <int kStep, bool kSwapped, class Word>
    [[gnu::always_inline]] static void run(Word* __restrict pixels, const Rows<const Word>& planes,
                                           std::ptrdiff_t width) {
        const Word* __restrict const a = planes[0];
        const Word* __restrict const b = planes[1];
        const Word* __restrict const c = planes[2];
        const Word* __restrict const d = planes[3];
        for (std::ptrdiff_t x = 0; x < width; ++x) {
            pixels[x * kStep] = ordered<kSwapped>(a[x]);
            pixels[x * kStep + 1] = ordered<kSwapped>(b[x]);
            pixels[x * kStep + 2] = ordered<kSwapped>(c[x]);
            if constexpr (kStep == 4) {
                pixels[x * kStep + 3] = ordered<kSwapped>(d[x]);
            }
        }
    }
};

#if defined(__x86_64__)
// Pixels of three words are vectors' work only where bytes can be shuffled, which SSE2 has not.
template <class Way, int kStep, bool kSwapped, class Pixels, class Planes>
__attribute__((target("ssse3"))) void run_with_shuffles(Pixels pixels, const Planes& planes, std::ptrdiff_t width) {
    Way::template run<kStep, kSwapped>(pixels, planes, width);
}
#endif

template <class Way, int kStep, bool kSwapped, class Pixels, class Planes>
void run_row(Pixels pixels, const Planes& planes, std::ptrdiff_t width) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("ssse3") != 0) {
        return run_with_shuffles<Way, kStep, kSwapped>(pixels, planes, width);
    }
#endif
    Way::template run<kStep, kSwapped>(pixels, planes, width);
}

template <class Way, class Pixels, class Planes>
void run_row(int step, bool swapped, Pixels pixels, const Planes& planes, std::ptrdiff_t width) {
    if (step == 3) {
        return swapped ? run_row<Way, 3, true>(pixels, planes, width) : run_row<Way, 3, false>(pixels, planes, width);
    }
    return swapped ? run_row<Way, 4, true>(pixels, planes, width) : run_row<Way, 4, false>(pixels, planes, width);
}

bool fills_words(const Layout& layout) {
    return layout.can_be_written() &&
           std::all_of(layout.components, layout.components + layout.count(), [&](const Component& c) {
               return c.fills_its_word() && c.word == layout.components[0].word && c.log2_width == 0 &&
                      c.log2_height == 0;
           });
}

bool is_packed(const Layout& layout) {
    const Component& first = layout.components[0];
    return layout.count() >= 3 && (first.step == 3 * first.word || first.step == 4 * first.word) &&
           std::all_of(layout.components, layout.components + layout.count(), [&](const Component& c) {
               return c.plane == 0 && c.step == first.step && c.offset % c.word == 0;
           });
}

bool is_planar(const Layout& layout) {
    return !layout.swapped && std::all_of(layout.components, layout.components + layout.count(),
                                          [](const Component& c) { return c.step == c.word && c.offset == 0; });
}

template <class Word, class Frame>
auto* row_of(Frame& frame, int plane, int y) {
    auto* const bytes = frame.data[plane] + std::ptrdiff_t{frame.linesize[plane]} * y;
    using Row = std::conditional_t<std::is_const_v<Frame>, const Word, Word>;
    return reinterpret_cast<Row*>(bytes);
}

template <class Word>
constexpr Word opaque = std::numeric_limits<Word>::max();

template <class Word>
void take_apart(const AVFrame& from_frame, const Layout& from, AVFrame& to_frame, const Layout& to) {
    const int step = from.components[0].step / from.components[0].word;
    const auto width = static_cast<std::size_t>(to_frame.width);
    std::vector<Word> unwanted(width);
    for (int y = 0; y < to_frame.height; ++y) {
        Rows<Word> rows;
        rows.fill(unwanted.data());
        for (int i = 0; i < to.count(); ++i) {
            Word* const row = row_of<Word>(to_frame, to.components[i].plane, y);
            if (const int source = source_of(i, from, to); source >= 0) {
                rows[static_cast<std::size_t>(from.components[source].offset) / sizeof(Word)] = row;
            } else {
                std::fill_n(row, width, opaque<Word>);
            }
        }
        run_row<Apart>(step, from.swapped, row_of<Word>(from_frame, 0, y), rows, to_frame.width);
    }
}

template <class Word>
void put_together(const AVFrame& from_frame, const Layout& from, AVFrame& to_frame, const Layout& to) {
    const int step = to.components[0].step / to.components[0].word;
    const auto width = static_cast<std::size_t>(to_frame.width);
    const std::vector<Word> all_opaque(width, opaque<Word>);
    const std::vector<Word> unowned(width, to.has_ones_between() ? opaque<Word> : Word{0});
    for (int y = 0; y < to_frame.height; ++y) {
        Rows<const Word> rows;
        rows.fill(unowned.data());
        for (int i = 0; i < to.count(); ++i) {
            const int source = source_of(i, from, to);
            rows[static_cast<std::size_t>(to.components[i].offset) / sizeof(Word)] =
                source < 0 ? all_opaque.data() : row_of<Word>(from_frame, from.components[source].plane, y);
        }
        run_row<Together>(step, to.swapped, row_of<Word>(to_frame, 0, y), rows, to_frame.width);
    }
}

template <class Word>
bool rearrange_words(const AVFrame& from_frame, const Layout& from, AVFrame& to_frame, const Layout& to) {
    if (is_packed(from) && is_planar(to)) {
        take_apart<Word>(from_frame, from, to_frame, to);
        return true;
    }
    if (is_planar(from) && is_packed(to)) {
        put_together<Word>(from_frame, from, to_frame, to);
        return true;
    }
    return false;
}

}  // namespace

bool rearrange_packed(const AVFrame& from_frame, const Layout& from, AVFrame& to_frame, const Layout& to) {
    // Neutral chroma, which gray has not, is nothing that is copied.
    if (!fills_words(from) || !fills_words(to) || from.components[0].word != to.components[0].word ||
        (from.colours == Colours::gray && to.colours == Colours::yuv)) {
        return false;
    }
    return from.components[0].word == 1 ? rearrange_words<std::uint8_t>(from_frame, from, to_frame, to)
                                        : rearrange_words<std::uint16_t>(from_frame, from, to_frame, to);
}

}  // namespace vfilter
