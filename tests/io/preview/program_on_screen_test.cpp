// The program with its window on a virtual screen: what a person sees and does.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/io/preview/virtual_display.h"

namespace vfilter::test {

namespace {

using std::chrono::milliseconds;

class ProgramOnScreen : public testing::Test {
protected:
    static constexpr milliseconds limit{40'000};

    ProgramOnScreen() {
        setenv("DISPLAY", display_.name().c_str(), 1);
        setenv("VFILTER", VFILTER_BINARY, 1);
    }

    [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
    [[nodiscard]] nlohmann::json report() const {
        std::ifstream file(path("r.json"));
        return nlohmann::json::parse(file);
    }
    // Until a run with --progress json 2> told.txt has told of so many pictures.
    void wait_for_pictures(Command& command, std::int64_t pictures) const {
        const auto told = [this] {
            std::int64_t most = 0;
            std::ifstream lines(path("told.txt"));
            for (std::string line; std::getline(lines, line);) {
                const nlohmann::json progress = nlohmann::json::parse(line, nullptr, false);
                most = progress.is_object() ? progress.value("frames", most) : most;
            }
            return most;
        };
        while (command.running() && told() < pictures) {
            std::this_thread::sleep_for(milliseconds(20));
        }
    }
    // Polls until the screen is as it should be.
    template <class Condition>
    [[nodiscard]] bool comes_true(Condition condition) const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(15);
        while (std::chrono::steady_clock::now() < end) {
            if (condition(display_.screenshot())) {
                return true;
            }
            std::this_thread::sleep_for(milliseconds(100));
        }
        return false;
    }
    static bool near(Screen::Colour seen, Screen::Colour wanted) {
        for (std::size_t i = 0; i < 3; ++i) {
            if (std::abs(seen[i] - wanted[i]) > 6) {
                return false;
            }
        }
        return true;
    }

    VirtualDisplay display_{1280, 800};
    Folder folder_;
};

// Where a toolkit ends the program.
TEST_F(ProgramOnScreen, TheRecordingGoesOnWithoutADisplay) {
    auto display = std::make_unique<VirtualDisplay>(640, 480);
    const std::string source = "lavfi:testsrc2=s=160x120:r=25";
    Command command(fmt::format("DISPLAY={} exec $VFILTER {} out.mkv --live --preview --box 3 --report r.json "
                                "--progress json 2> told.txt",
                                display->name(), source),
                    folder());
    display->wait_for_window(source);
    wait_for_pictures(command, 10);
    display.reset();
    wait_for_pictures(command, 50);
    ASSERT_TRUE(command.signal(SIGINT));
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 130) << result;
    EXPECT_NE(content_of(path("told.txt")).find("the display has gone away: the recording goes on"), std::string::npos)
        << content_of(path("told.txt"));
    EXPECT_TRUE(std::filesystem::exists(path("out.mkv")));
    EXPECT_GT(report().at("frames").at("out"), 40);
}

// Nobody could see it any more.
TEST_F(ProgramOnScreen, WhatIsOnlyShownEndsWithItsDisplay) {
    auto display = std::make_unique<VirtualDisplay>(640, 480);
    const std::string source = "lavfi:testsrc2=s=160x120:r=25";
    Command command(fmt::format("DISPLAY={} exec $VFILTER {} --live --preview --box 3", display->name(), source),
                    folder());
    display->wait_for_window(source);
    display.reset();
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("the display has gone away: the preview ends"), std::string::npos) << result;
}

TEST_F(ProgramOnScreen, ShowsRecordsAndTellsWhatWasFound) {
    const std::string source = "lavfi:testsrc2=s=640x360:r=25";
    Command command(
        fmt::format("exec $VFILTER {} out.mkv --live --preview --gaussian 5 --box 3 --report r.json", source),
        folder());
    display_.wait_for_window(source);
    ASSERT_TRUE(comes_true([](const Screen& screen) {
        return near(screen.at(40, 200), {254, 0, 0});
    })) << "testsrc2's first bar";
    display_.press(source, "bracketright");
    display_.press(source, "bracketright");
    display_.press(source, "2");
    display_.press(source, "bracketright");
    std::this_thread::sleep_for(milliseconds(300));
    display_.press(source, "q");
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("--gaussian size=9 --box size=5"), std::string::npos) << result;
    EXPECT_NE(result.err.find("the same again: vfilter lavfi:testsrc2=s=640x360:r=25 out.mkv"), std::string::npos)
        << result;
    const nlohmann::json told = report();
    EXPECT_EQ(told.at("filters").at(0).at("arguments"), "size=9");
    EXPECT_GT(told.at("latency_ms").at("show").at("count"), 10);
    EXPECT_EQ(told.at("frames").at("in"),
              told.at("frames").at("out").get<std::int64_t>() + told.at("frames").at("dropped").get<std::int64_t>());
    const Result probe = run_command(
        "ffprobe -v error -count_packets -select_streams v -show_entries stream=nb_read_packets -of csv=p=0 out.mkv",
        folder());
    EXPECT_EQ(std::stoll(probe.out), told.at("frames").at("out").get<std::int64_t>());
}

