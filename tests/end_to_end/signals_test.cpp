// Stopped in the middle, killed, left alone by its reader, and run many times at once.

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <functional>
#include <thread>

#include "tests/support/end_to_end.h"
#include "tests/support/stopwatch.h"

namespace vfilter::test {

namespace {

using std::chrono::milliseconds;

class Signals : public EndToEnd {
protected:
    static constexpr milliseconds limit{30'000};

    void make_long_clip(int seconds = 6) const {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=320x240:r=25:d={0} -f lavfi -i sine=r=48000:d={0} -c:v libx264 "
                        "-preset ultrafast -bf 3 -c:a aac in.mkv",
                        seconds));
    }
    // What a run does after a signal, which is sent once so much of its output is there. It has two seconds by the
    // clock: again where the machine stood still meanwhile.
    [[nodiscard]] Result stopped(
        const std::string& line, int number, std::uintmax_t bytes = 1,
        const std::function<void()>& before = [] {}) const {
        for (;;) {
            for (const std::string& part : parts()) {
                std::filesystem::remove(path(part));
            }
            Command command(line, folder());
            wait_for_part(command, bytes);
            before();
            const Stopwatch watch;
            EXPECT_TRUE(command.signal(number)) << "it has ended before";
            Result result = command.wait(limit);
            if (!watch.disturbed()) {
                return result;
            }
        }
    }
    // The output is whole and holds what the report says.
    void expect_whole(const Result& result) const {
        EXPECT_EQ(json_of("r.json").at("exit_code"), result.code);
        expect_whole();
        EXPECT_EQ(parts().size(), 0U);
    }
    void expect_whole() const {
        const nlohmann::json report = json_of("r.json");
        const nlohmann::json frames = report.at("frames");
        // On a busy machine an encoder may need longer for what is inside than a signal allows.
        EXPECT_EQ(frames.at("in"), frames.at("out").get<int>() + report.at("abandoned").get<int>());
        EXPECT_EQ(count_pictures("out.mkv"), report.at("frames").at("out"));
        EXPECT_EQ(ffmpeg_complaints("out.mkv"), "");
    }
};

// Runs that take a second or two, and half of one from a signal to their end, as their encoder is full of pictures:
// without using the processor. (Signals at any time: faults.Killed.)
const std::string slowly = fmt::format("env LD_PRELOAD={} SLOW=av_interleaved_write_frame:3 $VFILTER ", VFILTER_STUCK);
const std::string slow_encoder = " --gaussian 5 --preset ultrafast --encoder-option rc-lookahead=20 --threads 1";
const std::string slow_run = "exec " + slowly + "in.mkv out.mkv -y --progress none --report r.json" + slow_encoder;

TEST_F(Signals, FinishTheFileInTheMiddle) {
    make_long_clip();
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        std::filesystem::remove(path("r.json"));
        write("out.mkv", "old");
        const Result result = stopped(slow_run, number, 1, [this] {
            EXPECT_TRUE(content("out.mkv") == "old" || exists("r.json")) << "replaced before it was finished";
        });
        EXPECT_EQ(result.code, 128 + number) << result;
        expect_whole(result);
        const int frames = json_of("r.json").at("frames").at("out");
        EXPECT_GT(frames, 0);
        EXPECT_LT(frames, 150);
        // Not a second of sound beyond the pictures.
        EXPECT_LT(probe("out.mkv").of("audio").at(0).times().back(), frames / 25.0 + 1.5);
    }
}

TEST_F(Signals, ALostTerminalIsNothingToNohup) {
    make_long_clip();
    Command command("trap '' HUP; exec " + slowly + "in.mkv out.mkv" + slow_encoder, folder());
    wait_for_part(command);
    ASSERT_TRUE(command.signal(SIGHUP));
    std::this_thread::sleep_for(milliseconds(300));
    ASSERT_TRUE(command.signal(SIGTERM));
    EXPECT_EQ(command.wait(limit).code, 128 + SIGTERM);
}

// A name that was free when the run began may not be when it ends.
TEST_F(Signals, WhatAppearsMeanwhileStays) {
    make_long_clip();
    Command command(slowly + "in.mkv new.mkv -q" + slow_encoder, folder());
    wait_for_part(command);
    write("new.mkv", "precious");
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_NE(result.err.find("has come to exist since the run began"), std::string::npos) << result;
    EXPECT_EQ(content("new.mkv"), "precious");
    EXPECT_EQ(parts().size(), 1U);
    // 130 says that what came is in place.
    constexpr std::uintmax_t some_pictures = 200'000;
    std::filesystem::remove(path("new.mkv"));
    const Result after = stopped("exec " + slowly + "in.mkv newer.mkv -q --codec ffv1 --threads 1", SIGINT,
                                 some_pictures, [this] { write("newer.mkv", "precious"); });
    EXPECT_EQ(after.code, 4) << after;
    EXPECT_EQ(content("newer.mkv"), "precious");
}

