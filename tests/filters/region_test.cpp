// Regions: their texts, their weights, and how samples are blended.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "filters/region_geometry.h"

namespace vfilter::test {

namespace {

std::string refusal(const std::string& text) {
    try {
        parse_rectangles(text);
    } catch (const RegionError& error) {
        return error.what();
    }
    ADD_FAILURE() << text << " was accepted";
    return {};
}

GrayImage weights_of(const Region& region, int width, int height) {
    return region_weights(region, width, height, {});
}

std::vector<int> row(const GrayImage& image, int y) {
    const auto begin = image.samples.begin() + std::ptrdiff_t{y} * image.width;
    return {begin, begin + image.width};
}

TEST(Regions, AreReadAndWritten) {
    for (const char* text : {"1,2,3,4", "10%,0%,12.5%,100%", "0,0,1,1+50%,50%,50%,50%", "5,10%,20,30%"}) {
        EXPECT_EQ(to_string(parse_rectangles(text)), text);
    }
}

TEST(Regions, MistakesAreTold) {
    for (const char* text : {"", "1,2,3", "1,2,3,4,5", "1,2,3,4+", "a,2,3,4", "1;2;3;4", "nan,0,1,1", "1,2,,4"}) {
        EXPECT_NE(refusal(text).find("x,y,w,h"), std::string::npos) << text;
    }
    for (const char* text : {"-1,0,2,2", "1e9,0,2,2", "0.5,0,2,2", "0,0,101%,1", "0,0,-5%,1"}) {
        EXPECT_NE(refusal(text).find("0 to"), std::string::npos) << text;
    }
    EXPECT_NE(refusal("0,0,0,5").find("more than 0"), std::string::npos);
    EXPECT_NE(refusal("60%,0,50%,5").find("at most 100%"), std::string::npos);
}

TEST(Regions, RectanglesCoverTheirPixelsAndNoOthers) {
    const GrayImage weights = weights_of({.rectangles = parse_rectangles("1,1,2,1+50%,50%,50%,50%")}, 6, 4);
    EXPECT_EQ(row(weights, 0), (std::vector{0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(row(weights, 1), (std::vector{0, 255, 255, 0, 0, 0}));
    EXPECT_EQ(row(weights, 2), (std::vector{0, 0, 0, 255, 255, 255}));
    EXPECT_EQ(row(weights, 3), (std::vector{0, 0, 0, 255, 255, 255}));
    const GrayImage inverse = weights_of({.rectangles = parse_rectangles("1,1,2,1"), .invert = true}, 6, 4);
    EXPECT_EQ(row(inverse, 1), (std::vector{255, 0, 0, 255, 255, 255}));
}

TEST(Regions, BeyondThePictureIsAnError) {
    EXPECT_NO_THROW(weights_of({.rectangles = parse_rectangles("2,1,4,3")}, 6, 4));
    for (const char* text : {"3,1,4,3", "2,2,4,3", "6,0,1,1", "0,0,65536,1"}) {
        try {
            weights_of({.rectangles = parse_rectangles(text)}, 6, 4);
            ADD_FAILURE() << text;
        } catch (const RegionError& error) {
            EXPECT_NE(std::string(error.what()).find("6x4"), std::string::npos) << error.what();
        }
    }
}

TEST(Regions, NeighboursInPercentTouch) {
    for (int width = 1; width < 200; ++width) {
        const GrayImage left = weights_of({.rectangles = parse_rectangles("0%,0%,33%,100%")}, width, 1);
        const GrayImage right = weights_of({.rectangles = parse_rectangles("33%,0%,67%,100%")}, width, 1);
        for (int x = 0; x < width; ++x) {
            ASSERT_EQ(row(left, 0)[static_cast<std::size_t>(x)] + row(right, 0)[static_cast<std::size_t>(x)], 255)
                << x << " of " << width;
        }
    }
}

TEST(Regions, FeatherSetsInWithin) {
    const GrayImage soft = weights_of({.rectangles = parse_rectangles("2,0,6,9"), .feather = 2}, 10, 9);
    // 255 * (1/3, 2/3, 1); the edge of the picture is no edge of the region.
    EXPECT_EQ(row(soft, 4), (std::vector{0, 0, 85, 170, 255, 255, 170, 85, 0, 0}));
    EXPECT_EQ(row(soft, 0), row(soft, 4));
    const GrayImage inverse =
        weights_of({.rectangles = parse_rectangles("0,0,4,9"), .invert = true, .feather = 1}, 8, 9);
    EXPECT_EQ(row(inverse, 4), (std::vector{0, 0, 0, 0, 128, 255, 255, 255}));
}

TEST(Regions, MasksMultiplyIn) {
    GrayImage mask{4, 1, {0, 100, 200, 255}};
    EXPECT_EQ(row(region_weights({.mask = "m"}, 4, 1, mask), 0), (std::vector{0, 100, 200, 255}));
    EXPECT_EQ(row(region_weights({.mask = "m", .invert = true}, 4, 1, mask), 0), (std::vector{255, 155, 55, 0}));
    const Region both{.rectangles = parse_rectangles("0,0,3,1"), .mask = "m"};
    EXPECT_EQ(row(region_weights(both, 4, 1, mask), 0), (std::vector{0, 100, 200, 0}));
}

TEST(Regions, ChromaHasTheMeanOfItsPixels) {
    const GrayImage weights{5,
                            3,
                            {0, 0, 255, 255, 255,  //
                             0, 0, 255, 255, 0,    //
                             0, 255, 0, 0, 255}};
    const GrayImage plane = plane_weights(weights, 2, 2);
    EXPECT_EQ(plane.width, 3);
    EXPECT_EQ(plane.height, 2);
    EXPECT_EQ(row(plane, 0), (std::vector{0, 255, 128}));
    EXPECT_EQ(row(plane, 1), (std::vector{128, 0, 255}));
    EXPECT_EQ(plane_weights(weights, 1, 1).samples, weights.samples);
}

TEST(Regions, BlendingIsExactAtBothEndsAndMonotonous) {
    EXPECT_EQ(blend(0, 128, 1), 1) << "half of a step is rounded up";
    EXPECT_EQ(blend(128, 0, 1), 128) << "half of a step is rounded up";
    for (const int sample : {0, 1, 127, 255, 1023, 65535}) {
        for (const int filtered : {0, 1, 128, 255, 1023, 65535}) {
            EXPECT_EQ(blend(sample, filtered, 0), sample);
            EXPECT_EQ(blend(sample, filtered, 255), filtered);
            int last = sample;
            for (int weight = 1; weight <= 255; ++weight) {
                const int now = blend(sample, filtered, weight);
                ASSERT_TRUE(sample <= filtered ? now >= last && now <= filtered : now <= last && now >= filtered);
                ASSERT_LE(std::abs(now - (sample + (filtered - sample) * weight / 255.0)),
                          0.5 + std::abs(filtered - sample) / 256.0 + 1e-9);
                last = now;
            }
        }
    }
}

TEST(Regions, RowsAreBlendedWithTheirOwnWeights) {
    const GrayImage weights{2, 4, {0, 255, 255, 0, 128, 0, 0, 128}};
    // Stored with garbage below the sample, interleaved; the second field.
    std::uint16_t src[] = {0x1001, 0x2002, 0x3003, 0x4004, 0x1101, 0x2202, 0x3303, 0x4404};
    std::uint16_t dst[] = {0x5000, 0x6000, 0x7000, 0x8000, 0x5000, 0x6000, 0x7000, 0x8000};
    const PlaneView<const std::uint16_t> from{src, 2, 2, 8, 2, 4};
    const PlaneView<std::uint16_t> to{dst, 2, 2, 8, 2, 4};
    blend_rows<std::uint16_t>(weights, 1, 2, from, to, 0, 2);
    EXPECT_EQ((std::vector<int>(dst, dst + 8)),
              (std::vector<int>{0x5000, 0x6000, 0x3003, 0x4004, 0x1101, 0x2202, blend(0x330, 0x700, 128) << 4,
                                blend(0x440, 0x800, 128) << 4}));
    EXPECT_EQ(weighted_rows({2, 3, {0, 0, 0, 1, 0, 0}}).first, 1);
    EXPECT_EQ(weighted_rows({2, 3, {0, 0, 0, 1, 0, 0}}).last, 2);
    const RowRange none = weighted_rows({2, 3, {0, 0, 0, 0, 0, 0}});
    EXPECT_EQ(none.first, none.last);
}

// A stored picture as it is shown: mirrored, then turned clockwise quarter by quarter.
GrayImage shown_of(const GrayImage& stored, Orientation orientation) {
    GrayImage image = stored;
    if (orientation.mirrored) {
        for (int y = 0; y < image.height; ++y) {
            std::reverse(image.samples.begin() + std::ptrdiff_t{y} * image.width,
                         image.samples.begin() + std::ptrdiff_t{y + 1} * image.width);
        }
    }
    for (int turn = 0; turn < orientation.quarter_turns; ++turn) {
        GrayImage turned{image.height, image.width, {}};
        for (int y = 0; y < turned.height; ++y) {
            for (int x = 0; x < turned.width; ++x) {
                turned.samples.push_back(
                    image.samples[static_cast<std::size_t>((image.height - 1 - x) * image.width + y)]);
            }
        }
        image = turned;
    }
    return image;
}

constexpr Orientation orientations[] = {{0, false}, {1, false}, {2, false}, {3, false},
                                        {0, true},  {1, true},  {2, true},  {3, true}};

// Blending in the picture as it is stored, with the region turned, shows the same as blending in the picture as it is
// shown, with the region as it is given.
TEST(Regions, OfTurnedPicturesAreMeantAsShown) {
    constexpr int width = 37;
    constexpr int height = 23;
    GrayImage picture{width, height, {}};
    GrayImage filtered{width, height, {}};
    for (int i = 0; i < width * height; ++i) {
        picture.samples.push_back(static_cast<std::uint8_t>(i * 7 % 251));
        filtered.samples.push_back(static_cast<std::uint8_t>(255 - i * 13 % 241));
    }
    const auto blended = [](GrayImage weights, const GrayImage& from, GrayImage to) {
        const PlaneView<const std::uint8_t> src{from.samples.data(), from.width, from.height, from.width};
        blend_rows<std::uint8_t>(weights, 0, 1, src, {to.samples.data(), to.width, to.height, to.width}, 0, to.height);
        return to;
    };
    for (const Orientation orientation : orientations) {
        const int across = orientation.swaps_sides() ? height : width;
        const int down = orientation.swaps_sides() ? width : height;
        GrayImage mask{across, down, {}};
        for (int i = 0; i < width * height; ++i) {
            mask.samples.push_back(static_cast<std::uint8_t>(i * 5));
        }
        for (const char* const text : {"3,5,11,7", "0,0,23,23", "50%,0%,50%,100%", "12.5%,33%,1%,50%",
                                       "10%,20%,7,9+50%,50%,50%,50%", "1%,1%,98%,98%", "4,0%,50%,22"}) {
            for (const bool invert : {false, true}) {
                for (const int soft : {0, 3}) {
                    const Region shown{parse_rectangles(text), "mask", invert, soft};
                    const Region stored = to_stored(shown, orientation, width, height);
                    EXPECT_EQ(stored.invert, invert);
                    const GrayImage wanted = blended(region_weights(shown, across, down, mask),
                                                     shown_of(picture, orientation), shown_of(filtered, orientation));
                    const GrayImage seen =
                        blended(region_weights(stored, width, height, to_stored(mask, orientation)), picture, filtered);
                    EXPECT_EQ(shown_of(seen, orientation).samples, wanted.samples)
                        << text << ' ' << orientation.quarter_turns << orientation.mirrored << invert << soft;
                }
            }
        }
        EXPECT_EQ(shown_of(to_stored(mask, orientation), orientation).samples, mask.samples);
        EXPECT_EQ(to_stored({}, orientation, width, height), Region{});
    }
    EXPECT_EQ(to_string(to_stored({.rectangles = parse_rectangles("25%,0,50%,3")}, {}, width, height).rectangles),
              "25%,0,50%,3");
}

TEST(Regions, BeyondATurnedPictureAreToldInItsShownSize) {
    const Region wide{.rectangles = parse_rectangles("0,0,30,20")};
    for (const Orientation orientation : orientations) {
        try {
            to_stored(wide, orientation, 37, 23);
            EXPECT_FALSE(orientation.swaps_sides());
        } catch (const RegionError& error) {
            EXPECT_TRUE(orientation.swaps_sides());
            EXPECT_NE(std::string(error.what()).find("23x37"), std::string::npos) << error.what();
        }
    }
}

}  // namespace

}  // namespace vfilter::test
