// Whole runs whose video is decoded in ranges, as with a GPU, by sessions on the CPU.

#include <algorithm>
#include <array>
#include <compare>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/pipeline/run_test.h"
#include "tests/support/clip_store.h"
#include "tests/support/command.h"

namespace vfilter {
namespace {

class RangedRunTest : public testing::RunTest {
protected:
    void SetUp() override {
        RunTest::SetUp();
        const test::Result made = test::run_ffmpeg(
            "-f lavfi -i testsrc2=size=64x48:rate=25:duration=40 -f lavfi -i sine=duration=40 -c:v libx264 -preset "
            "ultrafast -bf 2 -g 250 -pix_fmt yuv420p -c:a pcm_s16le long.mkv",
            folder_.path());
        ASSERT_EQ(made.code, 0) << made;
        options_.input.path = folder_ / "long.mkv";
        options_.output.preset = "ultrafast";
        options_.output.path = folder_ / "out.mp4";
        options_.threads = 1;
    }
    Outcome run_with(int sessions, const StageHook& stage = {}) {
        stats_ = std::make_unique<Stats>();
        return run_session(options_, signal_, *stats_, {.watch = {}, .stage = stage, .stand_in_sessions = sessions});
    }
    struct Packet {
        double seconds;
        std::string text;  // stream, time, size and hash
        auto operator<=>(const Packet&) const = default;
    };
    // The packets of the file as they lie in it.
    std::vector<Packet> packets() {
        const auto probed = test::run_command(
            "ffprobe -v error -show_data_hash md5 -show_entries packet=stream_index,dts_time,size,pos,data_hash "
            "-of csv=p=0 '" +
                options_.output.path + "'",
            std::filesystem::temp_directory_path());
        std::map<long long, Packet> lying;
        std::istringstream lines(probed.out);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream cells(line);
            std::array<std::string, 5> cell;
            for (std::string& text : cell) {
                std::getline(cells, text, ',');
            }
            const auto& [stream, seconds, size, place, hash] = cell;
            lying[std::stoll(place)] = {std::stod(seconds), stream + ' ' + seconds + ' ' + size + ' ' + hash};
        }
        std::vector<Packet> list;
        for (auto& [place, packet] : lying) {
            list.push_back(std::move(packet));
        }
        return list;
    }
    // The same packets in the same order from one decoder and from several sessions. Which ones lie first is open: a
    // muxer waits for pictures until it has ten seconds of sound, which are quickly there before the first picture is.
    Outcome expect_same(std::int64_t pictures) {
        EXPECT_EQ(run_with(0).counts.frames_out, pictures);
        std::vector<Packet> one = packets();
        const Outcome outcome = run_with(3);
        EXPECT_EQ(outcome.end.code, ExitCode::finished) << outcome.end.message;
        EXPECT_EQ(outcome.counts.frames_out, pictures);
        EXPECT_FALSE(outcome.damage.any());
        std::vector<Packet> several = packets();
        EXPECT_GT(one.size(), static_cast<std::size_t>(pictures));
        const auto later = [](const std::vector<Packet>& all) {
            std::vector<Packet> list;
            std::ranges::copy_if(all, std::back_inserter(list),
                                 [](const Packet& packet) { return packet.seconds >= 1; });
            return list;
        };
        EXPECT_TRUE(later(several) == later(one)) << "another order";
        std::ranges::sort(one);
        std::ranges::sort(several);
        EXPECT_TRUE(several == one) << "other packets";
        return outcome;
    }
    // On a starved machine the CPU's threads help out.
    static void expect_by_sessions(const Outcome& outcome, std::int64_t pictures) {
        const DecodeFacts& facts = outcome.decode.facts;
        EXPECT_EQ(facts.hardware + facts.beside, pictures);
        EXPECT_GE(facts.hardware, pictures / 4);
        EXPECT_EQ(facts.on_cpu, 0) << facts.why_on_cpu;
    }
};

// Sound is read ten seconds and more before the pictures beside it come, and a muxer waits for no more than ten.
TEST_F(RangedRunTest, MakesTheSameFileWithSound) {
    const Outcome outcome = expect_same(1000);
    EXPECT_EQ(outcome.decode.facts.ranges, 4);
    EXPECT_GT(outcome.decode.facts.sessions, 1) << "on a starved machine two may have taken all ranges";
    expect_by_sessions(outcome, 1000);
}

TEST_F(RangedRunTest, MakesTheSameFileOfAPart) {
    options_.input.start = Position{11.5, false};
    options_.input.end = Position{27.0, false};
    expect_same(387);
    options_.input.end.reset();
    options_.input.frames = 300;
    expect_same(300);
}

TEST_F(RangedRunTest, MakesTheSameFileOfSeveralFiles) {
    options_.input.appended = {options_.input.path, options_.input.path};
    const Outcome outcome = expect_same(3000);
    EXPECT_EQ(outcome.decode.facts.ranges, 12);
    expect_by_sessions(outcome, 3000);
    options_.input.start = Position{31.5, false};
    options_.input.end = Position{47.0, false};
    expect_same(387);
}

TEST_F(RangedRunTest, EndsInTimeAtASignalAndAtAnError) {
    signal_ = 0;
    const Outcome stopped = run_with(3, [this](StageId stage, std::int64_t item) {
        if (stage == StageId::encode && item == 30) {
            signal_ = 2;
        }
    });
    EXPECT_EQ(stopped.end.code, ExitCode::interrupted);
    EXPECT_GE(stopped.counts.frames_out, 30);
    signal_ = 0;
    const Outcome failed = run_with(3, [](StageId stage, std::int64_t item) {
        if (stage == StageId::filter && item == 30) {
            throw std::runtime_error("made to fail");
        }
    });
    EXPECT_EQ(failed.end.message, "filter: made to fail");
}

}  // namespace
}  // namespace vfilter
