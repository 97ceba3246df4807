// The output: an encoded video and copies of all else.

#include "io/output/muxer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "io/codec/decoder.h"
#include "io/codec/encoder_choice.h"
#include "io/output/container_choice.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

struct Packet {
    double time;
    std::vector<std::uint8_t> bytes;
    bool operator==(const Packet&) const = default;
};

// By kind of stream.
std::map<AVMediaType, std::vector<Packet>> read_file(const std::string& path) {
    std::map<AVMediaType, std::vector<Packet>> packets;
    AVFormatContext* opened = nullptr;
    EXPECT_EQ(avformat_open_input(&opened, path.c_str(), nullptr, nullptr), 0) << path;
    const InputContextPtr format(opened);
    const PacketPtr packet = make_packet();
    while (format && av_read_frame(format.get(), packet.get()) >= 0) {
        const AVStream& stream = *format->streams[packet->stream_index];
        packets[stream.codecpar->codec_type].push_back(
            {static_cast<double>(packet->pts) * av_q2d(stream.time_base), {packet->data, packet->data + packet->size}});
        av_packet_unref(packet.get());
    }
    return packets;
}

class MuxerTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() { connect_ffmpeg_log(false); }
    void SetUp() override { testing::make_clip(folder_ / "in.mkv", 1); }

    static void ffmpeg(const std::string& arguments) {
        const std::string command = "ffmpeg -nostdin -v error -y " + arguments;
        ASSERT_EQ(std::system(command.c_str()), 0) << command;
    }
    // Encodes the video of a file anew, and copies all else. Returns what was left out.
    std::vector<std::string> write(const std::string& from, const std::string& to) {
        InputRequest wanted;
        wanted.path = from;
        Demuxer input(wanted, [] { return false; });
        FramePool pool(allocate_picture);
        Decoder decoder(input, input.video_index(), pool, 1, false);
        std::vector<FramePtr> pictures;
        std::vector<PacketPtr> others;
        const auto take = [&] {
            while (FramePtr picture = decoder.receive()) {
                pictures.push_back(std::move(picture));
            }
        };
        while (PacketPtr packet = input.read()) {
            if (packet->stream_index == input.video_index()) {
                decoder.send(packet.get());
                take();
            } else {
                packet->flags |= hidden_.contains(others.size()) ? AV_PKT_FLAG_DISCARD : 0;
                others.push_back(std::move(packet));
            }
        }
        decoder.send(nullptr);
        take();

        OutputOptions options;
        options.path = to;
        const AVOutputFormat& container = choose_container(options);
        if (encoder_of(options, container) == "libx264") {
            options.preset = "ultrafast";
        }
        Encoder encoder(options, {}, container, {input, input.video_index()}, *pictures.front(), AV_PIX_FMT_YUV420P,
                        pool);
        OutputFile file(to, Overwrite::yes);
        Muxer muxer(container, input, &file);
        muxer.begin({{input.video_index(), &input.video(), &encoder, pictures.front().get()}});
        pictures.push_back(nullptr);
        for (FramePtr& picture : pictures) {
            encoder.send(std::move(picture));
            while (PacketPtr packet = encoder.receive()) {
                muxer.write_video(std::move(packet), input.video_index(), encoder.time_base());
            }
        }
        for (PacketPtr& packet : others) {
            muxer.write_copy(std::move(packet));
        }
        muxer.finish();
        EXPECT_EQ(muxer.refused_packets(), 0);
        sent_ = muxer.sent();
        check_written(file.written_path(), container, sent_, muxer.labels(), [] { return false; });
        file.commit();
        return muxer.dropped();
    }

    testing::Folder folder_;
    std::set<std::size_t> hidden_;  // by an edit list, of the packets that are copied
    std::vector<SentStream> sent_;
};

TEST_F(MuxerTest, KeepsPacketsAndTimes) {
    const auto before = read_file(folder_ / "in.mkv");
    for (const char* const name : {"out.mkv", "out.mp4", "out.mov"}) {
        EXPECT_TRUE(write(folder_ / "in.mkv", folder_ / name).empty()) << name;
        const auto after = read_file(folder_ / name);
        EXPECT_EQ(after.at(AVMEDIA_TYPE_VIDEO).size(), 25U) << name;
        ASSERT_EQ(after.at(AVMEDIA_TYPE_AUDIO).size(), before.at(AVMEDIA_TYPE_AUDIO).size()) << name;
        for (std::size_t i = 0; i < before.at(AVMEDIA_TYPE_AUDIO).size(); ++i) {
            EXPECT_EQ(after.at(AVMEDIA_TYPE_AUDIO)[i].bytes, before.at(AVMEDIA_TYPE_AUDIO)[i].bytes)
                << name << ' ' << i;
        }
        ASSERT_EQ(sent_.size(), 2U);
        EXPECT_EQ(sent_[0].packets, 25);
        EXPECT_NEAR(*sent_[0].last - *sent_[0].first, 0.96, 0.001);
    }
    EXPECT_EQ(folder_.names().size(), 4U);  // no .part and no index stays
}

