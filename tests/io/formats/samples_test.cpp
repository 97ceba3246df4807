// Samples moved between pixel formats: no bit is lost, and none is made up.

#include "io/formats/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace vfilter {
namespace {

FramePtr picture(AVPixelFormat format) {
    FramePtr frame = make_frame();
    frame->format = format;
    frame->width = 83;  // vectors, and a rest
    frame->height = 5;
    EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
    return frame;
}

// Every byte another; of formats whose samples leave bits of a word unused those are 0.
FramePtr noise(AVPixelFormat format) {
    FramePtr frame = picture(format);
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
    unsigned state = 1;
    std::vector<std::uint16_t> row(static_cast<std::size_t>(frame->width));
    for (int c = 0; c < d.nb_components; ++c) {
        const bool chroma = (c == 1 || c == 2) && (d.flags & AV_PIX_FMT_FLAG_RGB) == 0;
        const int width = chroma ? AV_CEIL_RSHIFT(frame->width, d.log2_chroma_w) : frame->width;
        const int height = chroma ? AV_CEIL_RSHIFT(frame->height, d.log2_chroma_h) : frame->height;
        for (int y = 0; y < height; ++y) {
            for (std::uint16_t& sample : row) {
                state = state * 1664525 + 1013904223;
                sample =
                    static_cast<std::uint16_t>((state >> 8U) & ((1U << static_cast<unsigned>(d.comp[c].depth)) - 1));
            }
            av_write_image_line(row.data(), frame->data, frame->linesize, &d, 0, y, c, width);
        }
    }
    return frame;
}

std::vector<std::uint16_t> samples(const AVFrame& frame, int component) {
    const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame.format));
    const bool chroma = (component == 1 || component == 2) && (d.flags & AV_PIX_FMT_FLAG_RGB) == 0;
    const int width = chroma ? AV_CEIL_RSHIFT(frame.width, d.log2_chroma_w) : frame.width;
    const int height = chroma ? AV_CEIL_RSHIFT(frame.height, d.log2_chroma_h) : frame.height;
    std::vector<std::uint16_t> all(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (int y = 0; y < height; ++y) {
        const std::uint8_t* planes[4] = {frame.data[0], frame.data[1], frame.data[2], frame.data[3]};
        av_read_image_line(all.data() + static_cast<std::ptrdiff_t>(y) * width, planes, frame.linesize, &d, 0, y,
                           component, width, 0);
    }
    return all;
}

TEST(Samples, GoToAnotherLayoutAndBack) {
    struct Row {
        AVPixelFormat from;
        AVPixelFormat to;
    };
    for (const Row& row :
         {Row{AV_PIX_FMT_YUYV422, AV_PIX_FMT_YUV422P}, Row{AV_PIX_FMT_UYVY422, AV_PIX_FMT_YUV422P},
          Row{AV_PIX_FMT_NV12, AV_PIX_FMT_YUV420P}, Row{AV_PIX_FMT_BGR24, AV_PIX_FMT_GBRP},
          Row{AV_PIX_FMT_RGBA, AV_PIX_FMT_GBRAP}, Row{AV_PIX_FMT_RGB48BE, AV_PIX_FMT_GBRP16},
          Row{AV_PIX_FMT_P010LE, AV_PIX_FMT_YUV420P10LE}, Row{AV_PIX_FMT_GRAY16BE, AV_PIX_FMT_GRAY16LE},
          Row{AV_PIX_FMT_RGB24, AV_PIX_FMT_GBRP}, Row{AV_PIX_FMT_BGR0, AV_PIX_FMT_GBRP},
          Row{AV_PIX_FMT_0RGB, AV_PIX_FMT_GBRP}, Row{AV_PIX_FMT_ABGR, AV_PIX_FMT_GBRAP},
          Row{AV_PIX_FMT_RGB48LE, AV_PIX_FMT_GBRP16LE}, Row{AV_PIX_FMT_RGBA64BE, AV_PIX_FMT_GBRAP16LE},
          Row{AV_PIX_FMT_RGB24, AV_PIX_FMT_BGRA}, Row{AV_PIX_FMT_GBRP, AV_PIX_FMT_RGBA},
          Row{AV_PIX_FMT_X2RGB10LE, AV_PIX_FMT_GBRP10LE}, Row{AV_PIX_FMT_YA16BE, AV_PIX_FMT_YA16LE}}) {
        ASSERT_TRUE(holds(row.to, row.from)) << av_get_pix_fmt_name(row.from);
        const FramePtr from = noise(row.from);
        const FramePtr to = picture(row.to);
        rearrange(*from, *to);
        const FramePtr back = picture(row.from);
        rearrange(*to, *back);
        for (int c = 0; c < av_pix_fmt_desc_get(row.from)->nb_components; ++c) {
            EXPECT_EQ(samples(*from, c), samples(*to, c)) << av_get_pix_fmt_name(row.from) << ' ' << c;
            EXPECT_EQ(samples(*from, c), samples(*back, c)) << av_get_pix_fmt_name(row.from) << ' ' << c;
        }
    }
}

