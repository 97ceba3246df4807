// Packets in, pictures out.

#include "io/codec/decoder.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/crc.h>
}

#include <algorithm>
#include <functional>
#include <optional>

#include "tests/support/clips.h"

namespace vfilter {
namespace {

class DecoderTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() { connect_ffmpeg_log(false); }  // what decoders log is damage

    // Pictures of a source of libavfilter, encoded.
    Demuxer& open(const std::string& name, const std::string& encoder, const std::string& source = "testsrc2") {
        const test::Result made = test::run_ffmpeg(
            "-f lavfi -i " + source + "=size=160x120:rate=25:duration=2 -t 1 " + encoder + " " + name, folder_.path());
        EXPECT_EQ(made.code, 0) << made;
        options_.path = folder_ / name;
        demuxer_.emplace(options_, [] { return false; });
        return *demuxer_;
    }
    // All pictures; `change` may do something to the packet of that number, or take it away: then its size is 0.
    std::vector<FramePtr> decode(Decoder& decoder, const std::function<void(AVPacket&, int)>& change = {}) {
        std::vector<FramePtr> pictures;
        const auto take = [&] {
            while (FramePtr picture = decoder.receive()) {
                pictures.push_back(std::move(picture));
            }
        };
        int number = 0;
        while (const PacketPtr packet = demuxer_->read()) {
            if (packet->stream_index == demuxer_->video_index()) {
                if (change) {
                    change(*packet, number++);
                }
                if (packet->size == 0) {
                    continue;
                }
                decoder.send(packet.get());
                take();
            }
        }
        decoder.send(nullptr);
        take();
        return pictures;
    }

    InputRequest options_;
    FramePool pool_{allocate_picture};

private:
    testing::Folder folder_;
    std::optional<Demuxer> demuxer_;
};

const std::string h264 = "-c:v libx264 -preset ultrafast -bf 2 -g 10 -pix_fmt yuv420p";

// A key frame, from its first quarter on.
void break_packet(AVPacket& packet, int number) {
    if (number == 10) {
        ASSERT_EQ(av_packet_make_writable(&packet), 0);
        unsigned state = 1;
        for (int i = packet.size / 4; i < packet.size; ++i) {
            state = state * 1664525 + 1013904223;
            packet.data[i] = static_cast<std::uint8_t>(state >> 24U);
        }
    }
}

TEST_F(DecoderTest, GivesEveryPictureInTheOrderOfTime) {
    const Demuxer& input = open("a.mkv", h264);
    Decoder decoder(input, 0, pool_, 2, false);
    const std::vector<FramePtr> pictures = decode(decoder);
    ASSERT_EQ(pictures.size(), 25U);
    for (std::size_t i = 0; i < pictures.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(pictures[i]->pts) * av_q2d(input.video().time_base),
                    static_cast<double>(i) / 25, 0.002);
        EXPECT_EQ(pictures[i]->width, 160);
        EXPECT_EQ(pictures[i]->format, AV_PIX_FMT_YUV420P);
    }
    EXPECT_FALSE(decoder.damage().any());
    EXPECT_EQ(decoder.complaint(), "");
    EXPECT_GT(pool_.allocations(), 0);
}

TEST_F(DecoderTest, RecyclesPictures) {
    const Demuxer& input = open("a.mkv", "-c:v mjpeg");
    Decoder decoder(input, 0, pool_, 1, false);
    int count = 0;
    for (const FramePtr& picture : decode(decoder)) {
        count += picture ? 1 : 0;
    }
    const std::int64_t all = pool_.allocations();
    EXPECT_GT(all, 0);
    EXPECT_EQ(count, 25);
    const Demuxer& again = open("b.mkv", "-c:v mjpeg");
    Decoder second(again, 0, pool_, 1, false);
    decode(second);
    EXPECT_LE(pool_.allocations(), all + 1);  // one more may be on its way
}

TEST_F(DecoderTest, TellsFullRangeWithoutAJ) {
    const Demuxer& input = open("a.mkv", "-c:v mjpeg -pix_fmt yuvj422p");
    Decoder decoder(input, 0, pool_, 1, false);
    const std::vector<FramePtr> pictures = decode(decoder);
    ASSERT_FALSE(pictures.empty());
    EXPECT_EQ(pictures.front()->format, AV_PIX_FMT_YUV422P);
    EXPECT_EQ(pictures.front()->color_range, AVCOL_RANGE_JPEG);
}

