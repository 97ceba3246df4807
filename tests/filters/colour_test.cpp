// Colours: their names, and the samples that stand for them.

#include "filters/colour.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vfilter {
namespace {

TEST(Colours, AreReadAndWritten) {
    EXPECT_EQ(parse_colour("black"), (Colour{0, 0, 0}));
    EXPECT_EQ(parse_colour("ReD"), (Colour{255, 0, 0}));
    EXPECT_EQ(parse_colour("#20C040"), (Colour{0x20, 0xc0, 0x40}));
    EXPECT_EQ(parse_colour("#20c04080"), (Colour{0x20, 0xc0, 0x40, 0x80}));
    for (const char* text : {"black", "gray", "#20c041", "#20c04100", "orange"}) {
        EXPECT_EQ(to_string(parse_colour(text).value()), text);
    }
    for (const char* text : {"", "#", "#fff", "#gggggg", "#12345", "#1234567", "blakc", "0", "# 12345", "#+12345"}) {
        EXPECT_FALSE(parse_colour(text)) << text;
    }
}

TEST(Colours, HaveTheSamplesOfTheirMatrix) {
    const auto yuv = [](const char* colour, ColourMatrix matrix, bool full, int depth) {
        const Colour of = parse_colour(colour).value();
        return std::array{sample_of(of, Component::luma, matrix, full, depth),
                          sample_of(of, Component::cb, matrix, full, depth),
                          sample_of(of, Component::cr, matrix, full, depth)};
    };
    EXPECT_EQ(yuv("white", ColourMatrix::bt709, false, 8), (std::array{235, 128, 128}));
    EXPECT_EQ(yuv("black", ColourMatrix::bt601, false, 10), (std::array{64, 512, 512}));
    EXPECT_EQ(yuv("black", ColourMatrix::bt601, true, 8), (std::array{0, 128, 128}));
    // The colour bars of the standards.
    EXPECT_EQ(yuv("red", ColourMatrix::bt601, false, 8), (std::array{81, 90, 240}));
    EXPECT_EQ(yuv("red", ColourMatrix::bt709, false, 8), (std::array{63, 102, 240}));
    EXPECT_EQ(yuv("lime", ColourMatrix::bt601, false, 8), (std::array{145, 54, 34}));
    EXPECT_EQ(yuv("blue", ColourMatrix::bt709, false, 8), (std::array{32, 240, 118}));
    EXPECT_EQ(yuv("red", ColourMatrix::bt601, true, 8), (std::array{76, 85, 255}));
    EXPECT_EQ(yuv("white", ColourMatrix::bt2020, true, 16), (std::array{65535, 32768, 32768}));
    const Colour half{0x80, 0x01, 0xff, 0x40};
    EXPECT_EQ(sample_of(half, Component::red, ColourMatrix::bt709, false, 8), 0x80) << "RGB has no limited range";
    EXPECT_EQ(sample_of(half, Component::green, ColourMatrix::bt709, false, 16), 257);
    EXPECT_EQ(sample_of(half, Component::alpha, ColourMatrix::bt709, false, 10), 257);
}

// Against the formula in long double: never more than a rounding away.
TEST(Colours, AreExact) {
    struct Row {
        ColourMatrix matrix;
        long double red;
        long double blue;
    };
    for (const Row& row : {Row{ColourMatrix::bt601, 0.299L, 0.114L}, Row{ColourMatrix::bt709, 0.2126L, 0.0722L},
                           Row{ColourMatrix::bt2020, 0.2627L, 0.0593L}, Row{ColourMatrix::smpte240m, 0.212L, 0.087L},
                           Row{ColourMatrix::fcc, 0.3L, 0.11L}}) {
        // clang 14's lambdas capture no structured binding.
        const ColourMatrix matrix = row.matrix;
        const long double kr = row.red;
        const long double kb = row.blue;
        for (int depth = 8; depth <= 16; ++depth) {
            for (std::uint32_t n = 0; n < 2000; ++n) {
                const Colour colour = Colour::unpacked(n * 2654435761U);
                const long double r = colour.red / 255.0L;
                const long double g = colour.green / 255.0L;
                const long double b = colour.blue / 255.0L;
                const long double y = kr * r + (1 - kr - kb) * g + kb * b;
                const long double level = std::ldexp(1.0L, depth - 8);
                const auto close = [&](Component component, bool full, long double exact) {
                    const int made = sample_of(colour, component, matrix, full, depth);
                    ASSERT_LE(std::abs(static_cast<long double>(made) - exact), 0.5L + 1e-9L)
                        << to_string(colour) << ' ' << static_cast<int>(component) << " depth " << depth;
                };
                close(Component::luma, false, (16 + 219 * y) * level);
                close(Component::cb, false, (128 + 112 * (b - y) / (1 - kb)) * level);
                close(Component::cr, false, (128 + 112 * (r - y) / (1 - kr)) * level);
                close(Component::luma, true, (256 * level - 1) * y);
            }
        }
    }
}

}  // namespace
}  // namespace vfilter
