// Conversions of pixel formats where whole runs do not look: brightness and range.

#include "io/formats/formats.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "io/compat.h"

namespace vfilter {

namespace {

FramePtr picture_of(AVPixelFormat format, int value) {
    FramePtr frame = make_frame();
    frame->format = format;
    frame->width = 16;
    frame->height = 2;
    EXPECT_GE(av_frame_get_buffer(frame.get(), 0), 0);
    for (AVBufferRef* buffer : frame->buf) {
        if (buffer != nullptr) {
            std::memset(buffer->data, value, buffer->size);
        }
    }
    return frame;
}

TEST(Converted, SamplesOfLessThan8BitsKeepTheirBrightnessAndAreNotTheOutputs) {
    EXPECT_EQ(kept_format(AV_PIX_FMT_RGB565LE), AV_PIX_FMT_GBRP);
    EXPECT_EQ(kept_format(AV_PIX_FMT_PAL8), AV_PIX_FMT_GBRAP);
    EXPECT_EQ(kept_format(AV_PIX_FMT_BGR24), AV_PIX_FMT_BGR24);
    EXPECT_EQ(nearest_native(AV_PIX_FMT_GRAYF32), AV_PIX_FMT_NONE);
    for (const int value : {0, 255}) {
        for (const AVPixelFormat format : {AV_PIX_FMT_RGB565LE, AV_PIX_FMT_RGB444BE, AV_PIX_FMT_BGR8}) {
            const FramePtr to = picture_of(AV_PIX_FMT_GBRP, 7);
            Converter::to_native(16, 2, format).convert(*picture_of(format, value), *to);
            EXPECT_EQ(to->data[2][15], value) << name_of(format);
        }
    }
}

TEST(Converted, RangesAreWhatTheyAreSaidToBe) {
    struct Conversion {
        AVPixelFormat kept;
        AVColorRange range;
        AVPixelFormat to;
        int white;
    };
    for (const Conversion& one : {Conversion{AV_PIX_FMT_RGB24, AVCOL_RANGE_UNSPECIFIED, AV_PIX_FMT_YUV444P, 235},
                                  Conversion{AV_PIX_FMT_RGB24, AVCOL_RANGE_JPEG, AV_PIX_FMT_YUV444P, 235},
                                  Conversion{AV_PIX_FMT_RGB24, AVCOL_RANGE_JPEG, AV_PIX_FMT_YUVJ444P, 255},
                                  Conversion{AV_PIX_FMT_GRAY8, AVCOL_RANGE_UNSPECIFIED, AV_PIX_FMT_RGB24, 255},
                                  Conversion{AV_PIX_FMT_YA8, AVCOL_RANGE_UNSPECIFIED, AV_PIX_FMT_GRAY8, 255}}) {
        const FramePtr from = picture_of(nearest_native(one.kept), 255);
        from->color_range = one.range;
        const FramePtr to = picture_of(one.to, 7);
        Converter::from_native(16, 2, one.kept, one.to).convert(*from, *to);
        EXPECT_EQ(to->data[0][0], one.white) << name_of(one.kept) << ' ' << name_of(one.to);
    }
}

// Opaque stays opaque, whatever becomes of chroma and depth.
TEST(Converted, AlphaIsMovedAndNotReckoned) {
    const AVPixelFormat from_formats[] = {AV_PIX_FMT_YUVA420P, AV_PIX_FMT_YUVA422P10, AV_PIX_FMT_YUVA444P12,
                                          AV_PIX_FMT_YUV420P};
    const AVPixelFormat to_formats[] = {AV_PIX_FMT_YUVA420P,   AV_PIX_FMT_YUVA422P,   AV_PIX_FMT_YUVA444P10,
                                        AV_PIX_FMT_YUVA422P10, AV_PIX_FMT_YUVA444P12, AV_PIX_FMT_YUVA420P16};
    const auto sample = [](const FramePtr& frame, int y, int x) {
        const std::uint8_t* const row = frame->data[3] + std::ptrdiff_t{frame->linesize[3]} * y;
        const bool bytes = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame->format))->comp[3].depth == 8;
        return bytes ? int{row[x]} : int{reinterpret_cast<const std::uint16_t*>(row)[x]};
    };
    for (const AVPixelFormat format : from_formats) {
        for (const AVPixelFormat made : to_formats) {
            const AVPixFmtDescriptor& d = *av_pix_fmt_desc_get(format);
            const bool alpha = (d.flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
            const int given = d.comp[0].depth;
            const int depth = av_pix_fmt_desc_get(made)->comp[3].depth;
            for (const bool interlaced : {false, true}) {
                const FramePtr from = picture_of(format, 0);
                set_interlaced(*from, interlaced);
                for (int i = 0; alpha && i < 32; ++i) {
                    std::uint8_t* const row = from->data[3] + std::ptrdiff_t{from->linesize[3]} * (i / 16);
                    const int value = i == 1 ? 0 : (1 << given) - 1;
                    if (given == 8) {
                        row[i % 16] = static_cast<std::uint8_t>(value);
                    } else {
                        reinterpret_cast<std::uint16_t*>(row)[i % 16] = static_cast<std::uint16_t>(value);
                    }
                }
                const FramePtr to = picture_of(made, 7);
                Converter::from_native(16, 2, format, made).convert(*from, *to);
                EXPECT_EQ(sample(to, 0, 0), (1 << depth) - 1) << name_of(format) << ' ' << name_of(made);
                EXPECT_EQ(sample(to, 1, 15), (1 << depth) - 1) << name_of(format) << ' ' << name_of(made);
                EXPECT_EQ(sample(to, 0, 1), alpha ? 0 : (1 << depth) - 1) << name_of(format) << ' ' << name_of(made);
            }
        }
    }
}

// Rows of 90 and 240 in turn are those of two times.
TEST(Converted, ChromaOfFieldsIsTheirOwn) {
    const FramePtr from = make_frame();
    from->format = AV_PIX_FMT_YUV420P;
    from->width = 16;
    from->height = 16;
    ASSERT_GE(av_frame_get_buffer(from.get(), 0), 0);
    std::memset(from->buf[0]->data, 128, from->buf[0]->size);
    for (int y = 0; y < 8; ++y) {
        std::memset(from->data[1] + y * from->linesize[1], y % 2 == 0 ? 90 : 240, 8);
        std::memset(from->data[2] + y * from->linesize[2], 128, 8);
    }
    for (const bool interlaced : {false, true}) {
        set_interlaced(*from, interlaced);
        const FramePtr to = make_frame();
        to->format = AV_PIX_FMT_YUV422P;
        to->width = 16;
        to->height = 16;
        ASSERT_GE(av_frame_get_buffer(to.get(), 0), 0);
        Converter::from_native(16, 16, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P).convert(*from, *to);
        bool mixed = false;
        for (int y = 0; y < 16; ++y) {
            mixed = mixed || to->data[1][y * to->linesize[1]] != (y % 2 == 0 ? 90 : 240);
        }
        EXPECT_EQ(mixed, !interlaced);
    }
}

// Of a video whose width changes, at a height that fields of chroma do not share evenly.
TEST(Converted, FieldsOfAnotherWidthFillThePicture) {
    for (const int width : {8, 40}) {
        const FramePtr from = make_frame();
        from->format = AV_PIX_FMT_YUV420P;
        from->width = width;
        from->height = 18;
        set_interlaced(*from, true);
        ASSERT_GE(av_frame_get_buffer(from.get(), 0), 0);
        for (int plane = 0; plane < 3; ++plane) {
            for (int y = 0; y < (plane == 0 ? 18 : 9); ++y) {
                std::memset(from->data[plane] + y * from->linesize[plane], y % 2 == 0 ? 50 : 200,
                            static_cast<std::size_t>(plane == 0 ? width : width / 2));
            }
        }
        const FramePtr to = make_frame();
        to->format = AV_PIX_FMT_YUV422P;
        to->width = 16;
        to->height = 18;
        ASSERT_GE(av_frame_get_buffer(to.get(), 0), 0);
        Converter::from_native(16, 18, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P).convert(*from, *to);
        for (int plane = 0; plane < 3; ++plane) {
            for (int y = 0; y < 18; ++y) {
                for (int x = 0; x < (plane == 0 ? 16 : 8); ++x) {
                    EXPECT_EQ(to->data[plane][y * to->linesize[plane] + x], y % 2 == 0 ? 50 : 200)
                        << width << ": " << plane << ", " << x << ", " << y;
                }
            }
        }
    }
}

}  // namespace

}  // namespace vfilter
