// Files and folders that somebody else moves, removes or changes while a run is at work with them.

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class MovedFiles : public Faults {
protected:
    static constexpr const char* options = " -y --progress none --gaussian 5 --threads 1";

    // A run that takes its time, but not the processor's: it is at work while files are moved.
    [[nodiscard]] static std::string slow_run(const std::string& arguments) {
        return fmt::format("LD_PRELOAD={} SLOW=avcodec_send_frame:10 exec $VFILTER {}{}", VFILTER_STUCK, arguments,
                           options);
    }
    void wait_for_passes(Command& command) const {
        const auto there = [this] {
            const std::vector<std::string> all = names();
            return std::ranges::any_of(all, [this](const std::string& name) {
                return name.starts_with(".vfilter-passes") && !std::filesystem::is_empty(path(name));
            });
        };
        ASSERT_TRUE(wait_until(command, there)) << command.wait(limit);
    }
};

TEST_F(MovedFiles, APartThatIsGoneIsNotSaidToBeKept) {
    make_long_clip("in.mkv", 3);
    for (const bool moved : {true, false}) {
        std::filesystem::create_directory(path("there"));
        Command command(slow_run("in.mkv there/out.mkv"), folder());
        ASSERT_TRUE(wait_until(command, [this] { return !std::filesystem::is_empty(path("there")); }));
        if (moved) {
            std::filesystem::rename(path("there"), path("elsewhere"));
        } else {
            std::filesystem::remove_all(path("there"));
        }
        const Result result = command.wait(limit);
        EXPECT_EQ(result.code, 4) << result;
        EXPECT_TRUE(says(result, "is no longer there")) << result;
        EXPECT_FALSE(says(result, "kept as")) << result;
        EXPECT_FALSE(exists("there/out.mkv"));
    }
}

TEST_F(MovedFiles, AnInputThatChangesBetweenTwoPassesIsTold) {
    for (const std::string name : {"more.mkv", "in.mkv"}) {
        // On a machine that stands still the second pass may have begun before it changes.
        Result result;
        result.code = 0;
        for (int i = 0; i < 5 && result.code == 0; ++i) {
            std::filesystem::remove(path("out.mkv"));
            make_long_clip("in.mkv", 3);
            make_clip("more.mkv", 10);
            make_clip("other.mkv", 10);
            Command command(slow_run("in.mkv out.mkv --add more.mkv --two-pass --bitrate 200k"), folder());
            wait_for_passes(command);
            std::filesystem::rename(path("other.mkv"), path(name));
            result = command.wait(limit);
        }
        EXPECT_EQ(result.code, 3) << result;
        EXPECT_TRUE(says(result, name + ": has changed since the first pass read it")) << result;
        EXPECT_EQ(names(), (std::vector<std::string>{"in.mkv", "more.mkv"}));
    }
}

TEST_F(MovedFiles, WhatAKilledFirstPassLeavesIsTold) {
    make_long_clip("in.mkv", 3);
    const std::string arguments = "in.mkv out.mkv --two-pass --bitrate 200k";
    Command command(slow_run(arguments), folder());
    wait_for_passes(command);
    ASSERT_TRUE(command.signal(SIGSTOP));  // it is still there, however long what follows takes
    EXPECT_FALSE(says(vfilter("in.mkv other.mkv --frames 3 --two-pass --bitrate 200k"), ".vfilter-passes"))
        << "somebody is at work there";
    ASSERT_TRUE(command.signal(SIGKILL));
    EXPECT_EQ(command.wait(limit).code, 128 + SIGKILL);
    const Result next = vfilter(arguments + options + " --frames 3");
    EXPECT_EQ(next.code, 0) << next;
    EXPECT_TRUE(says(next, "an earlier run that was killed is still here, and of no use: ./.vfilter-passes-")) << next;
}

}  // namespace

}  // namespace vfilter::test
