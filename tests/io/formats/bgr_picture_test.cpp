// Colours as a screen shows them: known ones in every matrix, range and layout.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include "io/formats/bgr_picture.h"
#include "io/formats/formats.h"
#include "io/formats/samples.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

using Colour = std::array<double, 3>;  // red, green, blue, 0 to 1

constexpr Colour colours[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {0, 0, 0}, {0.5, 0.5, 0.5}, {0.2, 0.7, 0.9}};
constexpr int field = 16;  // pixels on each side
constexpr int width = field * static_cast<int>(std::size(colours));
constexpr int height = field;

struct Matrix {
    AVColorSpace space;
    double red;
    double blue;
};
constexpr Matrix matrices[] = {{AVCOL_SPC_BT709, 0.2126, 0.0722},
                               {AVCOL_SPC_SMPTE170M, 0.299, 0.114},
                               {AVCOL_SPC_BT470BG, 0.299, 0.114},
                               {AVCOL_SPC_BT2020_NCL, 0.2627, 0.0593}};

// The components as the standards write them: Y 0 to 1, the differences -0.5 to 0.5.
Colour yuv_of(const Colour& c, const Matrix& m) {
    const double y = m.red * c[0] + (1 - m.red - m.blue) * c[1] + m.blue * c[2];
    return {y, (c[2] - y) / (2 * (1 - m.blue)), (c[0] - y) / (2 * (1 - m.red))};
}

void set_sample(AVFrame& picture, const AVPixFmtDescriptor& d, int component, int x, int y, double value) {
    const AVComponentDescriptor& c = d.comp[component];
    const auto sample = static_cast<unsigned>(std::lround(value)) << c.shift;
    std::uint8_t* const at = picture.data[c.plane] + static_cast<std::ptrdiff_t>(y) * picture.linesize[c.plane] +
                             static_cast<std::ptrdiff_t>(x) * c.step + c.offset;
    if (c.depth > 8) {
        const auto word = static_cast<std::uint16_t>(sample);
        std::memcpy(at, &word, sizeof word);
    } else {
        *at = static_cast<std::uint8_t>(sample);
    }
}

FramePtr fields(AVPixelFormat format, const Matrix& matrix, bool full) {
    FramePtr picture = make_frame();
    picture->format = format;
    picture->width = width;
    picture->height = height;
    picture->color_range = full ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
    av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
    const Colours kind = colours_of(d);
    picture->colorspace = kind == Colours::rgb ? AVCOL_SPC_RGB : matrix.space;
    const double max_value = std::exp2(d.comp[0].depth) - 1;
    const double step = std::exp2(d.comp[0].depth - 8);
    for (int component = 0; component < d.nb_components; ++component) {
        const bool alpha = (d.flags & AV_PIX_FMT_FLAG_ALPHA) != 0 && component == d.nb_components - 1;
        const bool difference = kind == Colours::yuv && !alpha && component > 0;
        const int columns = difference ? AV_CEIL_RSHIFT(width, d.log2_chroma_w) : width;
        const int rows = difference ? AV_CEIL_RSHIFT(height, d.log2_chroma_h) : height;
        for (int x = 0; x < columns; ++x) {
            const Colour& colour = colours[x * width / columns / field];
            const auto index = static_cast<std::size_t>(component);
            double value = 0;
            if (alpha) {
                value = max_value;
            } else if (kind == Colours::rgb) {
                value = colour[index] * max_value;
            } else if (difference) {
                value = yuv_of(colour, matrix)[index] * (full ? max_value : 224 * step) + 128 * step;
            } else {
                value = yuv_of(colour, matrix)[0] * (full ? max_value : 219 * step) + (full ? 0 : 16 * step);
            }
            for (int y = 0; y < rows; ++y) {
                set_sample(*picture, d, component, x, y, std::clamp(value, 0.0, max_value));
            }
        }
    }
    return picture;
}

// In the middle of each field.
void expect_colours(const BgrView& view, const Matrix& matrix, bool gray, const std::string& what,
                    double tolerance = 2) {
    ASSERT_EQ(view.width, width);
    ASSERT_EQ(view.height, height);
    for (std::size_t i = 0; i < std::size(colours); ++i) {
        const std::uint8_t* const at = view.row(height / 2) + 3 * (static_cast<int>(i) * field + field / 2);
        const double y = yuv_of(colours[i], matrix)[0];
        for (std::size_t component = 0; component < 3; ++component) {
            const double wanted = 255 * (gray ? y : colours[i][component]);
            EXPECT_NEAR(at[2 - component], wanted, tolerance)
                << what << ", colour " << i << ", component " << component;
        }
    }
}

