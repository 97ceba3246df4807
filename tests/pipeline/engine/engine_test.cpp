// Engines against the specification: every format's planes, chains, fields, chroma rules, shared planes.

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <tuple>

#include "io/formats/formats.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/verifier.h"
#include "tests/pipeline/engine/pictures.h"

namespace vfilter {
namespace {

using testing::filter;
using testing::random_picture;

struct Case {
    AVPixelFormat format;
    int width;
    int height;
    bool interlaced = false;
};

// A device, or null and the reason why the test is skipped. On a machine that is there to run GPU tests none is
// skipped.
std::unique_ptr<FilterDevice> device_or_reason(const std::string& name, int threads, std::string& reason) {
    try {
        return choose_device(name, threads);
    } catch (const Error& error) {
        reason = error.what();
        EXPECT_EQ(error.code(), ExitCode::device);
        EXPECT_EQ(std::getenv("VFILTER_TEST_NEEDS_GPU"), nullptr) << reason;
    }
    return nullptr;
}

class EngineTest : public ::testing::TestWithParam<std::tuple<const char*, Case>> {};

// The verifier recomputes every sample in scalar code and in double precision, and throws at the first that is wrong.
TEST_P(EngineTest, EqualsTheSpecification) {
    const std::string device_name = std::get<0>(GetParam());
    const Case& one = std::get<1>(GetParam());
    const PictureFormat format{one.format, one.width, one.height, false};
    ASSERT_TRUE(is_native(one.format)) << name_of(one.format);
#ifdef __SANITIZE_THREAD__
    constexpr int max_threads = 1;  // see run_test.h
#else
    constexpr int max_threads = 3;
#endif
    // More pictures than any engine holds: each slot is used again.
    constexpr std::int64_t pictures = 11;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    // Sanitizers look at the engine, and would take most of their time for the verifier's arithmetic.
    constexpr std::int64_t first_verified = pictures - 1;
#else
    constexpr std::int64_t first_verified = 0;
#endif
    for (const int threads : {1, max_threads}) {
        std::string reason;
        const auto device = device_or_reason(device_name, threads, reason);
        if (!device) {
            GTEST_SKIP() << reason;
        }
        FramePool pool(device->allocator());
        const std::vector<FilterSpec> chains[] = {
            {filter("gaussian", "5")},
            {filter("gaussian", "sigma=2.3:border=constant:chroma=same"), filter("box", "7:border=wrap")},
            {filter("box", "31:chroma=off:border=replicate"), filter("gaussian", "3:chroma=off")},
            {filter("gaussian", "3:border=wrap"), filter("sharpen", "2:size=5:region=20%,10%,50%,70%:feather=3"),
             filter("sobel", "border=replicate:alpha=on")},
            {filter("sobel", "scale=0.5:chroma=off"), filter("emboss", "region=0%,0%,100%,60%:invert=1:chroma=same"),
             filter("gaussian", "3:chroma=neutral:region=30%,0%,70%,100%:feather=40")},
            {filter("pixelate", "6"),
             filter("fill", "#20c040:region=7%,6%,19%,31%+60%,60%,30%,30%:feather=2:outside=1"),
             filter("pixelate", "9:region=3%,5%,50%,45%:enable=2f-8f"), filter("gaussian", "9:chroma=off:enable=4f-5f"),
             filter("nlmeans", "40:patch=3:search=5:enable=3f-4f:region=5%,5%,60%,70%")},
            {filter("median", "5:enable=3f-4f"),
             filter("median", "9:shape=cross:border=wrap:region=20%,10%,60%,70%:enable=3f-4f"),
             filter("median", "9:border=constant:chroma=same:region=30%,30%,20%,20%:enable=4f-5f"),
             filter("bilateral", "30:size=9:enable=3f-4f"),
             filter("bilateral", "80:border=wrap:chroma=same:region=20%,10%,50%,60%:enable=4f-5f")},
            {filter("deband", "60:range=9:enable=3f-4f"),
             filter("deband", "64:blur=on:border=constant:region=30%,60%,60%,30%:enable=4f-5f")},
            {filter("guided", "30:size=5:enable=3f-4f"),
             filter("guided", "20:border=constant:size=3:region=20%,10%,50%,60%:enable=4f-5f")},
            {filter("box", "3:dither=on:enable=3f-4f"),
             filter("bilateral", "60:dither=on:enable=4f-5f:region=10%,30%,60%,30%")},
            {filter("gaussian", "sigma=14:region=25%,25%,20%,20%+70%,10%,25%,30%:enable=1f-9f"),
             filter("sobel", "region=0,0,17,1:chroma=off:enable=0f-3f+5f-6f")},
            {filter("gaussian", "sigma=35"), filter("gaussian", "75:chroma=same:border=constant:region=0%,0%,90%,90%")},
            {},
        };
        for (const auto& chain : chains) {
            const bool deepest = av_pix_fmt_desc_get(one.format)->comp[0].depth == 16;
            if (deepest && std::ranges::any_of(chain, &FilterSpec::dithered)) {
                continue;
            }
            const auto engine = device->make_engine(chain, format, pool, nullptr);
            Verifier verifier(chain, format);
            std::map<std::int64_t, FramePtr> inside;
            std::int64_t taken = 0;
            const auto take = [&] {
                const Frame out = engine->take();
                const FramePtr in = std::move(inside.at(taken));
                inside.erase(taken);
                EXPECT_EQ(out.index, taken);
                EXPECT_EQ(out.picture->pts, 100 * taken);
                EXPECT_EQ(out.picture->format, one.format);
                if (taken >= first_verified) {
                    verifier.check(*in, *out.picture, taken);
                }
                ++taken;
            };
            for (std::int64_t n = 0; n < pictures; ++n) {
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
                inside.emplace(n, std::move(in));
                if (engine->in_flight() == engine->slots()) {
                    ASSERT_NO_THROW(take());
                }
            }
            while (engine->in_flight() > 0) {
                ASSERT_NO_THROW(take());
            }
            EXPECT_EQ(taken, pictures);
            EXPECT_EQ(verifier.result().frames, pictures - first_verified);
        }
    }
}

std::string name_of_case(const ::testing::TestParamInfo<EngineTest::ParamType>& made) {
    const auto& [device, c] = made.param;
    return std::string(device) + "_" + name_of(c.format) + "_" + std::to_string(c.width) + "x" +
           std::to_string(c.height) + (c.interlaced ? "_interlaced" : "");
}

INSTANTIATE_TEST_SUITE_P(
    formats, EngineTest,
    ::testing::Combine(::testing::Values("cpu", "cuda"),
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
                                         Case{AV_PIX_FMT_P010, 31, 2, true}, Case{AV_PIX_FMT_GRAY8, 5, 1, true})),
    name_of_case);

class EveryEngine : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        std::string reason;
        device_ = device_or_reason(GetParam(), 1, reason);
        if (!device_) {
            GTEST_SKIP() << reason;
        }
    }
    std::unique_ptr<FilterDevice> device_;
};
INSTANTIATE_TEST_SUITE_P(devices, EveryEngine, ::testing::Values("cpu", "cuda"),
                         [](const auto& made) { return std::string(made.param); });

