// Cameras: their pictures, their times, and what becomes of a recording when one is unplugged or falls silent.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string_view>
#include <thread>

#include "tests/support/live.h"

namespace vfilter::test {

namespace {

using std::chrono::milliseconds;

// A driver of Video4Linux that is preloaded: pictures of one grey each, 16 + their number.
class Camera : public Live {
protected:
    [[nodiscard]] Result record(const std::string& arguments, const std::string& environment = "") const {
        return run(fmt::format("{} LD_PRELOAD={} exec $VFILTER /dev/video77 out.mkv --codec ffv1 --report r.json {}",
                               environment, VFILTER_FAKE_CAMERA, arguments));
    }
    // The number of each picture.
    [[nodiscard]] std::vector<int> numbers() const {
        constexpr std::size_t picture = 160 * 120;
        const std::string samples =
            ffmpeg_output("-i out.mkv -fps_mode passthrough -vf extractplanes=y -f rawvideo -pix_fmt gray -");
        std::vector<int> list;
        for (std::size_t at = 0; at + picture <= samples.size(); at += picture) {
            const std::string_view one(samples.data() + at, picture);
            EXPECT_EQ(one.find_first_not_of(one.front()), std::string_view::npos) << "torn";
            list.push_back(static_cast<unsigned char>(one.front()) - 16);
        }
        return list;
    }
};

TEST_F(Camera, GivesItsPicturesWithItsTimes) {
    const Result result = record("--frames 40");
    ASSERT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("160x120, 30 fps, yuyv422"), std::string::npos) << result;
    const std::vector<double> times = expect_recording("out.mkv", "r.json");
    const std::vector<int> shown = numbers();
    ASSERT_EQ(shown.size(), 40U);
    ASSERT_EQ(times.size(), 40U);
    EXPECT_TRUE(std::ranges::adjacent_find(shown, std::greater_equal()) == shown.end());
    EXPECT_LE(shown.back() - shown.front(), 39 + static_cast<int>(left_out("r.json")));
    const auto clock = [](int number) { return number * 0.040 + number % 3 * 0.001; };
    for (std::size_t i = 0; i < shown.size(); ++i) {
        EXPECT_NEAR(times[i] - times[0], clock(shown[i]) - clock(shown[0]), 0.0011);
    }
}

TEST_F(Camera, TakesASizeThatItHas) {
    const Result result = record("--frames 3 --camera-size 320x240 --camera-fps 30");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(probe("out.mkv").video().facts.at("width"), 320);
    EXPECT_NE(result.err.find("10 pictures per second are the most"), std::string::npos) << result;
    const Result wrong = record("-y --camera-size 321x240");
    EXPECT_EQ(wrong.code, 2) << wrong;
    EXPECT_NE(wrong.err.find("--list cameras"), std::string::npos) << wrong;
}

TEST_F(Camera, IsUnplugged) {
    const Result result = record("", "FAKE_CAMERA_FRAMES=30");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("lost: No such device"), std::string::npos) << result;
    EXPECT_EQ(pictures_given(), 30U);
}

TEST_F(Camera, FallsSilent) {
    const Result result = record("--timeout 1", "FAKE_CAMERA_SILENT=30");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("nothing came for 1 s"), std::string::npos) << result;
    EXPECT_EQ(pictures_given(), 30U);
}

TEST_F(Camera, FallsSilentAndIsInterrupted) {
    Command command(
        fmt::format("FAKE_CAMERA_SILENT=30 LD_PRELOAD={} exec $VFILTER /dev/video77 out.mkv --report r.json",
                    VFILTER_FAKE_CAMERA),
        folder());
    wait_for_part(command, 0);
    std::this_thread::sleep_for(milliseconds(1500));
    ASSERT_TRUE(command.signal(SIGINT));
    const Stopwatch watch;
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 130) << result;
    EXPECT_LT(watch.seconds(), 8);
    EXPECT_EQ(pictures_given(), 30U);
}

TEST_F(Camera, IsPluggedInAgain) {
    const Stopwatch watch;
    const Result result = record("--frames 50 --reconnect 5", "FAKE_CAMERA_FRAMES=30 FAKE_CAMERA_AWAY=700");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("is back after"), std::string::npos) << result;
    const std::vector<double> times = expect_recording("out.mkv", "r.json");
    ASSERT_EQ(times.size(), 50U);
    EXPECT_GT(longest_gap(times), 0.7);
    EXPECT_LT(longest_gap(times), 5 + watch.stolen());
    const std::vector<int> shown = numbers();
    EXPECT_LE(shown.back() - shown.front(), 49 + static_cast<int>(left_out("r.json")));
}

TEST_F(Camera, StaysAway) {
    const Result result = record("--reconnect 2", "FAKE_CAMERA_FRAMES=30");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("(2 of 2)"), std::string::npos) << result;
    EXPECT_EQ(pictures_given(), 30U);
}

}  // namespace

}  // namespace vfilter::test
