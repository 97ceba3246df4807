// Encoders beside each other, each with a part of the video.

#include "io/codec/part_encoders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "io/formats/frame_pool.h"
#include "io/log/complaints.h"

namespace vfilter {
namespace {

using namespace std::chrono_literals;

class PartEncodersTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() { connect_ffmpeg_log(false); }

    // Pictures out of order, the last two held back.
    static CodecContextPtr open() {
        const AVCodec& codec = *avcodec_find_encoder_by_name("libx264");
        CodecContextPtr encoder(avcodec_alloc_context3(&codec));
        encoder->width = 128;  // see x264_tree_width in encoder_settings.cpp
        encoder->height = 48;
        encoder->pix_fmt = AV_PIX_FMT_YUV420P;
        encoder->time_base = {1, 1000};
        encoder->framerate = {25, 1};
        encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
        Dictionary settings;
        settings.set("preset", "veryfast");
        settings.set("x264-params", "bframes=3:b-pyramid=normal:b-adapt=0:rc-lookahead=5:threads=2");
        av_check(avcodec_open2(encoder.get(), &codec, settings.get()), "avcodec_open2");
        return encoder;
    }
    FramePtr picture(int number, std::int64_t pts) {
        FramePtr picture = make_frame();
        picture->format = AV_PIX_FMT_YUV420P;
        picture->width = 128;
        picture->height = 48;
        pool_.fill(*picture, 128, 48);
        for (int plane = 0; plane < 3; ++plane) {
            for (int y = 0; y < (plane == 0 ? 48 : 24); ++y) {
                for (int x = 0; x < (plane == 0 ? 128 : 64); ++x) {
                    picture->data[plane][y * picture->linesize[plane] + x] =
                        static_cast<std::uint8_t>(x * 3 + y * 5 + number * 7);
                }
            }
        }
        picture->pts = pts;
        return picture;
    }
    // As a stage does.
    std::vector<PacketPtr> encode(EncoderParts how, const std::vector<std::int64_t>& times) {
        const CodecContextPtr first = open();
        PartEncoders encoders(*first, how, open);
        std::vector<PacketPtr> packets;
        const auto receive = [&] {
            while (PacketPtr packet = encoders.receive()) {
                packets.push_back(std::move(packet));
            }
        };
        for (std::size_t i = 0; i < times.size(); ++i) {
            while (!encoders.takes()) {
                encoders.wait();
                receive();
            }
            encoders.send(picture(static_cast<int>(i), times[i]));
            receive();
        }
        encoders.send(nullptr);
        while (!encoders.ended()) {
            encoders.wait();
            receive();
        }
        return packets;
    }

    FramePool pool_{allocate_picture};
};

std::string bytes_of(const AVPacket& packet) {
    return {reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size)};
}

TEST_F(PartEncodersTest, GiveTheSamePacketsHoweverManyThereAre) {
    std::vector<std::int64_t> times;
    for (int i = 0; i < 100; ++i) {
        times.push_back(i * 40);
    }
    const std::vector<PacketPtr> one = encode({.encoders = 1, .pictures = 12}, times);
    ASSERT_EQ(one.size(), times.size());
    for (const int encoders : {2, 3, 5}) {
        const std::vector<PacketPtr> several = encode({.encoders = encoders, .pictures = 12}, times);
        ASSERT_EQ(several.size(), one.size()) << encoders;
        for (std::size_t i = 0; i < one.size(); ++i) {
            EXPECT_EQ(bytes_of(*several[i]), bytes_of(*one[i])) << encoders << ", " << i;
            EXPECT_EQ(several[i]->pts, one[i]->pts) << encoders << ", " << i;
            EXPECT_EQ(several[i]->dts, one[i]->dts) << encoders << ", " << i;
        }
    }
}

// Of a constant rate they are those of a video encoded as a whole: so many pictures earlier, from the first to the
// last.
TEST_F(PartEncodersTest, DecodingTimesGoOnFromPartToPart) {
    std::vector<std::int64_t> times;
    for (int i = 0; i < 61; ++i) {
        times.push_back(i * 40);
    }
    const std::vector<PacketPtr> packets = encode({.encoders = 3, .pictures = 10}, times);
    ASSERT_EQ(packets.size(), times.size());
    for (std::size_t i = 0; i < packets.size(); ++i) {
        EXPECT_EQ(packets[i]->dts, (static_cast<std::int64_t>(i) - 2) * 40) << i;
        EXPECT_LE(packets[i]->dts, packets[i]->pts) << i;
        EXPECT_EQ((packets[i]->flags & AV_PKT_FLAG_KEY) != 0, i % 10 == 0) << i;
    }
}

