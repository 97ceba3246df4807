// Filters with time in the CPU engine: chains, ends, chunks, fields, spans and regions.

#include "pipeline/engine/time_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/error.h"
#include "pipeline/engine/cpu_engine.h"
#include "pipeline/engine/verifier.h"
#include "tests/pipeline/engine/pictures.h"

namespace vfilter {
namespace {

using testing::filter;
using testing::random_picture;

const PictureFormat small_format{AV_PIX_FMT_YUV420P, 37, 22, false};
#ifdef __SANITIZE_THREAD__
constexpr int window_threads = 1;  // see run_test.h
#else
constexpr int window_threads = 2;
#endif

class TimeEngine {
public:
    explicit TimeEngine(std::vector<FilterSpec> chain, const PictureFormat& format = small_format)
        : chain_(std::move(chain)), format_(format) {}

    FramePtr picture(std::int64_t number) {
        FramePtr made = random_picture(format_, pool_, static_cast<unsigned>(number) + 1);
        made->pts = 10 * number;
        if (interlaced && number != 3) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
            made->flags |= AV_FRAME_FLAG_INTERLACED;
#else
            made->interlaced_frame = 1;
#endif
        }
        return made;
    }

    // Results of the pictures [first, last), as the filter stage takes them; each is verified if asked for.
    std::vector<FramePtr> run(std::int64_t first, std::int64_t last, bool verify = false) {
        const auto engine = CpuDevice(window_threads).make_engine(chain_, format_, pool_, nullptr);
        Verifier verifier(chain_, format_);
        std::vector<FramePtr> made;
        const auto take = [&] {
            Frame frame = engine->take();
            const std::int64_t number = first + std::ssize(made);
            EXPECT_EQ(frame.index, number);
            EXPECT_EQ(frame.picture->pts, 10 * number);
            if (verify) {
                EXPECT_NO_THROW(verifier.check(*picture(number), *frame.picture, number));
            }
            made.push_back(std::move(frame.picture));
        };
        for (std::int64_t n = first; n < last; ++n) {
            FramePtr in = picture(n);
            verifier.see(*in, n);
            engine->submit({std::move(in), n});
            if (engine->in_flight() == engine->slots()) {
                EXPECT_EQ(engine->in_flight(), engine->delay() + 1);
                take();
            }
        }
        engine->finish();
        while (engine->in_flight() > 0) {
            take();
        }
        EXPECT_EQ(std::ssize(made), last - first);
        return made;
    }