TEST(Samples, ThatGetWiderKeepTheirBrightness) {
    const FramePtr from = noise(AV_PIX_FMT_GRAY8);
    const FramePtr to = picture(AV_PIX_FMT_GRAY16LE);
    rearrange(*from, *to);
    const std::vector<std::uint16_t> narrow = samples(*from, 0);
    const std::vector<std::uint16_t> wide = samples(*to, 0);
    for (std::size_t i = 0; i < narrow.size(); ++i) {
        EXPECT_EQ(wide[i], narrow[i] * 257);
    }
}

TEST(Samples, ThatGetNarrowerAreTheNearest) {
    for (const AVColorRange range : {AVCOL_RANGE_UNSPECIFIED, AVCOL_RANGE_MPEG}) {
        const FramePtr from = noise(AV_PIX_FMT_GRAY16LE);
        from->color_range = range;
        const FramePtr to = picture(AV_PIX_FMT_GRAY8);
        ASSERT_TRUE(rounds_to(AV_PIX_FMT_GRAY8, *from));
        rearrange(*from, *to);
        const std::vector<std::uint16_t> wide = samples(*from, 0);
        const std::vector<std::uint16_t> narrow = samples(*to, 0);
        for (std::size_t i = 0; i < wide.size(); ++i) {
            ASSERT_EQ(narrow[i], range == AVCOL_RANGE_MPEG ? std::min((wide[i] + 128) / 256, 255)
                                                           : (wide[i] * 255 + 32767) / 65535);
        }
    }
    const FramePtr rgba = noise(AV_PIX_FMT_RGBA64BE);
    EXPECT_TRUE(rounds_to(AV_PIX_FMT_BGR24, *rgba));
    EXPECT_FALSE(rounds_to(AV_PIX_FMT_YUV444P, *rgba));
    EXPECT_FALSE(rounds_to(AV_PIX_FMT_YUV444P, *noise(AV_PIX_FMT_YUV444P10)));
}

TEST(Samples, ThatWereNotThereAreOpaqueAndNeutral) {
    const FramePtr opaque = picture(AV_PIX_FMT_GBRAP);
    rearrange(*noise(AV_PIX_FMT_RGB24), *opaque);
    EXPECT_EQ(samples(*opaque, 3), std::vector<std::uint16_t>(83 * 5, 255));
    const FramePtr packed = picture(AV_PIX_FMT_ARGB);
    rearrange(*noise(AV_PIX_FMT_GBRP), *packed);
    EXPECT_EQ(samples(*packed, 3), std::vector<std::uint16_t>(83 * 5, 255));
    const FramePtr neutral = picture(AV_PIX_FMT_YUV444P);
    rearrange(*noise(AV_PIX_FMT_GRAY8), *neutral);
    EXPECT_EQ(samples(*neutral, 1), std::vector<std::uint16_t>(83 * 5, 128));
}

// FFmpeg writes ones where packed RGB has nothing.
TEST(Samples, ThatNobodyOwnsAreOnes) {
    const FramePtr to = picture(AV_PIX_FMT_0BGR);
    rearrange(*noise(AV_PIX_FMT_GBRP), *to);
    for (int y = 0; y < to->height; ++y) {
        for (int x = 0; x < to->width; ++x) {
            ASSERT_EQ(to->data[0][y * to->linesize[0] + x * 4], 0xff) << x << ' ' << y;
        }
    }
}

TEST(Samples, AreHeldWhereNothingIsLost) {
    EXPECT_TRUE(holds(AV_PIX_FMT_YUV422P10, AV_PIX_FMT_YUYV422));
    EXPECT_FALSE(holds(AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUYV422));
    EXPECT_FALSE(holds(AV_PIX_FMT_GBRP, AV_PIX_FMT_RGBA));
    EXPECT_FALSE(holds(AV_PIX_FMT_YUV444P, AV_PIX_FMT_RGB24));
    EXPECT_EQ(distance(AV_PIX_FMT_RGB24, AV_PIX_FMT_RGB24), 0);
    EXPECT_LT(distance(AV_PIX_FMT_RGB24, AV_PIX_FMT_GBRP), distance(AV_PIX_FMT_RGB24, AV_PIX_FMT_GBRP16));
    EXPECT_EQ(distance(AV_PIX_FMT_RGB24, AV_PIX_FMT_PAL8), -1);
    EXPECT_EQ(colours_of(*av_pix_fmt_desc_get(AV_PIX_FMT_PAL8)), Colours::rgb);
    EXPECT_EQ(colours_of(*av_pix_fmt_desc_get(AV_PIX_FMT_GRAY10)), Colours::gray);
}

}  // namespace
}  // namespace vfilter