TEST_F(Signals, BeforeTheFirstPictureLeaveTheOldFile) {
    make_long_clip();
    write("out.mkv", "old");
    Command command("exec $VFILTER --live in.mkv out.mkv -y --vf 'select=gte(t\\,100)'", folder());
    wait_for_part(command);
    std::this_thread::sleep_for(milliseconds(500));
    ASSERT_TRUE(command.signal(SIGINT));
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 130) << result;
    EXPECT_NE(result.err.find("stopped before the first picture"), std::string::npos) << result;
    EXPECT_EQ(content("out.mkv"), "old");
    EXPECT_EQ(parts().size(), 0U);
}

// A pipe that gives no more and does not end.
TEST_F(Signals, EndAWaitForInput) {
    make_clip("clip.ts", 75);
    ASSERT_EQ(run("mkfifo feed").code, 0);
    Command feeder("exec 3>feed; cat clip.ts >&3; sleep 60", folder());
    Command command("exec $VFILTER - out.mkv --progress none --report r.json < feed", folder());
    wait_for_part(command);
    std::this_thread::sleep_for(milliseconds(300));
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(command.signal(SIGINT));
    const Result result = command.wait(limit);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
    EXPECT_EQ(result.code, 130) << result;
    expect_whole(result);
    EXPECT_GT(json_of("r.json").at("frames").at("out"), 40);
}

TEST_F(Signals, KilledItLeavesTheOldFile) {
    make_long_clip();
    write("out.mkv", "old");
    Command command(slow_run, folder());
    wait_for_part(command);
    ASSERT_TRUE(command.signal(SIGKILL));
    EXPECT_EQ(command.wait(limit).code, 128 + SIGKILL);
    EXPECT_EQ(content("out.mkv"), "old");
    ASSERT_EQ(parts().size(), 1U);
    EXPECT_TRUE(parts().front().starts_with(".out.mkv.vfilter-")) << parts().front();
    // Nothing of it stands in the way of the next run.
    EXPECT_EQ(vfilter("in.mkv out.mkv -y --frames 5").code, 0);
    EXPECT_EQ(count_pictures("out.mkv"), 5);
}

// `timeout` sends its signal to its child and to the group.
TEST_F(Signals, OfATimeoutEndItWell) {
    make_long_clip();
    // The signal tells it that its time is over.
    const Result result = stopped("exec timeout -s INT 60 " + slow_run.substr(5), SIGALRM);
    EXPECT_EQ(result.code, 124) << result;
    EXPECT_EQ(json_of("r.json").at("exit_code"), 130);
    expect_whole();
    EXPECT_EQ(parts().size(), 0U);
}

TEST_F(Signals, AReaderThatGoesAwayEndsTheRun) {
    make_long_clip();
    for (const std::string format : {"y4m", "mkv", "mpegts"}) {
        const Result result =
            run(fmt::format("$VFILTER in.mkv - --progress none --format {} --gaussian 3 | head -c 20000 > /dev/null; "
                            "exit ${{PIPESTATUS[0]}}",
                            format));
        EXPECT_EQ(result.code, 4) << result;
        std::vector<std::string> lines = complaints(result);
        std::erase_if(lines, [](const std::string& line) { return line.find("is left out") != std::string::npos; });
        EXPECT_LE(lines.size(), 1U) << result;
    }
}

TEST_F(Signals, EightAtOnceWriteOneWholeFile) {
    make_clip("in.mkv", 50);
    for (int round = 0; round < 2; ++round) {
        std::array<std::unique_ptr<Command>, 8> commands;
        for (auto& command : commands) {
            command = std::make_unique<Command>("exec $VFILTER in.mkv out.mkv -y -q --gaussian 5", folder());
        }
        for (auto& command : commands) {
            const Result result = command->wait(limit);
            EXPECT_EQ(result.code, 0) << result;
            EXPECT_EQ(result.err, "");
        }
        EXPECT_EQ(count_pictures("out.mkv"), 50);
        EXPECT_TRUE(probe("out.mkv").of("audio").at(0).hashes() == probe("in.mkv").of("audio").at(0).hashes());
        EXPECT_EQ(names(), (std::vector<std::string>{"in.mkv", "out.mkv"}));
    }
}

}  // namespace

}  // namespace vfilter::test
