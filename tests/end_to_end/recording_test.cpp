// Live recordings that end as they should not, and those of more than the machine can do.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

#include "tests/support/live.h"

namespace vfilter::test {

namespace {

using std::chrono::milliseconds;

class Recording : public Live {
protected:
    static constexpr milliseconds limit{60'000};
};

class Killed : public Recording, public testing::WithParamInterface<const char*> {};

// As when the power goes: nobody finishes the file. It can be played up to the last second all the same.
TEST_P(Killed, PlaysUpToTheLastSecond) {
    const std::string name = fmt::format("out.{}", GetParam());
    Command command(fmt::format("exec $VFILTER lavfi:testsrc2=s=320x240:r=30 {} --live --gaussian 5 --progress json "
                                "2> told.txt",
                                name),
                    folder());
    wait_until_told(command, 75);
    ASSERT_TRUE(command.signal(SIGKILL));
    EXPECT_EQ(command.wait(limit).code, 128 + SIGKILL);
    const std::ptrdiff_t told = told_frames();  // a starved machine records fewer a second, and tells them

    EXPECT_FALSE(exists(name)) << "what is not finished does not have its name";
    ASSERT_EQ(parts().size(), 1U);
    std::filesystem::rename(path(parts().front()), path("in.part"));
    const std::vector<double> times = picture_times("in.part");
    ASSERT_FALSE(times.empty());
    EXPECT_GE(std::ssize(times), told - 35) << "a second, and what is told before it is written";
    const Result again = vfilter("in.part whole.mkv --codec ffv1 --report r.json");
    // Between two writes of one piece the file ends in the middle of that, which is told as what it is.
    const bool between_writes = again.code == 5 && json_of("r.json").at("damage").at("frames") == 0;
    EXPECT_TRUE(again.code == 0 || between_writes) << again;
    EXPECT_LE(json_of("r.json").at("frames").at("out"), std::ssize(times));
    EXPECT_GE(json_of("r.json").at("frames").at("out"), std::ssize(times) - (between_writes ? 30 : 0));
}

INSTANTIATE_TEST_SUITE_P(Containers, Killed, testing::Values("mp4", "mov", "mkv", "webm", "ts"),
                         [](const auto& made) { return std::string(made.param); });

// Sixty pictures a second, with a filter that takes a tenth of one for each: nobody waits, and every picture is
// accounted for.
TEST_F(Recording, WhatIsTooMuchIsDroppedAndCounted) {
    const Result result = vfilter(
        "lavfi:testsrc2=s=1280x720:r=60 out.mkv --live --device cpu --threads 1 --nlmeans 7:frames=1 "
        "--preset ultrafast --duration 1.5 --report r.json");
    EXPECT_EQ(result.code, 0) << result;
    const nlohmann::json report = json_of("r.json");
    EXPECT_TRUE(report.at("live"));
    const nlohmann::json& drops = report.at("drops");
    const auto count = [&](const char* name) { return drops.at(name).get<std::int64_t>(); };
    const std::int64_t lost = count("overtaken") + count("shed") + count("unrecorded");
    const std::int64_t in = report.at("frames").at("in");
    const std::int64_t out = report.at("frames").at("out");
    EXPECT_EQ(in, out + lost);
    EXPECT_EQ(in + count("undecoded"), 90);
    EXPECT_EQ(count_pictures("out.mkv"), out);
    EXPECT_EQ(report.at("frames").at("dropped"), lost);
    ASSERT_GT(lost, 0);
    EXPECT_GT(out, 0);
    EXPECT_TRUE(says(result, "pictures left out: ")) << result;
    // Most of these pictures would wait for dozens of others otherwise.
    const nlohmann::json& legs = report.at("latency_ms");
    // A machine that stands still shows it in the filter's longest time.
    const auto filtering = [&](const char* name) { return legs.at("filter").at(name).get<double>(); };
    EXPECT_LT(legs.at("ready").at("p50"), std::max(5 * filtering("p50"), 2 * filtering("max")) + 100) << legs;
    EXPECT_EQ(report.at("latency_ms").at("write").at("count"), out);
}

TEST_F(Recording, LatencyIsTold) {
    const Result result =
        vfilter("lavfi:testsrc2=s=160x120:r=50 --format null --live --gaussian 5 --duration 1 --stats --report r.json");
    EXPECT_EQ(result.code, 0) << result;
    const nlohmann::json told = json_of("r.json");
    const nlohmann::json& legs = told.at("latency_ms");
    EXPECT_GT(told.at("frames").at("out"), 0);
    EXPECT_EQ(told.at("frames").at("out").get<std::size_t>() + left_out("r.json"), 50U);
    for (const char* const name : {"decode", "queue", "filter", "ready", "write"}) {
        const nlohmann::json& leg = legs.at(name);
        EXPECT_GE(leg.at("count"), told.at("frames").at("out")) << name;
        EXPECT_LE(leg.at("p50"), leg.at("p95")) << name;
        EXPECT_LE(leg.at("p95"), leg.at("p99")) << name;
        EXPECT_LE(leg.at("p99"), leg.at("max")) << name;
    }
    EXPECT_EQ(legs.at("show").at("count"), 0);
    EXPECT_NE(result.err.find("received to ready to show"), std::string::npos) << result;
}

}  // namespace

}  // namespace vfilter::test