    bool interlaced = false;

private:
    std::vector<FilterSpec> chain_;
    PictureFormat format_;
    FramePool pool_{allocate_picture};
};

bool same(const AVFrame& a, const AVFrame& b) {
    return std::ranges::all_of(plane_layouts(small_format), [&](const PlaneLayout& layout) {
        const auto one = plane_view<const std::uint8_t>(a, layout, 0, 1);
        const auto other = plane_view<const std::uint8_t>(b, layout, 0, 1);
        for (int y = 0; y < one.height; ++y) {
            if (!std::equal(one.row(y), one.row(y) + one.samples(), other.row(y))) {
                return false;
            }
        }
        return true;
    });
}

const std::vector<std::vector<FilterSpec>>& chains() {
    static const std::vector<std::vector<FilterSpec>> all{
        {filter("tmedian", "1")},
        {filter("taverage", "2:limit=90:after=1")},
        {filter("gaussian", "3"), filter("tmedian", "1"), filter("sobel", ""), filter("taverage", "1")},
        {filter("nlmeans", "40:patch=3:search=3:frames=1:chroma=off"), filter("tmedian", "2:after=0")},
        {filter("tmedian", "1:enable=2f-5f"), filter("taverage", "1:region=10%,10%,60%,70%:feather=3")},
        {filter("tmedian", "1:chroma=neutral")},
    };
    return all;
}

TEST(TimeEngine, EqualsTheSpecificationFromTheFirstPictureToTheLast) {
    for (const auto& chain : chains()) {
        for (const bool interlaced : {false, true}) {
            TimeEngine engine(chain);
            engine.interlaced = interlaced;
            engine.run(0, 7, true);
        }
        TimeEngine(chain).run(0, 1, true);
        TimeEngine(chain).run(0, 2, true);
        TimeEngine(chain, {AV_PIX_FMT_P010, 21, 12, false}).run(0, 4, true);
    }
}

// Not by the code that is tested: the sample in the middle of three, those at the ends twice from one side.
TEST(TimeEngine, LooksAtThePicturesBeforeAndAfter) {
    TimeEngine engine({filter("tmedian", "1")});
    const std::vector<FramePtr> made = engine.run(0, 4);
    const auto sample = [&](const FramePtr& of, int x) { return of->data[0][x]; };
    for (int x = 0; x < small_format.width; ++x) {
        std::vector<int> in;
        for (int n = 0; n < 4; ++n) {
            in.push_back(sample(engine.picture(n), x));
        }
        EXPECT_EQ(sample(made[0], x), in[1]);
        EXPECT_EQ(sample(made[1], x), std::max(std::min(in[0], in[1]), std::min(std::max(in[0], in[1]), in[2])));
        EXPECT_EQ(sample(made[3], x), in[2]);
    }
}

// A chunk that begins and ends as many pictures earlier and later as the chain looks at has the bytes of the whole.
TEST(TimeEngine, ChunksWithALeadInHaveTheBytesOfTheWhole) {
    constexpr std::int64_t pictures = 12;
    for (const auto& chain : chains()) {
        TimeEngine engine(chain);
        const std::vector<FramePtr> whole = engine.run(0, pictures);
        const TimeReach reach = time_reach(chain);
        for (std::int64_t cut = 1; cut < pictures; ++cut) {
            const std::int64_t begin = std::max<std::int64_t>(cut - reach.before, 0);
            const std::vector<FramePtr> second = engine.run(begin, pictures);
            const std::vector<FramePtr> first = engine.run(0, std::min(cut + reach.after, pictures));
            for (std::int64_t n = 0; n < pictures; ++n) {
                const FramePtr& part =
                    n < cut ? first[static_cast<std::size_t>(n)] : second[static_cast<std::size_t>(n - begin)];
                ASSERT_TRUE(same(*part, *whole[static_cast<std::size_t>(n)])) << n << ", cut at " << cut;
            }
        }
    }
}

// Pictures at which a filter does not work pass as they are, and are looked at all the same.
TEST(TimeEngine, OtherPicturesOfASpanPass) {
    TimeEngine engine({filter("tmedian", "1:enable=2f-4f")});
    TimeEngine always({filter("tmedian", "1")});
    const std::vector<FramePtr> made = engine.run(0, 6);
    const std::vector<FramePtr> all = always.run(0, 6);
    for (int n = 0; n < 6; ++n) {
        const auto at = static_cast<std::size_t>(n);
        EXPECT_TRUE(same(*made[at], n == 2 || n == 3 ? *all[at] : *engine.picture(n))) << n;
    }
}

TEST(TimeEngine, HoldsNoMorePicturesThanItsWindows) {
    FramePool pool(allocate_picture);
    const auto engine =
        CpuDevice(1).make_engine({filter("tmedian", "2"), filter("taverage", "1")}, small_format, pool, nullptr);
    EXPECT_EQ(engine->delay(), 3U);
    std::int64_t warm = 0;
    for (int n = 0; n < 60; ++n) {
        engine->submit({random_picture(small_format, pool, 1), n});
        if (engine->in_flight() == engine->slots()) {
            engine->take();
        }
        warm = n == 20 ? pool.allocations() : warm;
    }
    EXPECT_EQ(pool.allocations(), warm);
}

TEST(TimeEngine, TheVerifierFindsAWrongNeighbour) {
    TimeEngine engine({filter("taverage", "1")});
    const std::vector<FramePtr> made = engine.run(0, 3);
    Verifier verifier({filter("taverage", "1")}, small_format);
    for (int n = 0; n < 3; ++n) {
        verifier.see(*engine.picture(n == 2 ? 7 : n), n);
    }
    EXPECT_THROW(verifier.check(*engine.picture(1), *made[1], 1), Error);
}

TEST(TimeEngine, NoGpuIsTaken) {
    const std::vector<FilterSpec> chain{filter("gaussian", "3"), filter("nlmeans", "4:frames=1")};
    EXPECT_NE(choose_device_for(chain, "auto", 1, 0)->note().find("nlmeans looks at several pictures"),
              std::string::npos);
    EXPECT_EQ(choose_device_for(chain, "cpu", 1, 0)->note(), "");
    for (const char* const name : {"cuda", "cuda:0,cuda:1", "all"}) {
        try {
            choose_device_for(chain, name, 1, 0);
            FAIL() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_NE(std::string(error.what()).find("--device cpu"), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace vfilter
