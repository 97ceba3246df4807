// Many files in one command: what is known of inputs and outputs where somebody moves or exchanges them.

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class ManyFiles : public EndToEnd {
protected:
    // Of the same size and time.
    void make_alike(const std::vector<std::string>& names) const {
        ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 3 -c:v ffv1 one.mkv");
        for (const std::string& name : names) {
            std::filesystem::create_directories(path(name).parent_path());
            ASSERT_EQ(run("cp -p one.mkv '" + name + "'").code, 0);
        }
    }
    // Whether all of them are known as finished; else it is refused.
    [[nodiscard]] testing::AssertionResult knows(const std::string& line) const {
        const Result result = run(line + " --skip-existing --box 3");
        if (says(result, "(2 before)") && result.code == 0) {
            return testing::AssertionSuccess() << result;
        }
        EXPECT_TRUE(says(result, "is not known as made of this input")) << result;
        EXPECT_EQ(result.code, 4) << result;
        return testing::AssertionFailure() << result;
    }
};

TEST_F(ManyFiles, AnotherInputIsNotKnown) {
    make_alike({"v1.mkv", "v2.mkv", "v3.mkv", "day1/v.mkv", "day2/v.mkv"});
    ASSERT_EQ(vfilter("v*.mkv --output-dir done --name '{n}.mkv' --box 3").code, 0);
    std::filesystem::remove(path("v1.mkv"));
    EXPECT_FALSE(knows("exec $VFILTER v*.mkv --output-dir done --name '{n}.mkv'"));
    ASSERT_EQ(vfilter("day1/v.mkv --output-dir days --box 3").code, 0);
    EXPECT_FALSE(knows("exec $VFILTER day2/v.mkv --output-dir days"));
    const Result anew = vfilter("day2/v.mkv --output-dir days --box 3 --skip-existing -y");
    EXPECT_EQ(anew.code, 0) << anew;
    EXPECT_FALSE(says(anew, "before")) << anew;
}

TEST_F(ManyFiles, AnInputThatWasMovedIsKnown) {
    make_alike({"a/in/v1.mkv", "a/in/v2.mkv"});
    const std::string line = "exec $VFILTER in/*.mkv --output-dir done --name '{n}.mkv'";
    ASSERT_EQ(run("cd a; " + line + " --box 3").code, 0);
    EXPECT_TRUE(knows("cd a; " + line));
    EXPECT_TRUE(knows("exec $VFILTER $PWD/a/in/../in/*.mkv --output-dir ./a/done --name '{n}.mkv'"));
    // All of it copied, or moved; the outputs alone, the inputs alone; and other names, which come in the same order.
    ASSERT_EQ(run("cp -a a b").code, 0);
    EXPECT_TRUE(knows("cd b; " + line));
    ASSERT_EQ(run("mkdir -p c/d; mv b/done c/d/; rm -r a").code, 0);
    EXPECT_TRUE(knows("exec $VFILTER b/in/*.mkv --output-dir c/d/done --name '{n}.mkv'"));
    ASSERT_EQ(run("mv c/d/done b/; mv b/in e").code, 0);
    EXPECT_TRUE(knows("exec $VFILTER e/*.mkv --output-dir b/done --name '{n}.mkv'"));
    // The number of a file on its disk is that of the first run's.
    ASSERT_EQ(run("$VFILTER e/*.mkv --output-dir f --name '{n}.mkv' --box 3; mv e/v1.mkv e/u1.mkv").code, 0);
    EXPECT_TRUE(knows("exec $VFILTER e/*.mkv --output-dir f --name '{n}.mkv'"));
    // Which earlier versions have not written down.
    ASSERT_EQ(run(R"(sed -i 's/,"input":.*}/}/' f/.vfilter-batch; grep -c '"input"' f/.vfilter-batch)").out, "0\n");
    EXPECT_TRUE(knows("exec $VFILTER e/*.mkv --output-dir f --name '{n}.mkv'"));
}

// Whoever goes on there would know of nothing, and a second run be at work beside the first.
TEST_F(ManyFiles, NothingIsMadeInAFolderThatWasExchanged) {
    make_alike({"c1.mkv", "c2.mkv", "c3.mkv"});
    const Result result = run(fmt::format(
        "LD_PRELOAD={} SLOW=avcodec_send_frame:200 $VFILTER c*.mkv --output-dir done --box 3 --keep-going --report "
        "r.json & run=$!; until [ -n \"$(ls done/.c2* 2> /dev/null)\" ] || ! kill -0 $run; do sleep 0.01; done; "
        "mv done before; mkdir done; wait $run",
        VFILTER_STUCK));
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_TRUE(says(result, "done/.vfilter-batch: is no longer there, or another file")) << result;
    EXPECT_FALSE(exists("done/c3.mkv"));
    EXPECT_TRUE(exists("before/c1.mkv"));
    const nlohmann::json files = json_of("r.json").at("files");
    EXPECT_EQ(files.at(0).at("result"), "finished");
    EXPECT_EQ(files.at(1).at("result"), "failed");
    EXPECT_EQ(files.at(2).at("result"), "failed");
}

TEST_F(ManyFiles, WhatIsFinishedStaysWhereItsNameIsTaken) {
    make_alike({"c1.mkv"});
    const std::string line = "c1.mkv --output-dir done --box 3 ";
    const Result taken = run(fmt::format(
        "LD_PRELOAD={} SLOW=avcodec_send_frame:200 $VFILTER {} & run=$!; until [ -n \"$(ls done/.c1* 2> /dev/null)\" ] "
        "|| ! kill -0 $run; do sleep 0.01; done; echo mine > done/c1.mkv; wait $run",
        VFILTER_STUCK, line));
    EXPECT_EQ(taken.code, 4) << taken;
    for (const std::string options : {"", "--crf 30"}) {  // others make another file, but not now
        const Result again = vfilter(line + options + " --skip-existing --keep-going");
        EXPECT_EQ(again.code, 4) << again;
        EXPECT_TRUE(
            says(again, "an earlier run has finished it, but could not give it its name: it stays in done/.c1."))
            << again;
    }
    EXPECT_EQ(content("done/c1.mkv"), "mine\n");
    std::filesystem::remove(path("done/c1.mkv"));
    const Result on = vfilter(line + "--skip-existing");
    EXPECT_EQ(on.code, 0) << on;
    EXPECT_TRUE(says(on, "(1 before)")) << on;
    EXPECT_EQ(count_pictures("done/c1.mkv"), 3);
}

}  // namespace

}  // namespace vfilter::test
