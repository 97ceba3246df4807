// Many files in one command that is stopped or killed.

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/end_to_end/batch.h"
#include "tests/support/end_to_end.h"
#include "tests/support/stopwatch.h"

namespace vfilter::test {

namespace {

TEST_F(Batch, EndsItsChildrenWithASignal) {
    make_clips(3, 3, "160x120");
    const std::string line = " c*.mp4 --output-dir done --gaussian 5 --threads 2 --jobs 2 --preset ultrafast --crf 1";
    for (const int signal : {SIGINT, SIGTERM}) {
        SCOPED_TRACE(signal);
        Command command(slowly() + "exec $VFILTER" + line + " -y --report r.json", folder());
        while (command.running() && parts_in("done", some_pictures) < 2) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        const Stopwatch watch;
        ASSERT_TRUE(command.signal(signal));
        const Result result = command.wait(std::chrono::seconds(20));
        EXPECT_LT(watch.seconds(), 2.8) << result;
        EXPECT_EQ(result.code, 128 + signal) << result;
        EXPECT_TRUE(says(result, "stopped")) << result;
        EXPECT_TRUE(says(result, "not begun")) << result;
        EXPECT_EQ(json_of("r.json").at("exit_code"), 128 + signal);
        EXPECT_EQ(results_in(json_of("r.json")), (std::vector<std::string>{"stopped", "stopped", "not begun"}));
    }
    // What was stopped is made anew, without -y.
    const Result on = run("exec $VFILTER" + line + " --skip-existing");
    EXPECT_EQ(on.code, 0) << on;
    EXPECT_EQ(count_pictures("done/c1.mp4"), 75);
}

// A signal to all processes of one name comes to them, and to their parent, which hands it on.
TEST_F(Batch, EndsItsChildrenOnceWhereASignalComesTwice) {
    make_clips(2, 3, "160x120");
    const std::string line = fmt::format(
        "LD_PRELOAD={} SLOW=avcodec_send_frame:300 $VFILTER c*.mp4 --output-dir done --gaussian 5 --threads 2 --jobs 2 "
        "--preset ultrafast --crf 1 -y --report r.json & run=$!; "
        "until [ \"$(find done -name '.*.part' -size +3 | wc -l)\" = 2 ] || ! kill -0 $run; do sleep 0.01; done; "
        "pkill -TERM -P $run; sleep 0.15; kill -TERM $run; wait $run",
        VFILTER_STUCK);
    bool disturbed = true;
    for (int trial = 0; trial < 3 && disturbed; ++trial) {
        std::filesystem::remove_all(path("done"));
        std::filesystem::create_directory(path("done"));
        const Stopwatch watch;
        const Result result = run(line);
        disturbed = watch.disturbed();  // then what has two seconds by the clock may have had none
        EXPECT_EQ(result.code, 143) << result;
        if (!disturbed) {
            EXPECT_EQ(results_in(json_of("r.json")), (std::vector<std::string>{"stopped", "stopped"})) << result;
            EXPECT_GT(count_pictures("done/c1.mp4"), 0) << result;
            EXPECT_GT(count_pictures("done/c2.mp4"), 0) << result;
        }
    }
}

TEST_F(Batch, RemembersWhatWasStoppedAfterAKill) {
    make_clips(2, 3, "160x120");
    const std::string line =
        "exec $VFILTER c*.mp4 --output-dir done --gaussian 5 --threads 2 --jobs 2 --preset ultrafast --crf 1";
    const auto disturb = [&](const std::string& more, int signal) {
        Command command(slowly() + line + more, folder());
        while (command.running() && parts_in("done", some_pictures) < 2) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        const Stopwatch watch;
        EXPECT_TRUE(command.signal(signal));
        EXPECT_EQ(command.wait(std::chrono::seconds(20)).code, 128 + signal);
        return watch.disturbed();
    };
    while (disturb("", SIGTERM)) {  // the two seconds that each file has by the clock were none
        std::filesystem::remove_all(path("done"));
    }
    ASSERT_TRUE(exists("done/c1.mp4"));
    disturb(" --skip-existing", SIGKILL);
    const Result on = run(line + " --skip-existing");
    EXPECT_EQ(on.code, 0) << on;
    EXPECT_EQ(count_pictures("done/c1.mp4"), 75);
    EXPECT_EQ(count_pictures("done/c2.mp4"), 75);
}

TEST_F(Batch, RemovesFirstPassesThatWereKilled) {
    make_clips(2, 0.1);
    std::filesystem::create_directories(path("done/.vfilter-passes-a1B2c3"));
    write("done/.vfilter-passes-a1B2c3/x264.log", "what a first pass has written");
    std::filesystem::create_directories(path("done/.vfilter-passes-empty1"));
    const Result result = vfilter("c*.mp4 --output-dir done --box 3 --skip-existing");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_FALSE(exists("done/.vfilter-passes-a1B2c3"));
    EXPECT_FALSE(exists("done/.vfilter-passes-empty1"));
    EXPECT_TRUE(says(result, "done: 2 leftovers of earlier runs removed")) << result;
}

TEST_F(Batch, EndsAsIfUndisturbedAfterKills) {
    const Result result = run_command(fmt::format("{}/tests/batch.sh --files 20 --kills 3 $VFILTER", VFILTER_SOURCE),
                                      folder(), std::chrono::seconds(110));
    EXPECT_EQ(result.code, 0) << result;
}

}  // namespace

}  // namespace vfilter::test
