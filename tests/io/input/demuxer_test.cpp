// Files as the input of a run: their packets, the wanted part, and what is wrong with them.

#include "io/input/demuxer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/support/clips.h"

namespace vfilter {
namespace {

struct Read {
    std::map<int, std::vector<std::int64_t>> times;  // decoding times by stream
    std::size_t packets = 0;
};

Read read_rest(Demuxer& demuxer) {
    Read read;
    while (const PacketPtr packet = demuxer.read()) {
        read.times[packet->stream_index].push_back(packet->dts);
        ++read.packets;
    }
    return read;
}

std::string refusal(const InputRequest& options, ExitCode code) {
    try {
        const Demuxer demuxer(options, [] { return false; });
        return "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        return error.what();
    }
}

// Clips of 2 s, 25 pictures each, are made once.
class DemuxerTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        connect_ffmpeg_log(false);  // what demuxers log is damage
        folder_ = new testing::Folder;
    }
    static void TearDownTestSuite() {
        delete folder_;
        folder_ = nullptr;
    }
    static std::string made(const std::string& name) { return *folder_ / name; }
    static std::string clip(const std::string& name) {
        if (!std::filesystem::exists(made(name))) {
            testing::make_clip(made(name));
        }
        return made(name);
    }
    static void ffmpeg(const std::string& arguments) {
        const std::string command = "ffmpeg -nostdin -v error -y " + arguments;
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
    }
    static InputRequest input(const std::string& path) {
        InputRequest options;
        options.path = path;
        return options;
    }
    static Demuxer open(const InputRequest& options) {
        return {options, [] { return false; }};
    }

private:
    static inline testing::Folder* folder_ = nullptr;
};

TEST_F(DemuxerTest, GivesEveryPacketInOrder) {
    for (const char* const name : {"a.mp4", "a.mkv", "a.ts", "a.avi"}) {
        Demuxer demuxer = open(input(clip(name)));
        AVFormatContext* opened = nullptr;
        ASSERT_EQ(avformat_open_input(&opened, clip(name).c_str(), nullptr, nullptr), 0);
        const InputContextPtr plain(opened);
        const PacketPtr wanted = make_packet();
        while (av_read_frame(plain.get(), wanted.get()) >= 0) {
            const PacketPtr packet = demuxer.read();
            ASSERT_TRUE(packet) << name;
            EXPECT_EQ(packet->stream_index, wanted->stream_index) << name;
            EXPECT_EQ(packet->size, wanted->size) << name;
            av_packet_unref(wanted.get());
        }
        EXPECT_EQ(demuxer.read(), nullptr) << name;
        EXPECT_EQ(demuxer.read(), nullptr) << name;
        EXPECT_FALSE(demuxer.damage().any()) << name;
    }
}

TEST_F(DemuxerTest, TellsWhatTheInputIs) {
    const Demuxer demuxer = open(input(clip("a.mp4")));
    EXPECT_EQ(demuxer.videos(), std::vector<int>{0});
    EXPECT_TRUE(demuxer.is_filtered(0));
    EXPECT_FALSE(demuxer.is_filtered(1));
    EXPECT_EQ(av_cmp_q(demuxer.frame_rate(), {25, 1}), 0);
    EXPECT_EQ(demuxer.expected_frames(0), 50);
    EXPECT_FALSE(demuxer.live());
    EXPECT_FALSE(demuxer.waits());
    EXPECT_EQ(demuxer.reconnects(), 0);
    EXPECT_EQ(demuxer.part().shift, 0);
}

TEST_F(DemuxerTest, ReadsAgainWhatIsPutBack) {
    Demuxer demuxer = open(input(clip("a.mkv")));
    std::deque<PacketPtr> read;
    std::vector<std::int64_t> times;
    for (int i = 0; i < 10; ++i) {
        read.push_back(demuxer.read());
        times.push_back(read.back()->dts);
    }
    demuxer.unread(std::move(read));
    ASSERT_NE(demuxer.peek(1), nullptr);
    EXPECT_EQ(demuxer.peek(1)->stream_index, 1);
    for (const std::int64_t time : times) {
        EXPECT_EQ(demuxer.read()->dts, time);
    }
    EXPECT_EQ(demuxer.peek(1), nullptr);
    EXPECT_FALSE(read_rest(demuxer).times.empty());
    EXPECT_FALSE(demuxer.damage().any());
}

// The key frame before the wanted picture, also where the container has no index.
TEST_F(DemuxerTest, BeginsAPartAtAKeyFrameBeforeIt) {
    for (const char* const name : {"keys.mp4", "keys.ts"}) {
        ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=25:duration=6 -c:v libx264 -preset ultrafast -g 25 '" +
               made(name) + "'");
        InputRequest options = input(made(name));
        options.start = Position{4.5, false};
        options.duration = Position{1, false};
        Demuxer demuxer = open(options);
        const double tick = av_q2d(demuxer.video().time_base);
        PacketPtr key = demuxer.read();
        while (key && (key->flags & AV_PKT_FLAG_KEY) == 0) {
            key = demuxer.read();
        }
        ASSERT_TRUE(key) << name;
        const double begin = static_cast<double>(demuxer.part().shift) / AV_TIME_BASE - 4.5;
        const double at = static_cast<double>(key->pts) * tick - begin;
        EXPECT_LE(at, 4.5) << name;
        EXPECT_GE(at, 0.9) << name;
        EXPECT_NEAR(static_cast<double>(*demuxer.part().end - *demuxer.part().start) / AV_TIME_BASE, 1, 0.01) << name;
        EXPECT_EQ(demuxer.expected_frames(0), 25) << name;
        read_rest(demuxer);
        EXPECT_FALSE(demuxer.damage().any()) << name;
    }
}

