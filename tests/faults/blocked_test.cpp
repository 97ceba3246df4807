// Fault 38: readers that block, pipes that are silent, stages that hang. It always ends.

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class Blocked : public Faults {
protected:
    void pipe(const std::string& name) const { ASSERT_EQ(run("mkfifo " + name).code, 0); }
    // Whether the pipe, which somebody has open for reading, takes no more.
    [[nodiscard]] bool is_full(const std::string& name) const {
        const int end = open(path(name).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        pollfd room{.fd = end, .events = POLLOUT, .revents = 0};
        const bool full = end >= 0 && poll(&room, 1, 0) == 0;
        close(end);
        return full;
    }
    // Until there is nothing left to do but to wait for a pipe.
    static void wait_for_the_pipe(Command& command) {
        command.wait_until_it_hears();
        rest(200);
    }
    // A run in which a call of this function hangs, and "hung" is made then.
    [[nodiscard]] static std::string stuck(const std::string& call, const std::string& arguments) {
        return fmt::format("LD_PRELOAD={} STUCK={} STUCK_NOTE=hung exec $VFILTER {}", VFILTER_STUCK, call, arguments);
    }
    [[nodiscard]] bool wait_until_stuck(Command& command) const {
        return wait_until(command, [&] { return exists("hung"); });
    }
};

// It has the pipe open and takes nothing.
const std::string idle_reader = "sleep 60 < sink";

TEST_F(Blocked, AReaderThatTakesNothingDoesNotHoldUpASignal) {
    make_long_clip();
    pipe("sink");
    for (const std::string output : {"- --format y4m > sink", "- --codec ffv1 > sink",
                                     "sink --format mkv --codec ffv1 -y", "sink --format mp4 --crf 1 -y"}) {
        const bool raw = output.find("y4m") != std::string::npos;
        for (const int number : raw ? std::vector{SIGTERM, SIGINT} : std::vector{SIGTERM}) {
            SCOPED_TRACE(fmt::format("{} signal {}", output, number));
            Command reader(idle_reader, folder());
            Command command("exec $VFILTER in.mkv -q --gaussian 3 --report r.json " + output, folder());
            ASSERT_TRUE(wait_until(command, [&] { return is_full("sink"); }));
            const Ended end = stop(command, number);
            expect_report_of(end, 128 + number);
            EXPECT_LT(end.seconds, after_a_signal);
        }
    }
}

TEST_F(Blocked, AReaderThatTakesNothingIsToldByTheWatchdog) {
    make_long_clip();
    pipe("sink");
    Command reader(idle_reader, folder());
    const Ended end = timed_undisturbed("exec $VFILTER in.mkv - --format y4m --progress none --stall-timeout 1 > sink");
    EXPECT_EQ(end.result.code, 1) << end.result;
    EXPECT_LT(end.seconds, 6);
    EXPECT_TRUE(says(end.result, "write: no progress for 1 s, which --stall-timeout sets (read ")) << end.result;
    RecordProperty("seconds", fmt::format("{:.2f}", end.seconds));
}

// Live, everybody else goes on, and what they make is dropped.
TEST_F(Blocked, AReaderThatTakesNothingIsToldByTheWatchdogOfALiveRunToo) {
    pipe("sink");
    Command reader("exec sleep 600 < sink", folder());
    Command command(
        "exec $VFILTER 'lavfi:testsrc2=s=320x240:r=25:d=3600' - --format mpegts --live --gaussian 3 --progress none "
        "--stall-timeout 4 > sink",
        folder());
    const Result result = command.wait(limit);
    EXPECT_EQ(result.code, 1) << result;
    EXPECT_TRUE(says(result, "write: no progress for 4 s, which --stall-timeout sets (read ")) << result;
}

// Whoever wrote there before has filled it.
TEST_F(Blocked, APipeThatIsFullFromTheBeginningIsToldByTheWatchdog) {
    make_clip("in.mkv", 5);
    pipe("sink");
    Command reader(idle_reader, folder());
    Command writer("exec cat /dev/zero > sink", folder());
    ASSERT_TRUE(wait_until(writer, [&] { return is_full("sink"); }));
    for (const std::string output : {"- --format y4m > sink", "sink -y --format mkv"}) {
        SCOPED_TRACE(output);
        const Ended end =
            timed_undisturbed("exec $VFILTER in.mkv --progress none --gaussian 3 --stall-timeout 1 " + output);
        EXPECT_EQ(end.result.code, 1) << end.result;
        EXPECT_LT(end.seconds, 6);
        EXPECT_TRUE(says(end.result, ": no progress for 1 s, which --stall-timeout sets")) << end.result;
        Command command("exec $VFILTER in.mkv --progress none --gaussian 3 " + output, folder());
        wait_for_the_pipe(command);
        const Ended stopped = stop(command, SIGTERM);
        EXPECT_EQ(stopped.result.code, 128 + SIGTERM) << stopped.result;
        EXPECT_LT(stopped.seconds, after_a_signal);
    }
}

// A slow one is not a stalled one. (For how long: RunGuard, on a clock of its own.)
TEST_F(Blocked, AReaderThatIsSlowIsWaitedFor) {
    make_clip("in.mkv", 50);
    const Result result =
        run("set -o pipefail; $VFILTER in.mkv - --format y4m -q --stall-timeout 30 | "
            "(for i in 1 2 3; do head -c 100000 > /dev/null; sleep 0.5; done; cat > /dev/null)");
    EXPECT_EQ(result.code, 0) << result;
}

TEST_F(Blocked, AnInputPipeThatIsSilentEndsWithASignal) {
    pipe("feed");
    for (const bool opened : {true, false}) {
        for (const int number : {SIGTERM, SIGINT}) {
            SCOPED_TRACE(fmt::format("{} signal {}", opened ? "opened" : "nobody has opened it", number));
            Command feeder(opened ? "sleep 60 > feed" : "sleep 60", folder());
            Command command("exec $VFILTER feed out.mkv --report r.json", folder());
            wait_for_the_pipe(command);
            const Ended end = stop(command, number);
            expect_report_of(end, 128 + number);
            EXPECT_LT(end.seconds, after_a_signal);
            EXPECT_EQ(names(), std::vector<std::string>{"feed"});
        }
    }
}

TEST_F(Blocked, AnInputPipeThatIsSilentHasATimeout) {
    make_clip("clip.ts", 75);
    pipe("feed");
    for (const std::string feed : {"sleep 60 > feed", "sleep 60"}) {
        SCOPED_TRACE(feed);
        Command feeder(feed, folder());
        const Ended end = timed("exec $VFILTER feed out.mkv --timeout 1");
        EXPECT_EQ(end.result.code, 3) << end.result;
        EXPECT_LT(end.seconds, 4);
        EXPECT_FALSE(exists("out.mkv"));
    }
    Ended end;
    do {
        Command feeder("exec 3>feed; cat clip.ts >&3; sleep 60", folder());
        end = timed("exec $VFILTER feed out.mkv -y --timeout 1");
    } while (end.disturbed);
    EXPECT_EQ(end.result.code, 5) << end.result;
    EXPECT_LT(end.seconds, 6);
    EXPECT_GT(count_pictures("out.mkv"), 40);
    RecordProperty("seconds", fmt::format("{:.2f}", end.seconds));
}

TEST_F(Blocked, AnOutputPipeThatNobodyReadsEndsWithASignal) {
    make_clip("in.mkv", 5);
    pipe("sink");
    for (const int number : {SIGTERM, SIGINT}) {
        Command command("exec $VFILTER in.mkv sink --format mkv --report r.json", folder());
        wait_for_the_pipe(command);
        const Ended end = stop(command, number);
        expect_report_of(end, 128 + number);
        EXPECT_LT(end.seconds, after_a_signal);
    }
}

// Its library sleeps for ever where it is closed before it was given a picture.
TEST_F(Blocked, AnEncoderOfSvtAv1EndsByItself) {
    if (run("ffmpeg -v error -encoders | grep -q libsvtav1").code != 0) {
        GTEST_SKIP() << "this FFmpeg has no libsvtav1";
    }
    make_clip("in.mkv", 25);
    for (const std::string output : {"out.mov", "/dev/full --format mkv", "missing/out.mkv"}) {
        SCOPED_TRACE(output);
        const Ended end = timed(fmt::format("exec $VFILTER in.mkv {} --codec libsvtav1 --preset 12", output));
        EXPECT_EQ(end.result.code, 4) << end.result;
        EXPECT_LT(end.seconds, 10);
        EXPECT_FALSE(exists("out.mov"));
        std::vector<std::string> lines = complaints(end.result);
        // The library's own, and what becomes of the sound.
        std::erase_if(lines, [](const std::string& line) {
            return line.starts_with("Svt[") || line.find("is left out") != std::string::npos;
        });
        EXPECT_EQ(lines.size(), 1U) << end.result;
    }
}

// As SVT-AV1 does of options that it does not know.
TEST_F(Blocked, AnEncoderThatDoesNotOpenEndsTheRun) {
    make_clip("in.mkv", 25);
    write("out.mkv", "old");
    const std::string line = stuck("avcodec_open2:1", "in.mkv out.mkv -y --progress none --gaussian 3 --report r.json");
    const Ended end = timed_undisturbed(line + " --stall-timeout 1");
    EXPECT_EQ(end.result.code, 1) << end.result;
    EXPECT_LT(end.seconds, 8);
    EXPECT_TRUE(says(end.result, "the encoder is being opened: no progress for 1 s")) << end.result;
    expect_report_of(end, 1);
    std::filesystem::remove(path("hung"));
    Command command(line, folder());
    ASSERT_TRUE(wait_until_stuck(command));
    const Ended stopped = stop(command, SIGTERM);
    expect_report_of(stopped, 128 + SIGTERM);
    EXPECT_LT(stopped.seconds, after_a_signal);
    EXPECT_EQ(content("out.mkv"), "old");
    // Where the machine stands still for the two seconds there is no time to remove it.
    EXPECT_TRUE(stopped.disturbed || parts().empty());
}

class StuckStage : public Blocked, public testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(StuckStage, IsNamedByTheWatchdog) {
    make_clip("in.mkv", 100);
    write("out.mkv", "old");
    const auto [function, stage] = GetParam();
    const Ended end =
        timed_undisturbed(stuck(fmt::format("{}:70", function),
                                "in.mkv out.mkv -y --progress none --stall-timeout 1 --gaussian 3 --report r.json"));
    EXPECT_EQ(end.result.code, 1) << end.result;
    EXPECT_LT(end.seconds, 8);
    EXPECT_TRUE(says(end.result, fmt::format("{}: no progress for 1 s", stage))) << end.result;
    EXPECT_EQ(content("out.mkv"), "old");
    EXPECT_EQ(json_of("r.json").at("exit_code"), 1);
    for (const std::string& part : parts()) {
        EXPECT_TRUE(says(end.result, part)) << end.result;
    }
    RecordProperty("seconds", fmt::format("{:.2f}", end.seconds));
}

TEST_P(StuckStage, DoesNotHoldUpASignal) {
    make_clip("in.mkv", 100);
    const auto [function, stage] = GetParam();
    for (const int number : {SIGTERM, SIGINT}) {
        Ended end;
        do {  // the machine may stand still in its two seconds
            for (const std::string& name : names()) {
                if (name != "in.mkv") {
                    std::filesystem::remove(path(name));
                }
            }
            Command command(stuck(fmt::format("{}:70", function),
                                  "in.mkv out.mkv -y --progress none --codec ffv1 --gaussian 3 --report r.json"),
                            folder());
            ASSERT_TRUE(wait_until_stuck(command)) << command.wait(limit);
            end = stop(command, number);
        } while (end.disturbed);
        EXPECT_EQ(end.result.code, 128 + number) << end.result;
        EXPECT_LT(end.seconds, after_a_signal);
        // The file up to there, unless it is its writing that hangs.
        if (exists("out.mkv")) {
            EXPECT_EQ(ffmpeg_complaints("out.mkv"), "");
            EXPECT_EQ(count_pictures("out.mkv"), json_of("r.json").at("frames").at("out"));
            EXPECT_GT(count_pictures("out.mkv"), 10);
            EXPECT_EQ(parts().size(), 0U);
        } else {
            expect_report_of(end, 128 + number);
            EXPECT_TRUE(end.disturbed || std::string_view(stage) == "write") << end.result;
            // Named, if there is more in it than a header.
            for (const std::string& part : parts()) {
                EXPECT_TRUE(says(end.result, part)) << end.result;
                std::filesystem::remove(path(part));
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Each, StuckStage,
                         testing::Values(std::pair("av_read_frame", "read"), std::pair("avcodec_send_packet", "decode"),
                                         std::pair("avcodec_send_frame", "encode"),
                                         std::pair("av_interleaved_write_frame", "write")),
                         [](const auto& made) { return std::string(made.param.second); });

}  // namespace

}  // namespace vfilter::test