// A window with moving pictures is the camera, and a second window shows what is made of it.
TEST_F(ProgramOnScreen, AScreenIsFilteredOnTheScreen) {
    Command painter("exec $VFILTER 'lavfi:testsrc2=s=320x240:r=25' --live --preview", folder());
    display_.wait_for_window("lavfi:testsrc2=s=320x240:r=25");
    const std::string camera = fmt::format("x11grab:{}", display_.name());
    Command command(fmt::format("exec $VFILTER {} --camera-size 320x240 --camera-fps 25 --preview "
                                "--kernel '0 0 0; 0 -1 0; 0 0 0:bias=255' --report r.json --progress json 2> told.txt",
                                camera),
                    folder());
    display_.wait_for_window(camera);
    wait_for_pictures(command, 35);
    display_.press(camera, "q");
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 0) << result;
    const nlohmann::json told = report();
    EXPECT_TRUE(told.at("live"));
    EXPECT_GT(told.at("latency_ms").at("show").at("count"), 10);
    EXPECT_EQ(told.at("output"), "");
    EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
}

TEST_F(ProgramOnScreen, PlaysAFileAtItsPace) {
    ASSERT_EQ(run_command("ffmpeg -v error -f lavfi -i color=red:s=320x240:r=25:d=1 -f lavfi -i "
                          "color=blue:s=320x240:r=25:d=1 -f lavfi -i sine=d=2 -filter_complex concat=n=2 in.mkv",
                          folder())
                  .code,
              0);
    const auto begin = std::chrono::steady_clock::now();
    Command command("exec $VFILTER in.mkv --preview --gaussian 3 --report r.json", folder());
    EXPECT_TRUE(comes_true([](const Screen& screen) { return near(screen.at(160, 150), {254, 0, 0}); }));
    EXPECT_TRUE(comes_true([](const Screen& screen) { return near(screen.at(160, 150), {0, 0, 254}); }));
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(1900));
    EXPECT_NE(result.err.find("the sound is not played"), std::string::npos) << result;
    EXPECT_EQ(report().at("frames").at("out"), 50);
}

// Stored it is red at the left and blue at the right, from 4 s on green; shown, turned a quarter to the left, 480
// pixels high and 320 wide.
TEST_F(ProgramOnScreen, ShowsAPhonesVideoUprightAndGoesWhereItsUserWants) {
    ASSERT_EQ(run_command("ffmpeg -v error -f lavfi -i \"color=red:s=48x64:r=10:d=8[a];color=blue:s=48x64:r=10:d=8[b];"
                          "[a][b]hstack,drawbox=t=fill:c=lime:enable='gte(t,4)'\" -c:v mpeg4 -q:v 2 -g 7 plain.mp4 && "
                          "(ffmpeg -v quiet -display_rotation 90 -i plain.mp4 -c copy in.mp4 || "
                          "ffmpeg -v error -y -i plain.mp4 -c copy -metadata:s:v rotate=90 in.mp4)",
                          folder())
                  .code,
              0);
    Command command("exec $VFILTER in.mp4 --preview --gaussian 3 --report r.json", folder());
    const auto upright = [](const Screen& screen) {
        return near(screen.at(160, 220), {0, 0, 254}) && near(screen.at(160, 400), {254, 0, 0});
    };
    EXPECT_TRUE(comes_true(upright)) << "and not side by side";
    display_.press("in.mp4", "space");
    display_.drag(80, 260, 240, 360);
    display_.press("in.mp4", "Right");
    EXPECT_TRUE(comes_true([](const Screen& screen) {
        return near(screen.at(280, 220), {0, 254, 0});
    })) << "5 seconds on, while it is paused";
    EXPECT_TRUE(comes_true([](const Screen& screen) {
        const Screen::Colour edge = screen.at(160, 260);
        return edge[0] > 200 && edge[1] > 180 && edge[2] < 80;
    })) << "the outline";
    display_.press("in.mp4", "Left");
    EXPECT_TRUE(comes_true(upright));
    display_.press("in.mp4", "q");
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("the same again: vfilter in.mp4 --preview"), std::string::npos) << result;
    EXPECT_NE(result.err.find("--gaussian size=3:region=16,52,32,20"), std::string::npos) << result;
    EXPECT_EQ(report().at("exit_code"), 0);
}

TEST_F(ProgramOnScreen, ASignalEndsItAlthoughItIsPaused) {
    ASSERT_EQ(run_command("ffmpeg -v error -f lavfi -i color=red:s=320x240:r=25:d=20 in.mkv", folder()).code, 0);
    Command command("exec $VFILTER in.mkv --preview", folder());
    display_.wait_for_window("in.mkv");
    EXPECT_TRUE(comes_true([](const Screen& screen) { return near(screen.at(160, 150), {254, 0, 0}); }));
    display_.press("in.mkv", "space");
    std::this_thread::sleep_for(milliseconds(300));
    command.signal(SIGINT);
    const Result result = command.wait(milliseconds(10'000));
    EXPECT_EQ(result.code, 130) << result;
}

TEST(ProgramWithoutScreen, IsBadUsageAndOpensNothing) {
    const Folder folder;
    setenv("VFILTER", VFILTER_BINARY, 1);
    const Result result =
        run_command("unset DISPLAY WAYLAND_DISPLAY; exec $VFILTER 'lavfi:testsrc2=d=1' out.mkv --preview --gaussian 5",
                    folder.path());
    EXPECT_EQ(result.code, 2) << result;
    EXPECT_NE(result.err.find("--preview: there is no display"), std::string::npos) << result;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace

}  // namespace vfilter::test
