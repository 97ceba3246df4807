// What came of each stream against what the container says of it.

#include "io/input/evidence/promises.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using Kind = TrackEvidence::Kind;

// What a scan has found at the end of a file.
class FinishedScan final : public ContainerScan {
public:
    void take(std::span<const std::uint8_t> /*bytes*/) override {}
    void end(std::int64_t /*size*/) override {}

    TrackEvidence& track(Kind kind) { return *add_track(kind, static_cast<std::int64_t>(tracks().size())); }
    using ContainerScan::fault;
};

const std::vector<testing::ScriptedStream> judged{{}, {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 1000}}};
const std::vector<AVRational> rates{{25, 1}, {25, 1}};

class Promises : public ::testing::Test {
protected:
    Damage judge() {
        Damage damage;
        judge_streams(*format_, rates, &scan_, tallies_, damage);
        return damage;
    }

    DescriptionPtr format_ = testing::make_streams(judged, "avi");
    FinishedScan scan_;
    std::vector<StreamTally> tallies_{{.packets = 50, .end = 2000, .last_duration = 40},
                                      {.packets = 90, .end = 2000, .last_duration = 20}};
};

TEST_F(Promises, ThatAreKeptAreNoDamage) {
    scan_.track(Kind::video) = {Kind::video, 0, 50, 50, "stream header", 2.0};
    scan_.track(Kind::audio) = {Kind::audio, 1, 90, std::nullopt, "", 2.0};
    EXPECT_FALSE(judge().any());
}

TEST_F(Promises, OfPacketsAreCountedByStream) {
    scan_.track(Kind::video) = {Kind::video, 0, 50, 53, "stream header", std::nullopt};
    scan_.track(Kind::audio) = {Kind::audio, 1, 90, 94, "index", std::nullopt};
    const Damage damage = judge();
    EXPECT_EQ(damage.pictures, 3);
    EXPECT_EQ(damage.packets, 4);
    ASSERT_EQ(damage.notes.size(), 2U);
    EXPECT_NE(damage.notes[0].find("3 of 53 packets are missing, by its stream header"), std::string::npos);
}

TEST_F(Promises, OfSecondsAllowForRounding) {
    scan_.track(Kind::video) = {Kind::video, 0, 50, std::nullopt, "", 2.06};
    scan_.track(Kind::audio) = {Kind::audio, 1, 90, std::nullopt, "", 2.4};
    EXPECT_FALSE(judge().any());
}

TEST_F(Promises, OfSecondsThatAreMissingAreToldByStream) {
    scan_.track(Kind::video) = {Kind::video, 0, 50, std::nullopt, "", 2.4};
    scan_.track(Kind::audio) = {Kind::audio, 1, 90, std::nullopt, "", 2.0};
    scan_.fault(0, "something torn off");
    const Damage damage = judge();
    EXPECT_EQ(damage.pictures, 10);
    EXPECT_NEAR(damage.missing_seconds, 0.4, 0.001);
}

// Of what a demuxer stepped over for a reason of its own, such as memory, nothing else tells.
TEST_F(Promises, OfPacketsThatAreThereAreKeptByTheDemuxer) {
    scan_.track(Kind::audio) = {Kind::audio, 1, 92, std::nullopt, "", std::nullopt};
    TrackEvidence& video = scan_.track(Kind::video);
    video = {Kind::video, 0, 54, std::nullopt, "", std::nullopt};
    EXPECT_FALSE(judge().any()) << "whoever does not count empty ones does not know";
    video.empty = 4;
    EXPECT_FALSE(judge().any());
    video.empty = 1;
    const Damage damage = judge();
    EXPECT_EQ(damage.pictures, 3);
    ASSERT_EQ(damage.notes.size(), 1U);
    EXPECT_NE(damage.notes[0].find("3 of 54 packets were not read"), std::string::npos);
}

// Where all that the container has came, the last picture is shown so long.
TEST_F(Promises, OfSecondsAreKeptByALastPictureThatStays) {
    scan_.track(Kind::video) = {Kind::video, 0, 50, std::nullopt, "", 5.0};
    scan_.track(Kind::audio) = {Kind::audio, 1, 90, std::nullopt, "", 2.0};
    EXPECT_FALSE(judge().any());
}

TEST_F(Promises, EmptyPacketsAreKept) {
    scan_.track(Kind::video) = {Kind::video, 0, 53, 53, "stream header", 2.12};
    scan_.track(Kind::audio) = {Kind::audio, 1, 90, std::nullopt, "", 2.0};
    EXPECT_FALSE(judge().any());
    EXPECT_EQ(tallies_[0].empty, 3);
}

// Where the scan counts none that are empty a wrong index hides what it has found.
TEST_F(Promises, WhatAnIndexHidesIsMissing) {
    tallies_[0].packets = 7;
    scan_.track(Kind::video) = {Kind::video, 0, 53, 53, "index", std::nullopt, false};
    scan_.track(Kind::audio) = {Kind::audio, 1, 90, std::nullopt, "", 2.0};
    EXPECT_EQ(judge().pictures, 46);
}

TEST_F(Promises, OfTracksThatNobodyElseSeesCountForNothing) {
    scan_.track(Kind::video) = {Kind::video, 0, 50, 80, "stream header", 9.0};
    scan_.track(Kind::video) = {Kind::video, 1, 50, 80, "stream header", 9.0};
    EXPECT_FALSE(judge().any());
}

TEST_F(Promises, ContradictionsAreFaults) {
    for (int i = 0; i < 6; ++i) {
        scan_.fault(100 + i, "a chunk ends late");
    }
    Damage damage;
    judge_structure(scan_, damage);
    EXPECT_EQ(damage.faults, 6);
    EXPECT_EQ(damage.notes.size(), 4U);
    EXPECT_EQ(damage.notes.front(), "container: a chunk ends late at byte 100");
}

}  // namespace
}  // namespace vfilter