TEST_F(DecoderTest, RefusesPicturesAboveTheLimit) {
    options_.max_pixels = 160 * 120;
    EXPECT_NO_THROW(Decoder(open("a.mkv", h264), 0, pool_, 1, false));
    options_.max_pixels = 160 * 120 - 1;
    const Demuxer& input = open("b.mkv", h264);
    try {
        const Decoder decoder(input, 0, pool_, 1, false);
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::input);
        EXPECT_NE(std::string(error.what()).find("pictures of 160x120"), std::string::npos);
    }
}

TEST_F(DecoderTest, CountsABrokenPacketAndGoesOn) {
    const Demuxer& input = open("a.mkv", h264);
    Decoder decoder(input, 0, pool_, 1, false);
    EXPECT_GE(decode(decoder, break_packet).size(), 20U);
    EXPECT_TRUE(decoder.damage().any());
    ASSERT_FALSE(decoder.damage().notes.empty());
    EXPECT_NE(decoder.damage().notes.front().find("near 0."), std::string::npos) << decoder.damage().notes.front();
}

TEST_F(DecoderTest, EndsAStrictRunAtABrokenPacket) {
    const Demuxer& input = open("a.mkv", h264);
    Decoder decoder(input, 0, pool_, 1, true);
    try {
        decode(decoder, break_packet);
        ADD_FAILURE() << "it went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::damaged);
    }
}

TEST_F(DecoderTest, CountsThePictureOfAnEmptyPacket) {
    const Demuxer& input = open("a.mkv", "-c:v ffv1");
    Decoder decoder(input, 0, pool_, 1, false);
    // Nothing comes of a packet without bytes.
    decode(decoder, [](AVPacket& packet, int number) { packet.size = number == 12 ? 1 : packet.size; });
    EXPECT_TRUE(decoder.damage().any());
}

// From its first quarter on, packets of every kind: key frames, those that others lean on, and others.
void break_some(AVPacket& packet, int number) {
    if (number % 7 == 3 || number == 20) {
        ASSERT_EQ(av_packet_make_writable(&packet), 0);
        unsigned state = 1;
        for (int i = packet.size / 4; i < packet.size; ++i) {
            state = state * 1664525 + 1013904223;
            packet.data[i] = static_cast<std::uint8_t>(state >> 24U);
        }
    }
}

// What slices that end too early leave out.
void shorten_some(AVPacket& packet, int number) {
    packet.size = number % 7 == 3 ? packet.size / 2 : packet.size;
}

// Of 4:2:0.
std::uint32_t sum_of(const AVFrame& picture) {
    std::uint32_t sum = 0;
    for (int plane = 0; plane < 3; ++plane) {
        for (int y = 0; y < (plane == 0 ? picture.height : picture.height / 2); ++y) {
            sum = av_crc(av_crc_get_table(AV_CRC_32_IEEE), sum,
                         picture.data[plane] + static_cast<std::ptrdiff_t>(y) * picture.linesize[plane],
                         static_cast<std::size_t>(plane == 0 ? picture.width : picture.width / 2));
        }
    }
    return sum;
}

// Theora's decoder takes a buffer as it is for the key frame that is missing, FFV1's for the slices that are.
class DamagedMemory : public DecoderTest {
protected:
    void expect_the_same(const std::string& name, const std::string& encoder,
                         const std::function<void(AVPacket&, int)>& change);
};

void DamagedMemory::expect_the_same(const std::string& name, const std::string& encoder,
                                    const std::function<void(AVPacket&, int)>& change) {
    std::vector<std::uint32_t> sums[2];
    for (const int fill : {0, 1}) {
        FramePool pool([fill](std::size_t size) {
            AVBufferRef* const buffer = allocate_picture(size);
            std::fill_n(buffer->data, size, fill == 0 ? std::uint8_t{0x11} : std::uint8_t{0xEE});
            return buffer;
        });
        const Demuxer& input = open(fmt::format("{}{}", fill, name), encoder + " -pix_fmt yuv420p");
        Decoder decoder(input, 0, pool, 1 + 2 * fill, false);
        for (const FramePtr& picture : decode(decoder, change)) {
            sums[fill].push_back(sum_of(*picture));
        }
    }
    EXPECT_GE(sums[0].size(), 20U);
    EXPECT_EQ(sums[0], sums[1]);
}

