// Palettes made from pictures.

#include "io/codec/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "tests/support/folder.h"

namespace vfilter {
namespace {

using PaletteColour = std::uint32_t;  // 0xAARRGGBB
constexpr int picture_side = 32;

GraphPictures of_size(int size) {
    return {.format = AV_PIX_FMT_RGB32,
            .width = size,
            .height = size,
            .time_base = {1, 1000},
            .frame_rate = {10, 1},
            .sample_aspect = {1, 1},
            .matrix = AVCOL_SPC_RGB,
            .range = AVCOL_RANGE_JPEG};
}

FramePtr plain_picture(PaletteColour colour, std::int64_t pts, int size = picture_side) {
    FramePtr picture = make_frame();
    picture->format = AV_PIX_FMT_RGB32;
    picture->width = size;
    picture->height = size;
    picture->pts = pts;
    av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
    for (std::ptrdiff_t y = 0; y < size; ++y) {
        std::fill_n(reinterpret_cast<PaletteColour*>(picture->data[0] + y * picture->linesize[0]), size, colour);
    }
    return picture;
}

std::vector<FramePtr> take_all(Palettes& palettes) {
    std::vector<FramePtr> all;
    while (FramePtr picture = palettes.receive()) {
        all.push_back(std::move(picture));
    }
    return all;
}

std::vector<PaletteColour> colours_in(const AVFrame& picture) {
    const auto* const first = reinterpret_cast<const PaletteColour*>(picture.data[1]);
    return {first, first + 256};
}

// Of its first pixel.
PaletteColour colour_of(const AVFrame& picture) {
    return colours_in(picture)[picture.data[0][0]];
}

bool has_colour(const AVFrame& picture, PaletteColour colour) {
    const std::vector<PaletteColour> all = colours_in(picture);
    return std::ranges::find(all, colour) != all.end();
}

constexpr PaletteColour dark_red = 0xFF802010;
constexpr PaletteColour pale_blue = 0xFF90A0F0;

TEST(PalettesTest, OfAClipAreMadeInOnePassAndUsedInTheNext) {
    const test::Folder folder;
    const std::string file = folder / "video0";
    Palettes first(of_size(picture_side), Palettes::Scope::made_for_clip, file);
    std::int64_t pts = 5;
    for (const PaletteColour colour : {dark_red, pale_blue}) {
        first.send(plain_picture(colour, pts));
        const std::vector<FramePtr> blank = take_all(first);
        ASSERT_EQ(blank.size(), 1U);
        EXPECT_EQ(blank[0]->pts, pts);
        EXPECT_EQ(blank[0]->format, AV_PIX_FMT_PAL8);
        pts += 3000;
    }
    EXPECT_FALSE(first.ended());
    first.send(nullptr);
    EXPECT_TRUE(first.ended());

    Palettes second(of_size(picture_side), Palettes::Scope::clip, file);
    second.send(plain_picture(dark_red, 5));
    std::vector<FramePtr> mapped = take_all(second);
    ASSERT_EQ(mapped.size(), 1U) << "nothing waits where the palette is known";
    EXPECT_EQ(mapped[0]->pts, 5);
    EXPECT_EQ(colour_of(*mapped[0]), dark_red);
    EXPECT_TRUE(has_colour(*mapped[0], pale_blue));
    second.send(plain_picture(pale_blue, 3005));
    mapped = take_all(second);
    ASSERT_EQ(mapped.size(), 1U);
    EXPECT_EQ(colour_of(*mapped[0]), pale_blue);
    second.send(nullptr);
    EXPECT_TRUE(second.ended());
}

TEST(PalettesTest, OfASecondAreThoseOfItsPictures) {
    Palettes palettes(of_size(picture_side), Palettes::Scope::second, "");
    std::vector<FramePtr> made;
    const auto send = [&](FramePtr picture) {
        palettes.send(std::move(picture));
        std::ranges::move(take_all(palettes), std::back_inserter(made));
    };
    for (std::int64_t pts = 0; pts < 1000; pts += 250) {
        send(plain_picture(dark_red, pts));
        EXPECT_TRUE(made.empty()) << pts;
    }
    send(plain_picture(pale_blue, 1000));
    EXPECT_EQ(made.size(), 4U);
    EXPECT_FALSE(palettes.ended());
    send(nullptr);
    EXPECT_TRUE(palettes.ended());
    ASSERT_EQ(made.size(), 5U);
    for (std::size_t i = 0; i < made.size(); ++i) {
        const bool red = i < 4;
        EXPECT_EQ(made[i]->pts, static_cast<std::int64_t>(i) * 250);
        EXPECT_EQ(colour_of(*made[i]), red ? dark_red : pale_blue);
        EXPECT_NE(has_colour(*made[i], red ? pale_blue : dark_red), true);
    }
}

// Few large pictures wait, however long they last.
TEST(PalettesTest, BoundWhatWaits) {
    constexpr int large = 2048;
    Palettes palettes(of_size(large), Palettes::Scope::second, "");
    palettes.send(plain_picture(dark_red, 0, large));
    EXPECT_TRUE(take_all(palettes).empty());
    palettes.send(plain_picture(dark_red, 1, large));
    EXPECT_EQ(take_all(palettes).size(), 1U);
}

}  // namespace
}  // namespace vfilter
