// Luma and chroma are those of H.273, to the last bit.

#include "io/formats/rgb_yuv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/formats/formats.h"
#include "io/formats/sample_layout.h"
#include "io/formats/sample_rows.h"

namespace vfilter {
namespace {

constexpr int matrix_width = 61;
constexpr int matrix_height = 33;

FramePtr matrix_noise(AVPixelFormat format) {
    FramePtr frame = make_frame();
    frame->format = format;
    frame->width = matrix_width;
    frame->height = matrix_height;
    EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
    const Layout layout = *layout_of(format);
    clear_unowned_bits(layout, *frame);
    unsigned state = 7;
    std::vector<std::uint16_t> row(matrix_width);
    for (int i = 0; i < layout.count(); ++i) {
        for (int y = 0; y < matrix_height; ++y) {
            for (std::uint16_t& sample : row) {
                state = state * 1664525 + 1013904223;
                sample = static_cast<std::uint16_t>(state >> (32U - static_cast<unsigned>(layout.components[i].depth)));
            }
            write_row(layout, *frame, i, y, row.data(), matrix_width);
        }
    }
    return frame;
}

std::vector<double> matrix_samples(const AVFrame& frame, int component) {
    const Layout layout = *layout_of(static_cast<AVPixelFormat>(frame.format));
    std::vector<double> all;
    std::vector<std::uint16_t> row(matrix_width);
    for (int y = 0; y < matrix_height; ++y) {
        read_row(layout, frame, component, y, row.data(), matrix_width);
        all.insert(all.end(), row.begin(), row.end());
    }
    return all;
}

struct MatrixWeights {
    AVColorSpace matrix;
    double red;
    double blue;
};
constexpr MatrixWeights matrix_weights[] = {
    {AVCOL_SPC_UNSPECIFIED, 0.299, 0.114}, {AVCOL_SPC_BT709, 0.2126, 0.0722}, {AVCOL_SPC_BT2020_NCL, 0.2627, 0.0593}};

// What the three samples of YUV are of a colour from 0 to 1.
std::array<double, 3> exact_yuv(const MatrixWeights& of, bool full, int depth, double r, double g, double b) {
    const double step = 1 << (depth - 8);
    const double y = of.red * r + (1 - of.red - of.blue) * g + of.blue * b;
    const double u = (b - y) / (2 * (1 - of.blue));
    const double v = (r - y) / (2 * (1 - of.red));
    const double most = (1 << depth) - 1;
    return full ? std::array{most * y, 128 * step + most * u, 128 * step + most * v}
                : std::array{step * (16 + 219 * y), step * (128 + 224 * u), step * (128 + 224 * v)};
}

TEST(RgbAndYuv, AreRoundedFromTheExactNumber) {
    for (const AVPixelFormat rgb : {AV_PIX_FMT_GBRP, AV_PIX_FMT_RGB24, AV_PIX_FMT_GBRP10, AV_PIX_FMT_GBRP16}) {
        for (const AVPixelFormat yuv :
             {AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P10, AV_PIX_FMT_YUV444P12, AV_PIX_FMT_YUV444P16}) {
            for (const MatrixWeights& of : matrix_weights) {
                for (const bool full : {false, true}) {
                    SCOPED_TRACE(name_of(rgb) + " " + name_of(yuv));
                    const FramePtr from = matrix_noise(rgb);
                    const FramePtr to = matrix_noise(yuv);
                    ASSERT_TRUE(convert_colours(*from, *to, {of.matrix, full}));
                    const int depth = layout_of(yuv)->components[0].depth;
                    const double white = (1 << layout_of(rgb)->components[0].depth) - 1;
                    std::array<std::vector<double>, 3> in;
                    std::array<std::vector<double>, 3> out;
                    for (std::size_t i = 0; i < 3; ++i) {
                        in[i] = matrix_samples(*from, static_cast<int>(i));
                        out[i] = matrix_samples(*to, static_cast<int>(i));
                    }
                    double most = 0;
                    for (std::size_t x = 0; x < in[0].size(); ++x) {
                        const std::array<double, 3> exact =
                            exact_yuv(of, full, depth, in[0][x] / white, in[1][x] / white, in[2][x] / white);
                        for (std::size_t i = 0; i < 3; ++i) {
                            most = std::max(most, std::abs(out[i][x] - std::clamp(exact[i], 0.0, (1 << depth) - 1.0)));
                        }
                    }
                    EXPECT_LE(most, 0.51);
                }
            }
        }
    }
}

TEST(RgbAndYuv, ComeBack) {
    for (const AVColorSpace matrix : {AVCOL_SPC_BT709, AVCOL_SPC_YCGCO, AVCOL_SPC_SMPTE240M}) {
        for (const bool full : {false, true}) {
            const FramePtr from = matrix_noise(AV_PIX_FMT_GBRAP);
            const FramePtr between = matrix_noise(AV_PIX_FMT_YUVA444P12);
            const FramePtr back = matrix_noise(AV_PIX_FMT_RGBA);
            ASSERT_TRUE(convert_colours(*from, *between, {matrix, full}));
            ASSERT_TRUE(convert_colours(*between, *back, {matrix, full}));
            for (int i = 0; i < 4; ++i) {
                EXPECT_EQ(matrix_samples(*from, i), matrix_samples(*back, i)) << matrix << ' ' << i;
            }
        }
    }
}

// 4:2:0 is made of whole chroma; what swscale knows nothing of is ours alone.
TEST(RgbAndYuv, GoByWayOfWholeChroma) {
    EXPECT_EQ(between_rgb_and_yuv(AV_PIX_FMT_RGB24, AV_PIX_FMT_NV12), AV_PIX_FMT_YUV444P);
    EXPECT_EQ(between_rgb_and_yuv(AV_PIX_FMT_YUV422P10, AV_PIX_FMT_GBRP16), AV_PIX_FMT_YUV444P10);
    EXPECT_EQ(between_rgb_and_yuv(AV_PIX_FMT_GBRP, AV_PIX_FMT_YUV444P), AV_PIX_FMT_NONE);
    EXPECT_EQ(between_rgb_and_yuv(AV_PIX_FMT_GRAY8, AV_PIX_FMT_YUV420P), AV_PIX_FMT_NONE);
    const FramePtr from = matrix_noise(AV_PIX_FMT_GBRP);
    const FramePtr yuv = matrix_noise(AV_PIX_FMT_YUV444P);
    ASSERT_TRUE(convert_colours(*from, *yuv, {AVCOL_SPC_YCGCO, true}));
    yuv->colorspace = AVCOL_SPC_YCGCO;
    yuv->color_range = AVCOL_RANGE_JPEG;
    const FramePtr back = matrix_noise(AV_PIX_FMT_RGB24);
    Converter::from_native(matrix_width, matrix_height, AV_PIX_FMT_YUV444P, AV_PIX_FMT_RGB24).convert(*yuv, *back);
    for (int i = 0; i < 3; ++i) {
        const std::vector<double> one = matrix_samples(*from, i);
        const std::vector<double> other = matrix_samples(*back, i);
        for (std::size_t x = 0; x < one.size(); ++x) {
            ASSERT_NEAR(one[x], other[x], 2);
        }
    }
}

}  // namespace
}  // namespace vfilter