TEST_F(DemuxerTest, CountsKeyFramesWhereTheIndexGoesOverTheWhole) {
    struct Row {
        const char* name;
        const char* words;
        std::int64_t keys;
        std::int64_t after_a_seek;
    };
    for (const Row& row : {Row{"indexed.mp4", "", 6, 6}, Row{"indexed.mkv", "", 0, 6}, Row{"indexed.ts", "", 0, 0},
                           Row{"fragments.mp4", "-movflags +frag_keyframe+empty_moov", 6, 6}}) {
        ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=25:duration=6 -c:v libx264 -preset ultrafast -g 25 " +
               std::string(row.words) + " '" + made(row.name) + "'");
        InputRequest options = input(made(row.name));
        EXPECT_EQ(open(options).indexed_key_frames(0), row.keys) << row.name;
        options.start = Position{4.5, false};
        EXPECT_EQ(open(options).indexed_key_frames(0), row.after_a_seek) << row.name;
    }
}

TEST_F(DemuxerTest, TakesTheVideosThatAreNamed) {
    ffmpeg(
        "-f lavfi -i testsrc2=size=64x48:rate=25:duration=1 -f lavfi -i testsrc2=size=32x32:rate=10:duration=1 "
        "-map 0 -map 1 -c:v mpeg4 '" +
        made("two.mkv") + "'");
    InputRequest options = input(made("two.mkv"));
    EXPECT_EQ(open(options).videos(), std::vector<int>{0});
    options.video_stream = "1";
    EXPECT_EQ(open(options).videos(), std::vector<int>{1});
    EXPECT_EQ(av_cmp_q(open(options).frame_rate(), {10, 1}), 0);
    options.video_stream = "all";
    EXPECT_EQ(open(options).videos(), (std::vector<int>{0, 1}));
    options.video_stream = "2";
    EXPECT_NE(refusal(options, ExitCode::usage).find("has 2 video streams, numbered from 0"), std::string::npos);
}

TEST_F(DemuxerTest, RefusesWhatHoldsNoVideo) {
    ffmpeg("-f lavfi -i sine=duration=1 '" + made("sound.mka") + "'");
    EXPECT_NE(refusal(input(made("sound.mka")), ExitCode::input).find("holds no video"), std::string::npos);
    EXPECT_NE(refusal(input(made("none.mkv")), ExitCode::input).find("No such file"), std::string::npos);
}

// Timestamps of the second file begin anew.
TEST_F(DemuxerTest, GoesOnWhereTheClockJumps) {
    {
        std::ofstream joined(made("joined.ts"), std::ios::binary);
        for (int i = 0; i < 2; ++i) {
            joined << std::ifstream(clip("a.ts"), std::ios::binary).rdbuf();
        }
    }
    Demuxer demuxer = open(input(made("joined.ts")));
    const Read read = read_rest(demuxer);
    const std::vector<std::int64_t>& times = read.times.at(demuxer.video_index());
    ASSERT_EQ(times.size(), 100U);
    EXPECT_TRUE(std::ranges::is_sorted(times));
    EXPECT_NEAR(static_cast<double>(times.back() - times.front()) * av_q2d(demuxer.video().time_base), 4, 0.2);
    EXPECT_FALSE(demuxer.damage().any());
}

TEST_F(DemuxerTest, TellsWhatIsMissing) {
    for (const char* const name : {"a.mkv", "a.avi"}) {
        const std::string cut = made(std::string("cut-") + name);
        std::filesystem::copy_file(clip(name), cut, std::filesystem::copy_options::overwrite_existing);
        std::filesystem::resize_file(cut, std::filesystem::file_size(cut) / 2);
        Demuxer demuxer = open(input(cut));
        EXPECT_GT(read_rest(demuxer).packets, 0U) << name;
        EXPECT_TRUE(demuxer.damage().any()) << name;
        EXPECT_FALSE(demuxer.damage().notes.empty()) << name;
    }
}

TEST_F(DemuxerTest, PacesALiveFileFromItsFirstPicture) {
    InputRequest options = input(clip("a.ts"));  // which begins at 1.4 s
    options.live = true;
    Demuxer demuxer = open(options);
    EXPECT_TRUE(demuxer.live());
    EXPECT_GT(demuxer.part().shift, AV_TIME_BASE);
    const auto begin = std::chrono::steady_clock::now();
    for (int pictures = 0; pictures < 13;) {
        const PacketPtr packet = demuxer.read();
        ASSERT_TRUE(packet);
        if (pictures == 0) {
            EXPECT_EQ(packet->stream_index, demuxer.video_index());
            EXPECT_NE(packet->flags & AV_PKT_FLAG_KEY, 0);
        }
        pictures += packet->stream_index == demuxer.video_index() ? 1 : 0;
    }
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(480));
}

TEST_F(DemuxerTest, EndsWithoutDamageWhenInterrupted) {
    bool interrupted = false;
    Demuxer demuxer(input(clip("a.mkv")), [&] { return interrupted; });
    EXPECT_TRUE(demuxer.read());
    std::deque<PacketPtr> read;
    read.push_back(demuxer.read());
    demuxer.unread(std::move(read));
    interrupted = true;
    EXPECT_TRUE(demuxer.read());  // what is there is given
    EXPECT_FALSE(demuxer.read());
    EXPECT_FALSE(demuxer.damage().any());
}

}  // namespace
}  // namespace vfilter