// Whoever cut something out of the middle wants nobody to hear it.
TEST_F(MuxerTest, LeavesOutWhatIsHiddenInTheMiddle) {
    const auto before = read_file(folder_ / "in.mkv").at(AVMEDIA_TYPE_AUDIO);
    for (std::size_t i = 20; i < 30; ++i) {
        hidden_.insert(i);
    }
    for (const char* const name : {"out.mkv", "out.mp4", "out.ts"}) {
        EXPECT_TRUE(write(folder_ / "in.mkv", folder_ / name).empty()) << name;
        const auto after = read_file(folder_ / name).at(AVMEDIA_TYPE_AUDIO);
        EXPECT_EQ(after.size(), before.size() - 10) << name;
    }
    // Before the first one they are the decoder's preroll.
    hidden_ = {0, 1};
    write(folder_ / "in.mkv", folder_ / "out.mkv");
    EXPECT_EQ(read_file(folder_ / "out.mkv").at(AVMEDIA_TYPE_AUDIO).size(), before.size());
}

TEST_F(MuxerTest, NamesWhatTheContainerCannotHold) {
    const std::vector<std::string> dropped = write(folder_ / "in.mkv", folder_ / "out.y4m");
    ASSERT_EQ(dropped.size(), 1U);
    EXPECT_EQ(dropped.front(), "stream 1 (audio, aac)");
    EXPECT_FALSE(read_file(folder_ / "out.y4m").contains(AVMEDIA_TYPE_AUDIO));
}

TEST_F(MuxerTest, GivesSubtitlesTheContainersForm) {
    { std::ofstream(folder_ / "a.srt") << "1\n00:00:00,200 --> 00:00:00,700\nHello\n"; }
    ffmpeg("-i '" + (folder_ / "in.mkv") + "' -i '" + (folder_ / "a.srt") + "' -map 0 -map 1 -c copy -c:s srt '" +
           (folder_ / "text.mkv") + "'");
    EXPECT_TRUE(write(folder_ / "text.mkv", folder_ / "out.mp4").empty());
    bool found = false;
    const auto written = read_file(folder_ / "out.mp4");
    for (const Packet& packet : written.at(AVMEDIA_TYPE_SUBTITLE)) {
        const std::string text(packet.bytes.begin(), packet.bytes.end());
        if (text.find("Hello") != std::string::npos) {
            found = true;
            EXPECT_NEAR(packet.time, 0.2, 0.001);
        }
    }
    EXPECT_TRUE(found);
}

TEST_F(MuxerTest, KeepsTagsAndChapters) {
    {
        std::ofstream(folder_ / "meta.txt") << ";FFMETADATA1\ntitle=A title\nencoder=old\n[CHAPTER]\nTIMEBASE=1/1000\n"
                                               "START=0\nEND=400\ntitle=One\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=400\n"
                                               "END=1000\ntitle=Two\n";
    }
    ffmpeg("-i '" + (folder_ / "in.mkv") + "' -i '" + (folder_ / "meta.txt") +
           "' -map 0 -map_metadata 1 -map_chapters 1 -c copy '" + (folder_ / "told.mkv") + "'");
    write(folder_ / "told.mkv", folder_ / "out.mkv");
    AVFormatContext* opened = nullptr;
    ASSERT_EQ(avformat_open_input(&opened, (folder_ / "out.mkv").c_str(), nullptr, nullptr), 0);
    const InputContextPtr format(opened);
    EXPECT_STREQ(av_dict_get(format->metadata, "title", nullptr, 0)->value, "A title");
    ASSERT_EQ(format->nb_chapters, 2U);
    EXPECT_STREQ(av_dict_get(format->chapters[1]->metadata, "title", nullptr, 0)->value, "Two");
    EXPECT_NEAR(static_cast<double>(format->chapters[1]->start) * av_q2d(format->chapters[1]->time_base), 0.4, 0.001);
}

}  // namespace
}  // namespace vfilter
