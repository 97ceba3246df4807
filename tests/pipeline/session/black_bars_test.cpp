// Black bars of single pictures.

#include "pipeline/session/black_bars.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "config/error.h"

namespace vfilter {
namespace {

constexpr int barred_width = 1024;
constexpr int barred_height = 64;

// Flat, of `bar` with 16 rows of `inside` in its middle; `few` bright pixels stand in row 4.
FramePtr barred_picture(AVPixelFormat format, int bar, int inside, int few = 0, int bright = 255) {
    FramePtr picture = make_frame();
    picture->format = format;
    picture->width = barred_width;
    picture->height = barred_height;
    av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
    const bool wide = format == AV_PIX_FMT_GRAY10;
    for (int y = 0; y < barred_height; ++y) {
        for (int x = 0; x < barred_width; ++x) {
            const int value = y == 4 && x < few ? bright : y >= 24 && y < 40 ? inside : bar;
            std::uint8_t* const row = picture->data[0] + std::ptrdiff_t{picture->linesize[0]} * y;
            if (wide) {
                reinterpret_cast<std::uint16_t*>(row)[x] = static_cast<std::uint16_t>(value);
            } else {
                row[x] = static_cast<std::uint8_t>(value);
            }
        }
    }
    return picture;
}

std::optional<PictureBox> inside_of(const std::vector<FramePtr>& pictures, bool full_range = false) {
    BlackBars bars;
    for (const FramePtr& picture : pictures) {
        PictureFormat format;
        format.format = static_cast<AVPixelFormat>(picture->format);
        format.width = barred_width;
        format.height = barred_height;
        format.full_range = full_range;
        bars.add(*picture, format);
    }
    return bars.inside();
}

template <class... Pictures>
std::vector<FramePtr> barred(Pictures... pictures) {
    std::vector<FramePtr> all;
    (all.push_back(std::move(pictures)), ...);
    return all;
}

const PictureBox whole_picture{0, 0, barred_width, barred_height};
const PictureBox middle_rows{0, 24, barred_width, 16};

TEST(BlackBars, AreAsDarkAsCropdetectHasIt) {
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 24, 80))), middle_rows);
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 25, 80))), whole_picture);
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY10, 96, 320))), middle_rows);
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY10, 97, 320))), whole_picture);
    // What looks as dark in the full range.
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 9, 80)), true), middle_rows);
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 10, 80)), true), whole_picture);
}

TEST(BlackBars, HoldHardlyAnyBrightPixel) {
    const PictureBox with_row{0, 4, barred_width, 36};
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 16, 80, 2))), middle_rows);
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 16, 80, 3))), with_row);
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 16, 80, 3, 95))), middle_rows);
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 16, 80, 3, 96))), with_row);
}

TEST(BlackBars, AreBlackInAllPictures) {
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 16, 80), barred_picture(AV_PIX_FMT_GRAY8, 16, 16))),
              middle_rows);
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 16, 16))), std::nullopt);
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 16, 80), barred_picture(AV_PIX_FMT_GRAY8, 80, 80))),
              whole_picture);
    // A picture of a few pixels does not make others narrower.
    EXPECT_EQ(inside_of(barred(barred_picture(AV_PIX_FMT_GRAY8, 16, 16, 4), barred_picture(AV_PIX_FMT_GRAY8, 16, 80))),
              (PictureBox{0, 4, barred_width, 36}));
}

}  // namespace
}  // namespace vfilter