TEST_P(EveryEngine, ChromaOffSharesThePlanesInsteadOfCopying) {
    const PictureFormat format{AV_PIX_FMT_YUV420P, 64, 64, false};
    FramePool pool(device_->allocator());
    const auto engine = device_->make_engine({filter("gaussian", "5:chroma=off")}, format, pool, nullptr);
    FramePtr in = random_picture(format, pool, 1);
    engine->submit({FramePtr(av_frame_clone(in.get())), 0});
    const Frame out = engine->take();
    EXPECT_NE(out.picture->data[0], in->data[0]);
    EXPECT_EQ(out.picture->data[1], in->data[1]);
    EXPECT_EQ(out.picture->data[2], in->data[2]);
}

TEST_P(EveryEngine, CountsWhatDecimationBorrows) {
    const PictureFormat format{AV_PIX_FMT_YUV420P, 640, 360, false};
    FramePool pool(device_->allocator());
    const auto bytes = [&](const char* arguments) {
        const auto engine = device_->make_engine({filter("gaussian", arguments)}, format, pool, nullptr);
        engine->submit({random_picture(format, pool, 1), 0});
        engine->take();
        return engine->counters().device_bytes;
    };
    const std::int64_t plain = bytes("5");
    const std::int64_t decimated = bytes("sigma=20");
    // The luma's decimated picture at least: every fourth sample of every fourth row, two bytes each.
    EXPECT_GE(decimated - plain, plain > 0 ? 640 * 360 / 16 * 2 : 0);
}

