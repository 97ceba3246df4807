#include "pipeline/report/summary.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "pipeline/report/progress.h"
#include "tests/pipeline/report/outcomes.h"

namespace vfilter {
namespace {

using namespace std::chrono_literals;

TEST(Summary, IsOneLineOfARecording) {
    Options options;
    options.output.path = "out.mkv";
    Outcome outcome = testing::full_outcome();
    outcome.live.is_live = false;
    EXPECT_EQ(summary_line(options, outcome, {}),
              "out.mkv: 100 frames in, 90 out, 2.00 s, 45.0 fps, cpu, bound by read, 1 stream left out");
}

TEST(Summary, TellsOfALiveRunHowLateItWas) {
    Options options;
    options.output.path = "-";
    Outcome outcome = testing::full_outcome();
    outcome.setup.dropped_streams.clear();
    Stats stats;
    stats.latency[Leg::ready].add(5ms);
    EXPECT_EQ(summary_line(options, outcome, stats),
              "100 frames in, 90 out, 2.00 s, 45.0 fps, cpu, ready after 5.0 ms (p99 5.0)");
}

TEST(Summary, NamesWhatWasDroppedAndNothingElse) {
    EXPECT_EQ(drops_text({}), "");
    EXPECT_EQ(drops_text(testing::full_outcome().live.drops),
              "1 not decoded, as newer ones had come, 3 overtaken before the filter, 7 not shown");
}

TEST(Summary, NamesTheDamage) {
    EXPECT_EQ(damage_text({}), "");
    Damage damage;
    damage.packets = 1;
    damage.frames = 2;
    damage.missing_seconds = 1.25;
    EXPECT_EQ(damage_text(damage), "1 damaged packet, 2 damaged frames, ended 1.2 s before the header's duration");
}

TEST(Summary, NamesTheFilesThatAreDamaged) {
    Damage of_input;
    of_input.packets = 1;
    Damage of_sound;
    of_sound.packets = 1;
    of_sound.give_to("mix.wav");
    Damage of_words;
    of_words.give_to("words.srt");  // which has none
    Damage damage;
    damage += of_words;
    EXPECT_EQ(damaged_files(damage), "the input is");
    damage += of_sound;
    damage += of_words;
    damage += Damage{};
    EXPECT_EQ(damaged_files(damage), "mix.wav is");
    damage += of_input;
    EXPECT_EQ(damaged_files(damage), "the input and mix.wav are");
    damage = of_input;
    damage += of_sound;
    EXPECT_EQ(damaged_files(damage), "the input and mix.wav are");
}

TEST(Summary, ShowsALatencyOnlyWhereThereIsOne) {
    Stats stats;
    const Outcome outcome = testing::full_outcome();
    EXPECT_EQ(stats_text(outcome, stats).find("\nready "), std::string::npos);
    stats.latency[Leg::ready].add(5ms);
    const std::string text = stats_text(outcome, stats);
    EXPECT_NE(text.find("\nready "), std::string::npos) << text;
    EXPECT_NE(text.find("clock: the pictures' is 0.250 s behind"), std::string::npos) << text;
    EXPECT_NE(text.find("on the device: 12 allocations, 1000 bytes, 6 kernels launched, 5 pictures not page-locked"),
              std::string::npos)
        << text;
    EXPECT_NE(
        text.find("copies: 7 pictures to the device, 8 from it, 2 between devices; 9 were decoded in its memory\n"),
        std::string::npos)
        << text;
    EXPECT_NE(
        text.find("decoded on the GPU: 80 pictures, 2 sessions, 5 ranges, and 12 pictures on the CPU beside it; 1 on "
                  "the CPU, as film grain (it is faster)\n"),
        std::string::npos)
        << text;
    EXPECT_NE(stats_text({}, stats).find("\ndecoded on the CPU\n"), std::string::npos);
    EXPECT_NE(text.find("filters run by: tile\n"), std::string::npos) << text;
}

TEST(Progress, HasSharesWhereTheNumberOfPicturesIsKnown) {
    Outcome outcome = testing::full_outcome();
    EXPECT_EQ(progress_text(outcome), "[ 45.0%]  90/200 frames  45 fps  1.8x  ETA 0:02  drop 4");
    EXPECT_EQ(progress_json(outcome), R"({"frames":90,"frames_expected":200,"seconds":2.0,"fps":45.0,"speed":1.8,)"
                                      R"("eta_seconds":2.4444444444444446,"dropped":4})");
    outcome.counts.frames_expected = 80;
    EXPECT_EQ(progress_text(outcome), "90 frames  45 fps  1.8x  drop 4") << "more than were told";
    EXPECT_NE(progress_json(outcome).find(R"("frames_expected":0,)"), std::string::npos);
    EXPECT_NE(progress_json(outcome).find(R"("eta_seconds":null)"), std::string::npos);
    EXPECT_NE(progress_end(outcome).find(R"("eta_seconds":0,"dropped":4,"exit_code":8})"), std::string::npos);
    outcome.counts.frames_expected = 0;
    EXPECT_NE(progress_json(outcome).find(R"("eta_seconds":null)"), std::string::npos);
}

TEST(Progress, CountsHours) {
    Outcome outcome;
    outcome.counts = {.frames_out = 1, .frames_expected = 3 * 3600 + 62, .seconds = 1};
    EXPECT_NE(progress_text(outcome).find("ETA 3:01:01"), std::string::npos) << progress_text(outcome);
}

}  // namespace
}  // namespace vfilter
