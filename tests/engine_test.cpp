// Engines against the specification: every format's planes, chains, fields, chroma rules, shared planes.

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <random>

#include "io/formats.h"
#include "pipeline/filter_engine.h"
#include "pipeline/verifier.h"

namespace vfilter {
namespace {

FramePtr random_picture(const PictureFormat& format, FramePool& pool, unsigned seed) {
    FramePtr picture = make_frame();
    picture->format = format.format;
    picture->width = format.width;
    picture->height = format.height;
    pool.fill(*picture, format.width, format.height);
    std::mt19937 random(seed);
    for (const PlaneLayout& layout : plane_layouts(format)) {
        for (int y = 0; y < layout.height; ++y) {
            for (int x = 0; x < layout.width * layout.step; ++x) {
                const auto sample = static_cast<unsigned>(random()) & ((1U << layout.depth) - 1);
                if (layout.depth == 8) {
                    plane_view<std::uint8_t>(*picture, layout, 0, 1).row(y)[x] = static_cast<std::uint8_t>(sample);
                } else {
                    plane_view<std::uint16_t>(*picture, layout, 0, 1).row(y)[x] =
                        static_cast<std::uint16_t>(sample << layout.lsb);
                }
            }
        }
    }
    return picture;
}

FilterSpec filter(const char* name, const char* arguments) {
    return parse_filter(*find_filter(name), arguments);
}

struct Case {
    AVPixelFormat format;
    int width;
    int height;
    bool interlaced = false;
};

class EngineTest : public ::testing::TestWithParam<Case> {};

// The verifier recomputes every sample in scalar code and in double precision, and throws at the first that is wrong.
TEST_P(EngineTest, equals_the_specification) {
    const Case& one = GetParam();
    const PictureFormat format{one.format, one.width, one.height, false};
    ASSERT_TRUE(is_native(one.format)) << name_of(one.format);
#ifdef __SANITIZE_THREAD__
    constexpr int most_threads = 1;  // see pipeline_test.cpp
#else
    constexpr int most_threads = 3;
#endif
    for (const int threads : {1, most_threads}) {
        const auto device = choose_device("cpu", threads);
        FramePool pool(device->allocator());
        const std::vector<FilterSpec> chains[] = {
            {filter("gaussian", "5")},
            {filter("gaussian", "sigma=2.3:border=constant:chroma=same"), filter("box", "7:border=wrap")},
            {filter("box", "31:chroma=off:border=replicate"), filter("gaussian", "3:chroma=off")},
            {},
        };
        for (const auto& chain : chains) {
            const auto engine = device->make_engine(chain, format, pool);
            Verifier verifier(chain, format);
            for (std::int64_t n = 0; n < 3; ++n) {
                FramePtr in = random_picture(format, pool, static_cast<unsigned>(n));
                if (one.interlaced) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
                    in->flags |= AV_FRAME_FLAG_INTERLACED;
#else
                    in->interlaced_frame = 1;
#endif
                }
                in->pts = 100 * n;
                engine->submit({FramePtr(av_frame_clone(in.get())), n});
                while (engine->in_flight() > 0) {
                    const Frame out = engine->take();
                    EXPECT_EQ(out.index, n);
                    EXPECT_EQ(out.picture->pts, 100 * n);
                    EXPECT_EQ(out.picture->format, one.format);
                    ASSERT_NO_THROW(verifier.check(*in, *out.picture, n));
                }
            }
            EXPECT_EQ(verifier.result().frames, 3);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(formats, EngineTest,
                         ::testing::Values(Case{AV_PIX_FMT_YUV420P, 161, 121}, Case{AV_PIX_FMT_YUV422P, 64, 64},
                                           Case{AV_PIX_FMT_YUV444P, 67, 33}, Case{AV_PIX_FMT_YUV411P, 65, 40},
                                           Case{AV_PIX_FMT_GRAY8, 130, 70}, Case{AV_PIX_FMT_NV12, 161, 121},
                                           Case{AV_PIX_FMT_NV16, 66, 64}, Case{AV_PIX_FMT_GBRP, 100, 100},
                                           Case{AV_PIX_FMT_YUVA420P, 99, 65}, Case{AV_PIX_FMT_YUV420P10, 161, 121},
                                           Case{AV_PIX_FMT_YUV422P12, 70, 66}, Case{AV_PIX_FMT_YUV444P16, 65, 65},
                                           Case{AV_PIX_FMT_GRAY16, 77, 66}, Case{AV_PIX_FMT_GRAY10, 77, 66},
                                           Case{AV_PIX_FMT_P010, 161, 121}, Case{AV_PIX_FMT_GBRP10, 68, 67},
                                           Case{AV_PIX_FMT_GBRP16, 68, 67}, Case{AV_PIX_FMT_GBRAP, 68, 67},
                                           Case{AV_PIX_FMT_YUV420P, 1, 1}, Case{AV_PIX_FMT_YUV420P, 3, 1},
                                           Case{AV_PIX_FMT_NV12, 1, 3}, Case{AV_PIX_FMT_YUV420P, 64, 71, true},
                                           Case{AV_PIX_FMT_P010, 31, 2, true}, Case{AV_PIX_FMT_GRAY8, 5, 1, true}),
                         [](const auto& made) {
                             const Case& c = made.param;
                             return name_of(c.format) + "_" + std::to_string(c.width) + "x" + std::to_string(c.height) +
                                    (c.interlaced ? "_interlaced" : "");
                         });

TEST(Engine, chroma_off_shares_the_planes_instead_of_copying) {
    const PictureFormat format{AV_PIX_FMT_YUV420P, 64, 64, false};
    FramePool pool(allocate_picture);
    const auto engine = choose_device("cpu", 1)->make_engine({filter("gaussian", "5:chroma=off")}, format, pool);
    FramePtr in = random_picture(format, pool, 1);
    engine->submit({FramePtr(av_frame_clone(in.get())), 0});
    const Frame out = engine->take();
    EXPECT_NE(out.picture->data[0], in->data[0]);
    EXPECT_EQ(out.picture->data[1], in->data[1]);
    EXPECT_EQ(out.picture->data[2], in->data[2]);
}

TEST(Engine, recycles_its_pictures) {
    const PictureFormat format{AV_PIX_FMT_YUV420P, 64, 64, false};
    FramePool pool(allocate_picture);
    const auto engine =
        choose_device("cpu", 1)->make_engine({filter("gaussian", "5"), filter("box", "3")}, format, pool);
    for (int n = 0; n < 20; ++n) {
        engine->submit({random_picture(format, pool, 1), n});
        engine->take();
    }
    EXPECT_LE(pool.allocations(), 3);
}

TEST(Verifier, finds_one_wrong_sample) {
    const PictureFormat format{AV_PIX_FMT_YUV420P, 64, 64, false};
    const std::vector<FilterSpec> chain{filter("gaussian", "5")};
    FramePool pool(allocate_picture);
    const auto engine = choose_device("cpu", 1)->make_engine(chain, format, pool);
    FramePtr in = random_picture(format, pool, 1);
    engine->submit({FramePtr(av_frame_clone(in.get())), 0});
    const Frame out = engine->take();
    Verifier verifier(chain, format);
    EXPECT_NO_THROW(verifier.check(*in, *out.picture, 0));
    out.picture->data[1][5 + 7 * out.picture->linesize[1]] ^= 1;
    try {
        verifier.check(*in, *out.picture, 0);
        FAIL() << "a wrong sample was not found";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("plane 1, column 5, row 7"), std::string::npos) << error.what();
    }
}

TEST(Device, an_explicit_gpu_never_falls_back) {
    for (const char* name : {"cuda", "cuda:0"}) {
        try {
            choose_device(name, 0);
            FAIL() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::device);
        }
    }
    EXPECT_NO_THROW(choose_device("auto", 0));
}

TEST(Formats, what_is_not_native_has_a_lossless_neighbour) {
    EXPECT_EQ(nearest_native(AV_PIX_FMT_RGB24), AV_PIX_FMT_GBRP);
    EXPECT_EQ(nearest_native(AV_PIX_FMT_YUYV422), AV_PIX_FMT_YUV422P);
    EXPECT_EQ(nearest_native(AV_PIX_FMT_RGBA), AV_PIX_FMT_GBRAP);
    EXPECT_EQ(nearest_native(AV_PIX_FMT_YUV420P10BE), AV_PIX_FMT_YUV420P10LE);
    EXPECT_EQ(nearest_native(AV_PIX_FMT_RGB48BE), AV_PIX_FMT_GBRP16);
    EXPECT_EQ(nearest_native(AV_PIX_FMT_YUVJ420P), AV_PIX_FMT_YUV420P);
    EXPECT_EQ(nearest_native(AV_PIX_FMT_CUDA), AV_PIX_FMT_NONE);
    // Whatever is native is so at every depth that the contract knows, and nothing else is.
    for (const AVPixFmtDescriptor* d = av_pix_fmt_desc_next(nullptr); d != nullptr; d = av_pix_fmt_desc_next(d)) {
        if (is_native(av_pix_fmt_desc_get_id(d))) {
            EXPECT_GE(d->comp[0].depth, 8) << d->name;
            EXPECT_LE(d->comp[0].depth, 16) << d->name;
        }
    }
}

}  // namespace
}  // namespace vfilter
