// Filters with time in every engine: chains, ends, chunks, fields, spans and regions.

#include "pipeline/engine/time_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/error.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/round_robin.h"
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
    explicit TimeEngine(const FilterDevice& device, std::vector<FilterSpec> chain,
                        const PictureFormat& format = small_format)
        : device_(device), chain_(std::move(chain)), format_(format), pool_(device.allocator()) {}

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
        const auto engine = device_.make_engine(chain_, format_, pool_, nullptr);
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
                EXPECT_GT(engine->in_flight(), engine->delay());
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
    const FilterDevice& device_;
    std::vector<FilterSpec> chain_;
    PictureFormat format_;
    FramePool pool_;
};

// With one stream, so that results are asked for as soon as there are any.
class TimeTest : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        try {
            device_ = choose_device(GetParam(), window_threads, 1);
        } catch (const Error& error) {
            ASSERT_EQ(std::getenv("VFILTER_TEST_NEEDS_GPU"), nullptr) << error.what();
            GTEST_SKIP() << error.what();
        }
    }
    std::unique_ptr<FilterDevice> device_;
};
INSTANTIATE_TEST_SUITE_P(devices, TimeTest, ::testing::Values("cpu", "cuda"),
                         [](const auto& made) { return std::string(made.param); });

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

TEST_P(TimeTest, EqualsTheSpecificationFromTheFirstPictureToTheLast) {
    for (const auto& chain : chains()) {
        for (const bool interlaced : {false, true}) {
            TimeEngine engine(*device_, chain);
            engine.interlaced = interlaced;
            engine.run(0, 7, true);
        }
        TimeEngine(*device_, chain).run(0, 1, true);
        TimeEngine(*device_, chain).run(0, 2, true);
        TimeEngine(*device_, chain, {AV_PIX_FMT_P010, 21, 12, false}).run(0, 4, true);
    }
}

// Not by the code that is tested: the sample in the middle of three, those at the ends twice from one side.
TEST_P(TimeTest, LooksAtThePicturesBeforeAndAfter) {
    TimeEngine engine(*device_, {filter("tmedian", "1")});
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
TEST_P(TimeTest, ChunksWithALeadInHaveTheBytesOfTheWhole) {
    constexpr std::int64_t pictures = 12;
    for (const auto& chain : chains()) {
        TimeEngine engine(*device_, chain);
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
TEST_P(TimeTest, OtherPicturesOfASpanPass) {
    TimeEngine engine(*device_, {filter("tmedian", "1:enable=2f-4f")});
    TimeEngine always(*device_, {filter("tmedian", "1")});
    const std::vector<FramePtr> made = engine.run(0, 6);
    const std::vector<FramePtr> all = always.run(0, 6);
    for (int n = 0; n < 6; ++n) {
        const auto at = static_cast<std::size_t>(n);
        EXPECT_TRUE(same(*made[at], n == 2 || n == 3 ? *all[at] : *engine.picture(n))) << n;
    }
}

TEST_P(TimeTest, HoldsNoMorePicturesThanItsWindows) {
    FramePool pool(device_->allocator());
    const auto engine =
        device_->make_engine({filter("tmedian", "2"), filter("taverage", "1")}, small_format, pool, nullptr);
    EXPECT_EQ(engine->delay(), 3U);
    std::int64_t warm = 0;
    for (int n = 0; n < 600; ++n) {
        engine->submit({random_picture(small_format, pool, 1), n});
        if (engine->in_flight() == engine->slots()) {
            engine->take();
        }
        warm = n == 20 ? pool.allocations() : warm;
    }
    // On a device it depends on its speed how many they are at a time: at most a source and a result of each picture
    // inside, what the two windows look at, and the one that is being made.
    constexpr std::int64_t windows = 5 + 3;
    EXPECT_LE(pool.allocations(), 2 * static_cast<std::int64_t>(engine->slots()) + windows + 1);
    if (std::string_view(GetParam()) == "cpu") {
        EXPECT_EQ(pool.allocations(), warm);
    }
}

TEST_P(TimeTest, TheVerifierFindsAWrongNeighbour) {
    TimeEngine engine(*device_, {filter("taverage", "1")});
    const std::vector<FramePtr> made = engine.run(0, 3);
    Verifier verifier({filter("taverage", "1")}, small_format);
    for (int n = 0; n < 3; ++n) {
        verifier.see(*engine.picture(n == 2 ? 7 : n), n);
    }
    EXPECT_THROW(verifier.check(*engine.picture(1), *made[1], 1), Error);
}

// Several pictures inside at once, in several streams: what a window keeps is not written over, and the verifier finds
// what it needs however late results come.
TEST_P(TimeTest, SlotsAreUsedAgainOnlyWhenNobodyLooksAtThem) {
    const auto device = choose_device(GetParam(), window_threads, 4);
    const std::vector<FilterSpec> chain{filter("gaussian", "3"), filter("taverage", "2:after=0"),
                                        filter("gaussian", "3:chroma=off"), filter("tmedian", "1")};
    FramePool pool(device->allocator());
    const auto engine = device->make_engine(chain, small_format, pool, nullptr);
    Verifier verifier(chain, small_format);
    std::map<std::int64_t, FramePtr> inside;
    std::int64_t taken = 0;
    const auto take = [&] {
        const Frame out = engine->take();
        ASSERT_EQ(out.index, taken);
        if (verifier.wants(taken)) {
            ASSERT_NO_THROW(verifier.check(*inside.at(taken), *out.picture, taken));
        }
        inside.erase(taken++);
    };
    for (std::int64_t n = 0; n < 111; ++n) {
        FramePtr in = random_picture(small_format, pool, static_cast<unsigned>(n));
        verifier.see(*in, n);
        inside.emplace(n, av_frame_clone(in.get()));
        engine->submit({std::move(in), n});
        if (engine->in_flight() == engine->slots()) {
            ASSERT_NO_FATAL_FAILURE(take());
        }
    }
    engine->finish();
    while (engine->in_flight() > 0) {
        ASSERT_NO_FATAL_FAILURE(take());
    }
    EXPECT_EQ(verifier.result().frames, 3);
}

// A window needs its neighbours: one of them has all pictures.
TEST_P(TimeTest, OfSeveralDevicesTheFirstOneIsTaken) {
    std::vector<std::unique_ptr<FilterDevice>> devices;
    devices.push_back(choose_device(GetParam(), window_threads, 1));
    devices.push_back(choose_device(GetParam(), window_threads, 1));
    const DeviceGroup group(std::move(devices), DeviceGroup::Wanted::all);
    const std::vector<FilterSpec> chain{filter("gaussian", "3"), filter("tmedian", "1")};
    FramePool pool(group.allocator());
    EXPECT_TRUE(group.make_engine(chain, small_format, pool, nullptr)->counters().shares.empty());
    EXPECT_EQ(group.make_engine({chain[0]}, small_format, pool, nullptr)->counters().shares.size(), 2U);
    TimeEngine(group, chain).run(0, 4, true);
}

}  // namespace
}  // namespace vfilter
