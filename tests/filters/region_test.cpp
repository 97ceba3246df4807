// Regions: their texts, their weights, and how samples are blended.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "filters/region_weights.h"

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

// The weights of a plane as a picture.
GrayImage as_picture(const PlaneWeights& weights, int width, int height) {
    GrayImage picture{width, height, {}};
    picture.samples.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (const WeightBox& box : weights.boxes) {
        for (int y = box.top; y < box.bottom(); ++y) {
            std::uint8_t* const to = picture.samples.data() + std::ptrdiff_t{y} * width + box.left;
            for (int x = 0; x < box.width; ++x) {
                EXPECT_EQ(to[x], 0) << "boxes have no sample in common";
                to[x] = weights.row(box, y)[x];
            }
        }
    }
    return picture;
}

// A picture as weights: one box that holds all of it.
PlaneWeights as_weights(const GrayImage& picture) {
    return {{{0, 0, picture.width, picture.height, 0}}, picture.samples};
}

GrayImage weights_of_boxes(const std::vector<PixelBox>& boxes, const Region& region, int width, int height,
                           const GrayImage& mask, const SubsampledPlane& plane, int fields = 1) {
    WeightMaker maker(width, height, {plane}, {region.invert, region.feather, region.outside});
    std::vector<PlaneWeights> weights;
    const WeightMaker::Cover cover{
        .everywhere = boxes.empty(), .boxes = boxes, .mask = region.mask.empty() ? nullptr : &mask, .fields = fields};
    maker.make(cover, weights);
    const std::vector<PlaneWeights> first = weights;
    maker.make(cover, weights);
    EXPECT_EQ(first[0].samples, weights[0].samples) << "made again";
    return as_picture(weights[0], plane.width, plane.height);
}

GrayImage region_weights(const Region& region, int width, int height, const GrayImage& mask) {
    return weights_of_boxes(fixed_boxes(region, width, height), region, width, height, mask, {width, height});
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

TEST(Regions, WhatReachesOverTheEdgeIsCut) {
    for (const char* text : {"3,1,4,3", "3,1,65536,65536", "50%,25%,100%,100%"}) {
        EXPECT_EQ(fixed_boxes({.rectangles = parse_rectangles(text)}, 6, 4), (std::vector{PixelBox{3, 1, 6, 4}}))
            << text;
    }
    for (const char* text : {"6,0,1,1", "0,4,5,5", "100%,0,1,1"}) {
        try {
            fixed_boxes({.rectangles = parse_rectangles(text)}, 6, 4);
            ADD_FAILURE() << text;
        } catch (const RegionError& error) {
            EXPECT_NE(std::string(error.what()).find("6x4"), std::string::npos) << error.what();
        }
    }
}

TEST(Regions, OfTracksHaveAllPixelsThatTheyTouch) {
    EXPECT_EQ(moving_box({1.2, 2.9, 3, 4}, {}, 100, 100), (PixelBox{1, 2, 5, 7}));
    EXPECT_EQ(moving_box({10, 20, 30, 40}, {10, true}, 100, 100), (PixelBox{7, 16, 43, 64}));
    EXPECT_EQ(moving_box({10, 20, 30, 40}, {2.5, false}, 100, 100), (PixelBox{7, 17, 43, 63}));
    EXPECT_EQ(moving_box({-5, -5, 20, 20}, {}, 12, 13), (PixelBox{0, 0, 12, 13}));
    EXPECT_TRUE(moving_box({-5, 0, 5, 5}, {}, 12, 13).empty());
    EXPECT_TRUE(moving_box({1e6, 0, 1e6, 5}, {}, 12, 13).empty());
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

// As the rule says it, pixel by pixel: 255 in the boxes, and its distance to them or to what is outside of them.
TEST(Regions, WeightsOfManyBoxesAreThoseOfTheirUnion) {
    std::mt19937 random(5);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    for (int n = 0; n < 300; ++n) {
        const int width = 1 + below(60);
        const int height = 1 + below(40);
        std::vector<PixelBox> boxes;
        for (int i = 1 + below(5); i > 0; --i) {
            const int x = below(width);
            const int y = below(height);
            boxes.push_back({x, y, std::min(x + 1 + below(20), width), std::min(y + 1 + below(15), height)});
        }
        const auto covered = [&](int x, int y) {
            return std::ranges::any_of(
                boxes, [&](const PixelBox& b) { return x >= b.left && x < b.right && y >= b.top && y < b.bottom; });
        };
        const Region region{.invert = below(4) == 0, .feather = below(6), .outside = below(2) == 0};
        const GrayImage made = weights_of_boxes(boxes, region, width, height, {}, {width, height});
        const int whole = region.feather + 1;
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                int distance = whole;  // to the nearest pixel of the other kind
                for (int v = 0; v < height; ++v) {
                    for (int u = 0; u < width; ++u) {
                        if ((covered(u, v) != region.invert) == region.outside) {
                            distance = std::min(distance, std::max(std::abs(u - x), std::abs(v - y)));
                        }
                    }
                }
                const int share = region.outside ? whole - distance : distance;
                ASSERT_EQ(row(made, y)[static_cast<std::size_t>(x)], (255 * share + whole / 2) / whole)
                    << x << ',' << y << " of " << width << 'x' << height << " feather " << region.feather
                    << region.outside << region.invert << " case " << n;
            }
        }
    }
}

