// Light as PQ counts it, against the curve by which libavfilter's tonemap says that it maps it.

#include "io/graph/tone_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "config/error.h"

namespace vfilter {
namespace {

// SMPTE ST 2084: the code from 0 to 1 of so many cd/m2.
double pq_code(double light) {
    constexpr double m1 = 2610.0 / 16384;
    constexpr double m2 = 2523.0 / 32;
    constexpr double c1 = 3424.0 / 4096;
    constexpr double c2 = 2413.0 / 128;
    constexpr double c3 = 2392.0 / 128;
    const double y = std::pow(light / 10000, m1);
    return std::pow((c1 + c2 * y) / (1 + c3 * y), m2);
}

// Hable's curve, brightest light 1000 cd/m2, then a screen's own: BT.1886.
double shown(double light) {
    const auto hable = [](double x) {
        return (x * (0.15 * x + 0.05) + 0.004) / (x * (0.15 * x + 0.5) + 0.06) - 0.02 / 0.3;
    };
    return 255 * std::pow(hable(light / 100) / hable(10), 1 / 2.4);
}

FramePtr flat_picture(AVPixelFormat format, int y, int u, int v) {
    FramePtr picture = make_frame();
    picture->format = format;
    picture->width = 64;
    picture->height = 32;
    picture->color_trc = AVCOL_TRC_SMPTE2084;
    av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
    const int values[] = {y, u, v};
    for (int plane = 0; plane < 3; ++plane) {
        for (int row = 0; row < 32; ++row) {
            auto* const samples =
                reinterpret_cast<std::uint16_t*>(picture->data[plane] + row * picture->linesize[plane]);
            std::fill_n(samples, 64, static_cast<std::uint16_t>(values[plane]));
        }
    }
    return picture;
}

FramePtr grey_light(double light) {
    return flat_picture(AV_PIX_FMT_YUV444P10, static_cast<int>(std::lround(64 + 876 * pq_code(light))), 512, 512);
}

TEST(ToneMap, IsForWhatSaysThatItGoesBeyondAnOrdinaryScreen) {
    AVFrame picture{};
    EXPECT_TRUE(is_beyond_sdr(*grey_light(1)));
    picture.color_trc = AVCOL_TRC_BT709;
    picture.color_primaries = AVCOL_PRI_BT709;
    EXPECT_FALSE(is_beyond_sdr(picture));
    picture.color_primaries = AVCOL_PRI_SMPTE432;
    EXPECT_TRUE(is_beyond_sdr(picture));
    picture.color_primaries = AVCOL_PRI_UNSPECIFIED;
    picture.color_trc = AVCOL_TRC_ARIB_STD_B67;
    EXPECT_TRUE(is_beyond_sdr(picture));
}

TEST(ToneMap, MapsBrightLightAndScales) {
    ToneMapper mapper;
    for (const double light : {1.0, 20.0, 100.0, 400.0, 1000.0}) {
        const AVFrame* const made = mapper.map(*grey_light(light), 40, 30);
        ASSERT_NE(made, nullptr);
        EXPECT_EQ(made->format, AV_PIX_FMT_GBRP);
        EXPECT_EQ(made->width, 40);
        EXPECT_EQ(made->height, 30);
        for (int plane = 0; plane < 3; ++plane) {
            EXPECT_NEAR(made->data[plane][15 * made->linesize[plane] + 20], shown(light), 3) << light;
        }
    }
}

TEST(ToneMap, GivesUpOnceWhereLibavfilterDoes) {
    ToneMapper mapper;
    const FramePtr picture = grey_light(100);
    picture->colorspace = AVCOL_SPC_SMPTE2085;
    EXPECT_EQ(mapper.map(*picture, 40, 30), nullptr);
    picture->colorspace = AVCOL_SPC_BT2020_NCL;
    EXPECT_EQ(mapper.map(*picture, 40, 30), nullptr) << "it is told once";
}

}  // namespace
}  // namespace vfilter
