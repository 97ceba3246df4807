// Devices that can be made, and no engine of them.

#include "pipeline/engine/free_choice.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "config/error.h"
#include "pipeline/engine/cpu_engine.h"
#include "pipeline/engine/round_robin.h"

namespace vfilter {
namespace {

PictureFormat square_format() {
    return {.format = AV_PIX_FMT_GRAY8, .width = 16, .height = 16};
}

// A GPU whose memory another program has.
class FullDevice : public FilterDevice {
public:
    explicit FullDevice(ExitCode code = ExitCode::device) : code_(code) {}
    [[nodiscard]] PictureAllocator allocator() const override { return allocate_picture; }
    [[nodiscard]] std::unique_ptr<FilterEngine> make_engine(const std::vector<FilterSpec>&, const PictureFormat&,
                                                            FramePool&, Trace*) const override {
        throw Error(code_, "it is full");
    }
    [[nodiscard]] std::vector<int> gpus() const override { return {7}; }

private:
    ExitCode code_;
};

TEST(FreeChoice, TakesTheOtherDeviceWhereNoEngineCanBeMade) {
    const FreeChoice choice(std::make_unique<FullDevice>(), std::make_unique<CpuDevice>(1));
    FramePool pool(choice.allocator());
    EXPECT_EQ(choice.gpus(), std::vector{7}) << "as long as nobody knows";
    EXPECT_EQ(choice.note(), "");
    for (int again = 0; again < 2; ++again) {
        EXPECT_TRUE(choice.make_engine({}, square_format(), pool, nullptr)->name().starts_with("cpu"));
        EXPECT_EQ(choice.gpus(), std::vector<int>{});
        EXPECT_EQ(choice.note(), "filtering on the CPU: it is full");
    }
}

TEST(FreeChoice, HandsOnWhatTheOtherDeviceWouldSayToo) {
    const FreeChoice choice(std::make_unique<FullDevice>(ExitCode::input), std::make_unique<CpuDevice>(1));
    FramePool pool(choice.allocator());
    EXPECT_THROW(static_cast<void>(choice.make_engine({}, square_format(), pool, nullptr)), Error);
    EXPECT_EQ(choice.gpus(), std::vector{7});
}

TEST(DeviceGroup, LeavesOutThoseWithoutAnEngineIfAllThatWorkAreWanted) {
    using Wanted = DeviceGroup::Wanted;
    for (const Wanted wanted : {Wanted::all, Wanted::those_that_work}) {
        std::vector<std::unique_ptr<FilterDevice>> devices;
        devices.push_back(std::make_unique<FullDevice>());
        devices.push_back(std::make_unique<CpuDevice>(1));
        const DeviceGroup group(std::move(devices), wanted);
        FramePool pool(group.allocator());
        const auto make = [&] { return group.make_engine({}, square_format(), pool, nullptr); };
        if (wanted == Wanted::all) {
            EXPECT_THROW(static_cast<void>(make()), Error);
            continue;
        }
        EXPECT_TRUE(make()->name().starts_with("cpu"));
        EXPECT_EQ(group.note(), "a GPU is left out: it is full");
        EXPECT_EQ(group.gpus(), std::vector<int>{}) << "nothing is decoded there either";
    }
    std::vector<std::unique_ptr<FilterDevice>> none;
    none.push_back(std::make_unique<FullDevice>());
    none.push_back(std::make_unique<FullDevice>());
    const DeviceGroup group(std::move(none), Wanted::those_that_work);
    FramePool pool(group.allocator());
    EXPECT_THROW(static_cast<void>(group.make_engine({}, square_format(), pool, nullptr)), Error);
}

}  // namespace
}  // namespace vfilter