TEST(Regions, SmallBoxesOfLargePicturesHaveFewWeights) {
    WeightMaker maker(4000, 3000, {{4000, 3000}, {2000, 1500, 2, 2}}, {});
    const std::vector<PixelBox> boxes{{100, 100, 120, 120}, {3000, 2000, 3010, 2010}};
    std::vector<PlaneWeights> weights;
    maker.make({.boxes = boxes}, weights);
    EXPECT_LT(weights[0].samples.size(), 1000U);
    EXPECT_EQ(weights[0].boxes.size(), 2U);
    maker.make({}, weights);
    EXPECT_TRUE(weights[0].boxes.empty());
    EXPECT_TRUE(weights[1].samples.empty());
}

// Many boxes one over the other, and feathers, take seconds in large pictures.
TEST(Regions, WeightsAreGivenUpOnTheWay) {
    const std::vector<PixelBox> boxes(100, {0, 0, 2000, 2000});
    for (const bool outside : {false, true}) {
        WeightMaker maker(2000, 2000, {{2000, 2000}}, {.invert = false, .feather = 9, .outside = outside});
        std::vector<PlaneWeights> whole;
        int asked = 0;
        EXPECT_TRUE(maker.make({.boxes = boxes}, whole, [&] { return ++asked < 0; }));
        EXPECT_GT(asked, 300) << "a question for each million samples";
        std::vector<PlaneWeights> weights;
        for (const int last : {1, asked / 2, asked}) {
            int now = 0;
            EXPECT_FALSE(maker.make({.boxes = boxes}, weights, [&] { return ++now == last; }));
            EXPECT_EQ(now, last) << "nobody is asked who has said it";
        }
        EXPECT_TRUE(maker.make({.boxes = boxes}, weights));
        EXPECT_EQ(weights[0].samples, whole[0].samples);
    }
}

TEST(Regions, ASampleOfChromaHasTheLargestWeightOfItsPixels) {
    const GrayImage mask{5,
                         3,
                         {0, 0, 255, 255, 255,  //
                          0, 0, 255, 255, 0,    //
                          0, 100, 0, 0, 255}};
    const GrayImage plane = weights_of_boxes({}, {.mask = "m"}, 5, 3, mask, {3, 2, 2, 2});
    EXPECT_EQ(row(plane, 0), (std::vector{0, 255, 255}));
    EXPECT_EQ(row(plane, 1), (std::vector{100, 0, 255}));
}

// Whatever the subsampling: no sample of chroma that a covered pixel has anything of is left, and no other is taken.
TEST(Regions, NoRimOfChromaIsLeft) {
    std::mt19937 random(6);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    for (int n = 0; n < 200; ++n) {
        const int width = 1 + below(40);
        const int height = 1 + below(40);
        const int pitch_x = 1 << below(3);
        const int pitch_y = 1 << below(3);
        const int fields = height > 1 ? 1 + below(2) : 1;
        const SubsampledPlane plane{(width + pitch_x - 1) / pitch_x, (height + pitch_y - 1) / pitch_y, pitch_x,
                                    pitch_y};
        std::vector<PixelBox> boxes;
        for (int i = 1 + below(4); i > 0; --i) {
            const int x = below(width);
            const int y = below(height);
            boxes.push_back({x, y, std::min(x + 1 + below(7), width), std::min(y + 1 + below(7), height)});
        }
        GrayImage wanted{plane.width, plane.height, {}};
        wanted.samples.resize(static_cast<std::size_t>(plane.width) * static_cast<std::size_t>(plane.height));
        for (const PixelBox& box : boxes) {
            for (int y = box.top; y < box.bottom; ++y) {
                const int field = y % fields;
                const int last = (plane.height - 1 - field) / fields;  // row of the field
                const int chroma = std::min(y / fields / pitch_y, last) * fields + field;
                for (int x = box.left; x < box.right && plane.height > field; ++x) {
                    wanted.samples[static_cast<std::size_t>(chroma * plane.width + x / pitch_x)] = 255;
                }
            }
        }
        EXPECT_EQ(weights_of_boxes(boxes, {}, width, height, {}, plane, fields).samples, wanted.samples)
            << width << 'x' << height << " by " << pitch_x << 'x' << pitch_y << ", fields " << fields;
    }
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
    blend_rows<std::uint16_t>(as_weights(weights), 1, 2, from, to, 0, 2);
    EXPECT_EQ((std::vector<int>(dst, dst + 8)),
              (std::vector<int>{0x5000, 0x6000, 0x3003, 0x4004, 0x1101, 0x2202, blend(0x330, 0x700, 128) << 4,
                                blend(0x440, 0x800, 128) << 4}));
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
        blend_rows<std::uint8_t>(as_weights(weights), 0, 1, src, {to.samples.data(), to.width, to.height, to.width}, 0,
                                 to.height);
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
                    const Region shown{
                        .rectangles = parse_rectangles(text), .mask = "mask", .invert = invert, .feather = soft};
                    std::vector<PixelBox> stored;
                    for (const PixelBox& box : fixed_boxes(shown, across, down)) {
                        stored.push_back(to_stored(box, orientation, width, height));
                    }
                    const GrayImage wanted = blended(region_weights(shown, across, down, mask),
                                                     shown_of(picture, orientation), shown_of(filtered, orientation));
                    const GrayImage seen = blended(
                        weights_of_boxes(stored, shown, width, height, to_stored(mask, orientation), {width, height}),
                        picture, filtered);
                    EXPECT_EQ(shown_of(seen, orientation).samples, wanted.samples)
                        << text << ' ' << orientation.quarter_turns << orientation.mirrored << invert << soft;
                }
            }
        }
        EXPECT_EQ(shown_of(to_stored(mask, orientation), orientation).samples, mask.samples);
    }
}

}  // namespace

}  // namespace vfilter::test