TEST(BgrPicture, HasTheColoursOfEveryMatrixAndRange) {
    BgrConverter quick;
    BgrConverter smooth(BgrConverter::Chroma::smooth);
    for (const Matrix& matrix : matrices) {
        for (const bool full : {false, true}) {
            for (const AVPixelFormat format :
                 {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV444P, AV_PIX_FMT_NV12, AV_PIX_FMT_YUV420P10}) {
                const FramePtr picture = fields(format, matrix, full);
                const std::string what =
                    name_of(format) + (full ? ", full" : ", limited") + ", matrix " + std::to_string(matrix.space);
                expect_colours(quick.convert(*picture, width, height), matrix, false, what, 2.5);
                expect_colours(smooth.convert(*picture, width, height), matrix, false, what + ", smooth");
            }
        }
    }
}

TEST(BgrPicture, IsMadeOfEveryNativeFormat) {
    BgrConverter converter;
    int count = 0;
    for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr; d = av_pix_fmt_desc_next(d)) {
        const AVPixelFormat format = av_pix_fmt_desc_get_id(d);
        if (!is_native(format) || without_j(format) != format) {
            continue;
        }
        ++count;
        for (const bool full : {false, true}) {
            const FramePtr picture = fields(format, matrices[0], full);
            expect_colours(converter.convert(*picture, width, height), matrices[0], colours_of(*d) == Colours::gray,
                           name_of(format) + (full ? ", full" : ", limited"), 2.5);
        }
    }
    EXPECT_GT(count, 50);
}

TEST(BgrPicture, WithoutTagsGoesBySize) {
    struct Size {
        int width;
        int height;
        const Matrix& matrix;
    };
    for (const Size& size : {Size{720, 576, matrices[1]}, Size{640, 480, matrices[1]}, Size{1280, 720, matrices[0]},
                             Size{608, 1080, matrices[0]}}) {
        const FramePtr picture = make_frame();
        picture->format = AV_PIX_FMT_YUV420P;
        picture->width = size.width;
        picture->height = size.height;
        av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
        const Colour green = yuv_of({0, 1, 0}, size.matrix);
        for (std::size_t plane = 0; plane < 3; ++plane) {
            const double value = plane == 0 ? 16 + 219 * green[0] : 128 + 224 * green[plane];
            const int rows = plane == 0 ? size.height : size.height / 2;
            std::memset(picture->data[plane], static_cast<int>(std::lround(value)),
                        static_cast<std::size_t>(picture->linesize[plane] * rows));
        }
        BgrConverter converter;
        const BgrView view = converter.convert(*picture, 64, 64);
        EXPECT_NEAR(view.row(9)[0], 0, 2) << size.width;
        EXPECT_NEAR(view.row(9)[1], 255, 2) << size.width;
        EXPECT_NEAR(view.row(9)[2], 0, 2) << size.width;
    }
}

TEST(BgrPicture, IsScaledAndChangesItsMind) {
    BgrConverter converter;
    for (const auto& [to_width, to_height] : {std::pair{3, 2}, {width, height}, {333, 222}, {1, 1}, {2000, 3}}) {
        const FramePtr picture = fields(AV_PIX_FMT_YUV422P, matrices[0], false);
        const BgrView view = converter.convert(*picture, to_width, to_height);
        EXPECT_EQ(view.width, to_width);
        EXPECT_EQ(view.height, to_height);
    }
    const FramePtr gray = fields(AV_PIX_FMT_GRAY8, matrices[0], true);
    expect_colours(converter.convert(*gray, width, height), matrices[0], true, "gray");
}

TEST(BgrPicture, IsSavedAsPngAndNeverOverAFile) {
    testing::Folder folder;
    BgrConverter converter;
    const FramePtr picture = fields(AV_PIX_FMT_GBRP, matrices[0], true);
    const BgrView view = converter.convert(*picture, width, height);
    const std::string path = folder / "a b.png";
    save_png(view, {4, 3}, path);
    EXPECT_THROW(save_png(view, {1, 1}, path), Error);
    EXPECT_THROW(save_png(view, {1, 1}, folder / "none/c.png"), Error);

    const std::string raw = folder / "raw";
    const std::string command = "ffmpeg -nostdin -v error -i '" + path + "' -f rawvideo -pix_fmt bgr24 '" + raw +
                                "' && ffprobe -v error -show_entries stream=sample_aspect_ratio '" + path +
                                "' | grep -q 4:3";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream file(raw, std::ios::binary);
    const std::string samples{std::istreambuf_iterator<char>(file), {}};
    ASSERT_EQ(samples.size(), static_cast<std::size_t>(3 * width * height));
    for (int y = 0; y < height; ++y) {
        EXPECT_EQ(std::memcmp(view.row(y), samples.data() + std::ptrdiff_t{3} * width * y, std::size_t{3} * width), 0)
            << y;
    }
}

}  // namespace
}  // namespace vfilter