TEST_F(DamagedMemory, IsNotInTheoraWithoutItsKeyFrame) {
    expect_the_same("a.ogg", "-c:v libtheora -g 5",
                    [](AVPacket& packet, int number) { packet.size = number == 0 ? 0 : packet.size; });
}

TEST_F(DamagedMemory, IsNotInSlicesThatAreMissing) {
    expect_the_same("a.mkv", "-c:v ffv1 -level 3 -slices 4 -g 1", break_some);
    expect_the_same("b.avi", "-c:v magicyuv", break_some);
}

struct Decoded {
    std::vector<std::uint32_t> sums;  // of the pictures
    Damage damage;
    std::int64_t times_repeated;
};

class DamagedVideo : public DecoderTest, public ::testing::WithParamInterface<const char*> {
protected:
    Decoded decode_with(int threads, const std::function<void(AVPacket&, int)>& change) {
        const Demuxer& input = open("a.mkv", GetParam());
        Decoder decoder(input, 0, pool_, threads, false);
        Decoded decoded;
        for (const FramePtr& picture : decode(decoder, change)) {
            decoded.sums.push_back(sum_of(*picture));
        }
        decoded.damage = decoder.damage();
        decoded.times_repeated = decoder.times_repeated();
        return decoded;
    }
};

TEST_P(DamagedVideo, IsTheSameForAnyNumberOfThreads) {
    for (const auto& change : {break_some, shorten_some}) {
        const Decoded one = decode_with(1, change);
        EXPECT_GE(one.sums.size(), 20U);
        EXPECT_TRUE(one.damage.any());
        for (const int threads : {2, 3, 7}) {
            const Decoded more = decode_with(threads, change);
            EXPECT_EQ(more.sums, one.sums) << threads;
            EXPECT_EQ(more.damage.notes, one.damage.notes) << threads;
            EXPECT_EQ(more.damage.frames, one.damage.frames) << threads;
            EXPECT_EQ(more.damage.packets, one.damage.packets) << threads;
            EXPECT_EQ(more.damage.complaints, one.damage.complaints) << threads;
        }
    }
}

// What was whole comes out as it would have, also behind the damage; and nothing is decoded twice without need.
TEST_P(DamagedVideo, LeavesTheRestAsItIs) {
    const Decoded whole = decode_with(3, {});
    EXPECT_EQ(whole.times_repeated, 0);
    EXPECT_FALSE(whole.damage.any());
    ASSERT_EQ(whole.sums.size(), 50U);
    const Decoded damaged = decode_with(3, [](AVPacket& packet, int number) {
        if (number == 13) {
            break_some(packet, 3);
        }
    });
    // Some wrong bits decode without a complaint.
    EXPECT_GE(damaged.times_repeated, damaged.damage.any() ? 1 : 0);
    ASSERT_EQ(damaged.sums.size(), 50U);
    EXPECT_NE(damaged.sums, whole.sums);
    for (std::size_t i = 0; i < 50; ++i) {
        if (i < 8 || i >= 22) {  // the next group of pictures begins there, with B-frames before it
            EXPECT_EQ(damaged.sums[i], whole.sums[i]) << i;
        }
    }
}

// Not MPEG-4: whether its decoder sees damage depends, in threads, on what it has seen of an encoder's bugs.
INSTANTIATE_TEST_SUITE_P(
    Codecs, DamagedVideo,
    ::testing::Values("-c:v libx264 -preset ultrafast -bf 2 -g 10 -t 2 -pix_fmt yuv420p",
                      "-c:v libx265 -preset ultrafast -x265-params log-level=error:keyint=10:pools=1 "
                      "-t 2 -pix_fmt yuv420p"));

TEST(Decoder, KnowsWhichPacketsStandAlone) {
    const OutputContextPtr format(avformat_alloc_context());
    AVStream& stream = *avformat_new_stream(format.get(), nullptr);
    for (const AVCodecID codec : {AV_CODEC_ID_MJPEG, AV_CODEC_ID_RAWVIDEO, AV_CODEC_ID_WRAPPED_AVFRAME}) {
        stream.codecpar->codec_id = codec;
        EXPECT_TRUE(has_independent_packets(stream)) << avcodec_get_name(codec);
    }
    for (const AVCodecID codec : {AV_CODEC_ID_H264, AV_CODEC_ID_MPEG4, AV_CODEC_ID_VP9}) {
        stream.codecpar->codec_id = codec;
        EXPECT_FALSE(has_independent_packets(stream)) << avcodec_get_name(codec);
    }
}

}  // namespace
}  // namespace vfilter