TEST_P(EveryEngine, AllocatesNothingOnceItIsWarm) {
    const PictureFormat format{AV_PIX_FMT_YUV420P, 64, 64, false};
    FramePool pool(device_->allocator());
    const auto engine = device_->make_engine(
        {filter("gaussian", "5"), filter("sobel", ""), filter("sharpen", "region=0,0,32,32")}, format, pool, nullptr);
    const auto pass = [&](int pictures) {
        for (int n = 0; n < pictures; ++n) {
            engine->submit({random_picture(format, pool, 1), n});
            if (engine->in_flight() == engine->slots()) {
                engine->take();
            }
        }
    };
    pass(20);
    const EngineCounters counters = engine->counters();
    pass(50);
    // Two in each slot and one on its way; how many of them at once depends on when uploads end.
    EXPECT_LE(pool.allocations(), static_cast<std::int64_t>(2 * engine->slots() + 1));
    EXPECT_EQ(engine->counters().device_allocations, counters.device_allocations);
    EXPECT_EQ(engine->counters().device_bytes, counters.device_bytes);
    EXPECT_EQ(engine->counters().pageable_pictures, 0);
    if (engine->counters().launches > 0) {
        EXPECT_EQ(engine->counters().launches, 4 * 70) << "one for each picture and stage, and one for a region";
    }
}

// What comes from elsewhere than the pool: ordinary memory, upside down, each plane in a buffer of its own.
TEST_P(EveryEngine, TakesPicturesFromAnyMemory) {
    const PictureFormat format{AV_PIX_FMT_YUV420P, 101, 67, false};
    FramePool pool(device_->allocator());
    FramePool ordinary(allocate_picture);
    const std::vector<FilterSpec> chain{filter("gaussian", "7")};
    const auto engine = device_->make_engine(chain, format, pool, nullptr);
    Verifier verifier(chain, format);
    const auto rows = [](int plane) { return std::ptrdiff_t{plane == 0 ? 67 : 34}; };
    const auto upside_down = [&](AVFrame& picture, int plane) {
        picture.data[plane] += picture.linesize[plane] * (rows(plane) - 1);
        picture.linesize[plane] = -picture.linesize[plane];
    };
    const auto apart = [&](AVFrame& picture, int plane) {
        const auto bytes = static_cast<std::size_t>(picture.linesize[plane] * rows(plane));
        AVBufferRef* const buffer = allocate_picture(bytes);
        std::copy_n(picture.data[plane], bytes, buffer->data);
        picture.data[plane] = buffer->data;
        picture.buf[plane + 1] = buffer;
    };
    using Change = std::function<void(AVFrame&, int)>;
    for (const Change& change : {Change([](AVFrame&, int) {}), Change(upside_down), Change(apart)}) {
        FramePtr in = random_picture(format, ordinary, 5);
        for (int plane = 0; plane < 3; ++plane) {
            change(*in, plane);
        }
        engine->submit({FramePtr(av_frame_clone(in.get())), 0});
        const Frame out = engine->take();
        EXPECT_NO_THROW(verifier.check(*in, *out.picture, 0));
    }
    EXPECT_EQ(engine->counters().pageable_pictures, std::string(GetParam()) == "cpu" ? 0 : 3);
}

// Destroyed with pictures inside, as after an error elsewhere.
TEST_P(EveryEngine, MayEndAtAnyTime) {
    const PictureFormat format{AV_PIX_FMT_YUV420P, 640, 360, false};
    for (int n = 0; n < 10; ++n) {
        FramePool pool(device_->allocator());
        const auto engine = device_->make_engine({filter("gaussian", "31")}, format, pool, nullptr);
        for (std::size_t i = 0; i < engine->slots(); ++i) {
            engine->submit({random_picture(format, pool, 1), static_cast<std::int64_t>(i)});
        }
    }
}

TEST(Formats, WhatIsNotNativeHasALosslessNeighbour) {
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
