// Several devices for one video.

#include "pipeline/engine/round_robin.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "config/error.h"
#include "pipeline/engine/cpu_engine.h"
#include "tests/pipeline/engine/pictures.h"

namespace vfilter {
namespace {

using testing::filter;
using testing::random_picture;

// Holds pictures until they are taken, as a GPU does; pictures in its pocket carry its name.
class HoldingEngine : public FilterEngine {
public:
    HoldingEngine(std::string name, std::size_t slots) : name_(std::move(name)), slots_(slots) {}

    void submit(Frame frame) override {
        EXPECT_LT(inside_.size(), slots_) << name_;
        if (breaks_) {
            throw Error(ExitCode::device_lost, name_);
        }
        inside_.push_back(std::move(frame));
    }
    Frame take() override {
        Frame frame = std::move(inside_.front());
        inside_.pop_front();
        return frame;
    }
    std::size_t in_flight() const override { return inside_.size(); }
    std::size_t slots() const override { return slots_; }
    std::string name() const override { return name_; }
    std::vector<std::string> kernels() const override { return {"common", "of " + name_}; }
    EngineCounters counters() const override {
        return {.device_bytes = 10,
                .device_allocations = 2,
                .launches = 5,
                .uploads = 1,
                .downloads = 4,
                .resident = 3,
                .crossings = 2};
    }
    std::vector<int> gpus() const override { return {name_.front() - 'a'}; }
    bool takes_from_others() const override { return takes_from_others_; }
    FramePtr on_host(const AVFrame& /*picture*/) override { return nullptr; }
    void fail() { breaks_ = true; }
    void take_own_alone() { takes_from_others_ = false; }

private:
    std::string name_;
    std::size_t slots_;
    bool breaks_ = false;
    bool takes_from_others_ = true;
    std::deque<Frame> inside_;
};

RoundRobinEngine three_engines(HoldingEngine** second = nullptr) {
    std::vector<std::unique_ptr<FilterEngine>> engines;
    engines.push_back(std::make_unique<HoldingEngine>("a", 4));
    auto b = std::make_unique<HoldingEngine>("b", 2);
    if (second != nullptr) {
        *second = b.get();
    }
    engines.push_back(std::move(b));
    engines.push_back(std::make_unique<HoldingEngine>("c", 3));
    return RoundRobinEngine(std::move(engines));
}

TEST(RoundRobin, KeepsTheOrderAndDealsEvenly) {
    RoundRobinEngine engine = three_engines();
    ASSERT_EQ(engine.slots(), 6U);  // of the smallest, three times
    std::int64_t taken = 0;
    for (std::int64_t i = 0; i < 20; ++i) {
        while (engine.in_flight() >= engine.slots()) {
            EXPECT_EQ(engine.take().index, taken++);
        }
        engine.submit(Frame{make_frame(), i});
    }
    while (engine.in_flight() > 0) {
        EXPECT_EQ(engine.take().index, taken++);
    }
    EXPECT_EQ(taken, 20);
    const std::vector<DeviceShare> shares = engine.counters().shares;
    ASSERT_EQ(shares.size(), 3U);
    EXPECT_EQ(shares[0].pictures, 7);
    EXPECT_EQ(shares[1].pictures, 7);
    EXPECT_EQ(shares[2].pictures, 6);
    EXPECT_EQ(shares[1].name, "b");
}

TEST(RoundRobin, TellsWhatAllAreAndDid) {
    const RoundRobinEngine engine = three_engines();
    EXPECT_EQ(engine.name(), "a + b + c");
    EXPECT_EQ(engine.kernels(), (std::vector<std::string>{"common", "of a", "of b", "of c"}));
    EXPECT_EQ(engine.counters().device_bytes, 30);
    EXPECT_EQ(engine.counters().device_allocations, 6);
    EXPECT_EQ(engine.counters().launches, 15);
    EXPECT_EQ(engine.counters().uploads, 3);
    EXPECT_EQ(engine.counters().downloads, 12);
    EXPECT_EQ(engine.counters().resident, 9);
    EXPECT_EQ(engine.counters().crossings, 6);
}

// Whichever device has decoded a picture, it goes to the one whose turn it is.
TEST(RoundRobin, TakesPicturesOfAllDevicesIfEachDoes) {
    HoldingEngine* second = nullptr;
    RoundRobinEngine engine = three_engines(&second);
    EXPECT_EQ(engine.gpus(), (std::vector{0, 1, 2}));
    EXPECT_EQ(engine.on_host(*make_frame()), nullptr) << "an engine knows how, and not the base";
    second->take_own_alone();
    EXPECT_EQ(engine.gpus(), std::vector<int>{});
}

TEST(RoundRobin, LosesTheRunWithOneDevice) {
    HoldingEngine* second = nullptr;
    RoundRobinEngine engine = three_engines(&second);
    second->fail();
    engine.submit(Frame{make_frame(), 0});
    try {
        engine.submit(Frame{make_frame(), 1});
        ADD_FAILURE() << "it went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::device_lost);
    }
}

// With regions and moments, whose state each device has for itself.
TEST(RoundRobin, GivesTheBytesAndCountsOfOneDevice) {
    const PictureFormat format{.format = AV_PIX_FMT_YUV420P, .width = 61, .height = 47};
    const std::vector<FilterSpec> filters{filter("gaussian", "5:enable=0.1-0.3"),
                                          filter("box", "3:region=10%,10%,50%,50%:feather=2")};
    std::vector<std::unique_ptr<FilterDevice>> devices;
    for (int i = 0; i < 3; ++i) {
        devices.push_back(std::make_unique<CpuDevice>(1));
    }
    const DeviceGroup group(std::move(devices), DeviceGroup::Wanted::all, "a note");
    EXPECT_EQ(group.note(), "a note");
    FramePool pool(group.allocator());
    const auto one = CpuDevice(1).make_engine(filters, format, pool, nullptr);
    const auto all = group.make_engine(filters, format, pool, nullptr);
    for (unsigned i = 0; i < 10; ++i) {
        const FramePtr picture = random_picture(format, pool, i);
        one->submit(Frame{FramePtr(av_frame_clone(picture.get())), i});
        all->submit(Frame{FramePtr(av_frame_clone(picture.get())), i});
        const Frame a = one->take();
        const Frame b = all->take();
        EXPECT_EQ(b.index, i);
        for (int y = 0; y < format.height; ++y) {
            ASSERT_EQ(std::memcmp(a.picture->data[0] + static_cast<std::ptrdiff_t>(y) * a.picture->linesize[0],
                                  b.picture->data[0] + static_cast<std::ptrdiff_t>(y) * b.picture->linesize[0], 61),
                      0)
                << i;
        }
    }
    const std::vector<StepCount> of_one = one->step_counts();
    const std::vector<StepCount> of_all = all->step_counts();
    ASSERT_EQ(of_all.size(), 2U);
    EXPECT_GT(of_one[0].pictures, 0);
    EXPECT_LT(of_one[0].pictures, 10);
    EXPECT_EQ(of_all[0].pictures, of_one[0].pictures);
    EXPECT_EQ(of_all[1].pictures, 10);
    ASSERT_EQ(of_all[1].regions.size(), 1U);
    EXPECT_EQ(of_all[1].regions[0].pictures, 10);
}

}  // namespace
}  // namespace vfilter
