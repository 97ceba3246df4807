#include "pipeline/session/run_end.h"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <string>

namespace vfilter {
namespace {

Outcome counted(std::int64_t in, std::int64_t out) {
    Outcome outcome;
    outcome.setup.encoder = "libx264";
    outcome.setup.container = "mp4";
    outcome.counts.frames_in = in;
    outcome.counts.frames_out = out;
    return outcome;
}

struct Refusal {
    ExitCode code = ExitCode::finished;
    std::string message;
};

Refusal refusal_of(const std::function<void()>& check) {
    try {
        check();
    } catch (const Error& error) {
        return {error.code(), error.what()};
    }
    return {};
}

TEST(RunEnd, AgreesWhereAllThatCameInWentOut) {
    Outcome outcome = counted(50, 47);
    outcome.live.drops[Drop::overtaken] = 3;
    outcome.live.drops[Drop::undecoded] = 9;
    EXPECT_EQ(check_counts(outcome, {.writes = true, .encoded = 47}), 0);
}

TEST(RunEnd, NothingCameInIsAnErrorOfTheInputUnlessItWasStopped) {
    EXPECT_EQ(refusal_of([] { check_counts(counted(0, 0), {.writes = true}); }).code, ExitCode::input);
    EXPECT_EQ(check_counts(counted(0, 0), {.stopped = true, .signal = SIGINT}), 0);
}

TEST(RunEnd, TheEncoderIsBlamedWhereItTookThemAll) {
    const Refusal refusal = refusal_of([] { check_counts(counted(50, 48), {.writes = true, .encoded = 50}); });
    EXPECT_EQ(refusal.code, ExitCode::encoder);
    EXPECT_EQ(refusal.message, "the encoder libx264 made 48 packets of 50 pictures");
}

TEST(RunEnd, WeAreBlamedOtherwise) {
    const Refusal refusal = refusal_of([] { check_counts(counted(50, 48), {.writes = true, .encoded = 49}); });
    EXPECT_EQ(refusal.code, ExitCode::internal);
    EXPECT_EQ(refusal.message, "50 frames went in, 0 were dropped and 48 came out");
    EXPECT_EQ(
        refusal_of([] { check_counts(counted(50, 51), {.writes = true, .stopped = true, .signal = SIGINT}); }).code,
        ExitCode::internal)
        << "more than came in are wrong after a signal, too";
}

TEST(RunEnd, ASignalAbandonsWhatIsInside) {
    EXPECT_EQ(check_counts(counted(50, 48), {.writes = true, .stopped = true, .signal = SIGINT, .encoded = 50}), 2);
    EXPECT_EQ(check_counts(counted(50, 48), {.writes = false}), 0) << "nothing is written";
}

TEST(RunEnd, TellsWhatAnErrorLeftInside) {
    Outcome outcome = counted(50, 40);
    outcome.live.drops[Drop::unrecorded] = 3;
    outcome.live.drops[Drop::undecoded] = 9;  // which did not come in
    EXPECT_EQ(left_inside(outcome), 7);
    EXPECT_EQ(left_inside(counted(50, 51)), 0);
    outcome.setup.encoder.clear();
    EXPECT_EQ(left_inside(outcome), 0) << "nothing is written";
}

TEST(RunEnd, RefusedPacketsAreAnErrorUnlessTheInputIsDamaged) {
    const EndFacts facts{.writes = true, .refused = 3, .why_refused = "too long"};
    Outcome outcome = counted(50, 50);
    const Refusal refusal = refusal_of([&] { check_losses(outcome, facts); });
    EXPECT_EQ(refusal.code, ExitCode::output);
    EXPECT_EQ(refusal.message, "mp4 refused 3 packets of copied streams: too long");
    outcome.damage.packets = 1;
    EXPECT_EQ(refusal_of([&] { check_losses(outcome, facts); }).code, ExitCode::finished);
}

TEST(RunEnd, StrictForbidsDamageUnlessASignalCame) {
    Outcome outcome = counted(50, 50);
    EndFacts facts{.writes = true, .strict = true};
    EXPECT_EQ(refusal_of([&] { check_losses(outcome, facts); }).code, ExitCode::finished);
    outcome.damage.packets = 1;
    const Refusal refusal = refusal_of([&] { check_losses(outcome, facts); });
    EXPECT_EQ(refusal.code, ExitCode::damaged);
    EXPECT_EQ(refusal.message, "the input is damaged (1 damaged packet), and --strict was given");
    facts.signal = SIGINT;
    EXPECT_EQ(refusal_of([&] { check_losses(outcome, facts); }).code, ExitCode::finished);
}

TEST(RunEnd, HasACodeForEachEnd) {
    Outcome outcome;
    EXPECT_EQ(code_without_error(0, outcome), ExitCode::finished);
    outcome.damage.packets = 1;
    EXPECT_EQ(code_without_error(0, outcome), ExitCode::damaged);
    EXPECT_EQ(code_without_error(SIGINT, outcome), ExitCode::interrupted);
    EXPECT_EQ(code_without_error(SIGTERM, outcome), ExitCode::terminated);
    outcome.damage.packets = 0;
    outcome.counts.packets_lost = 1;
    EXPECT_EQ(code_without_error(0, outcome), ExitCode::damaged) << "an address did not get all of it";
}

TEST(RunEnd, WhatASignalBrokeOffIsNoFaultOfInputAndOutput) {
    RunEnd before;
    before.kept_part = ".part";
    RunEnd end = end_of_error(before, ExitCode::output, "broken pipe", {.frames_in = 7});
    EXPECT_EQ(end.code, ExitCode::output);
    EXPECT_EQ(end.message, "broken pipe");
    EXPECT_EQ(end.kept_part, ".part");
    end = end_of_error(before, ExitCode::output, "broken pipe", {.signal = SIGTERM, .frames_in = 7});
    EXPECT_EQ(end.code, ExitCode::terminated);
    EXPECT_EQ(end.message, "stopped: broken pipe");
    end = end_of_error(before, ExitCode::input, "interrupted", {.signal = SIGINT});
    EXPECT_EQ(end.code, ExitCode::interrupted);
    EXPECT_EQ(end.message, "stopped before the first picture");
    end = end_of_error(before, ExitCode::encoder, "gave up", {.signal = SIGINT, .frames_in = 7});
    EXPECT_EQ(end.code, ExitCode::encoder);
    EXPECT_EQ(end.message, "gave up");
    // 130 says that the file is in place.
    end = end_of_error(before, ExitCode::output, "disk full", {.signal = SIGINT, .file_failed = true, .frames_in = 7});
    EXPECT_EQ(end.code, ExitCode::output);
    EXPECT_EQ(end.message, "disk full");
}

TEST(RunEnd, AFileWithoutPicturesTakesNobodysPlace) {
    Outcome outcome;
    outcome.counts.frames_in = 5;
    EndFacts facts{.writes = true, .stopped = true, .signal = SIGINT};
    try {
        check_counts(outcome, facts);
        ADD_FAILURE() << "is an error";
    } catch (const Error& error) {
        const RunEnd end = end_of_error({}, error.code(), error.what(), {.signal = SIGINT, .frames_in = 5});
        EXPECT_EQ(end.code, ExitCode::interrupted);
        EXPECT_EQ(end.message, "stopped before the first picture");
    }
    outcome.counts.frames_out = 1;
    EXPECT_EQ(check_counts(outcome, facts), 4);
    facts.writes = false;
    outcome.counts.frames_out = 0;
    EXPECT_EQ(check_counts(outcome, facts), 0);
}

}  // namespace
}  // namespace vfilter