TEST_F(PartEncodersTest, DecodingTimesGrowWhereTheRateVaries) {
    std::vector<std::int64_t> times;
    std::int64_t time = 0;
    for (int i = 0; i < 100; ++i) {
        times.push_back(time);
        time += i % 9 == 0 ? 2000 : i % 4 == 0 ? 1 : 33;
    }
    for (const int length : {2, 3, 7, 11}) {
        const std::vector<PacketPtr> packets = encode({.encoders = 3, .pictures = length}, times);
        std::vector<std::int64_t> shown;
        for (std::size_t i = 0; i < packets.size(); ++i) {
            EXPECT_LE(packets[i]->dts, packets[i]->pts) << length << ", " << i;
            EXPECT_TRUE(i == 0 || packets[i - 1]->dts < packets[i]->dts) << length << ", " << i;
            shown.push_back(packets[i]->pts);
        }
        std::ranges::sort(shown);
        EXPECT_EQ(shown, times) << length;
    }
}

TEST_F(PartEncodersTest, TakeNoMoreThanThereAreEncodersFor) {
    const CodecContextPtr first = open();
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    PartEncoders encoders(*first, {.encoders = 2, .pictures = 4}, [&] {
        gone.wait();
        return open();
    });
    int sent = 0;
    int received = 0;
    // Until nothing has moved for a while.
    for (int idle = 0; idle < 3 && sent < 100;) {
        if (encoders.takes()) {
            encoders.send(picture(sent, sent * 40));
            ++sent;
            idle = 0;
        } else if (encoders.receive()) {
            ++received;
            idle = 0;
        } else {
            std::this_thread::sleep_for(100ms);
            ++idle;
        }
    }
    EXPECT_EQ(sent, 12) << "of the first part, which is done, and of two that nobody can begin";
    EXPECT_EQ(received, 4);
    go.set_value();
    encoders.send(nullptr);
    while (!encoders.ended()) {
        encoders.wait();
        while (encoders.receive()) {
            ++received;
        }
    }
    EXPECT_EQ(received, sent);
}

TEST_F(PartEncodersTest, AWaitCanBeCancelled) {
    const CodecContextPtr first = open();
    std::promise<void> go;
    const std::shared_future<void> gone = go.get_future().share();
    PartEncoders encoders(*first, {.encoders = 2, .pictures = 4}, [&] {
        gone.wait();
        return open();
    });
    std::atomic<bool> waited{false};
    std::thread stage([&] {
        // All that it takes, and all that it gives: see above.
        for (int sent = 0, received = 0; sent < 12 || received < 4;) {
            if (encoders.takes()) {
                encoders.send(picture(sent, sent * 40));
                ++sent;
            }
            received += encoders.receive() ? 1 : 0;
        }
        encoders.wait();
        waited = true;
    });
    std::this_thread::sleep_for(50ms);
    encoders.cancel();
    stage.join();
    EXPECT_TRUE(waited);
    go.set_value();
}

TEST_F(PartEncodersTest, WhatOneThrowsIsThrownByTheNextCall) {
    const CodecContextPtr first = open();
    PartEncoders encoders(*first, {.encoders = 2, .pictures = 2},
                          []() -> CodecContextPtr { throw Error(ExitCode::encoder, "no more"); });
    EXPECT_THROW(
        {
            for (int i = 0; i < 1000; ++i) {
                while (!encoders.takes()) {
                    encoders.wait();
                    encoders.receive();
                }
                encoders.send(picture(i, i * 40));
            }
        },
        Error);
}

TEST_F(PartEncodersTest, MayBeDestroyedAtAnyTime) {
    for (int pictures = 0; pictures < 40; pictures += 3) {
        const CodecContextPtr first = open();
        PartEncoders encoders(*first, {.encoders = 3, .pictures = 8}, open);
        for (int i = 0; i < pictures && encoders.takes(); ++i) {
            encoders.send(picture(i, i * 40));
        }
        if (pictures % 2 == 0) {
            encoders.send(nullptr);
        }
    }
}

TEST_F(PartEncodersTest, PartsAreAsLongAsMemoryAllowsOnEveryMachine) {
    const CodecContextPtr encoder = open();
    OutputOptions options;
    EXPECT_EQ(parts_for(options, {}, *encoder).encoders, 1);
    options.encoders = 3;
    EXPECT_EQ(parts_for(options, {}, *encoder).encoders, 3);
    EXPECT_EQ(parts_for(options, {}, *encoder).pictures, 250);
    encoder->width = 3840;
    encoder->height = 2160;
    EXPECT_EQ(parts_for(options, {}, *encoder).pictures, 42);  // of 12.4 MB
    options.part_pictures = 500;
    EXPECT_EQ(parts_for(options, {}, *encoder).pictures, 500);
    options.bitrate = 1'000'000;
    EXPECT_THROW(parts_for(options, {}, *encoder), Error);
}

}  // namespace
}  // namespace vfilter
