#pragma once
// One video in ranges: what its tests decode, and by what. What stands for hardware here is libavcodec's CPU decoder,
// in the sessions that hardware has.

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/adler32.h>
#include <libavutil/imgutils.h>
}

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "io/codec/decoder.h"
#include "io/codec/ranged/cpu_session.h"
#include "io/codec/ranged/ranged_decoder.h"
#include "io/compat.h"
#include "io/formats/formats.h"
#include "tests/support/clip_store.h"
#include "tests/support/clips.h"

namespace vfilter::ranged {

using PictureSum = std::tuple<std::int64_t, std::uint32_t>;  // pts, sum of the samples

inline PictureSum picture_sum(const AVFrame& picture) {
    const auto format = static_cast<AVPixelFormat>(picture.format);
    const int size = av_image_get_buffer_size(format, picture.width, picture.height, 1);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(size));
    av_image_copy_to_buffer(bytes.data(), size, picture.data, picture.linesize, format, picture.width, picture.height,
                            1);
    return {picture.pts, av_adler32_update(1, bytes.data(), bytes.size())};
}

// Made once for all tests, by whichever process: clips are what most of them cost.
inline std::string clip(const std::string& name, const std::string& encoder, int pictures) {
    static const testing::Folder folder;
    static std::map<std::string, std::string> made;
    std::string& path = made[name];
    if (path.empty()) {
        path = folder / name;
        const test::Result result = test::run_ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v " +
                                                         std::to_string(pictures) + " " + encoder + " '" + name + "'",
                                                     folder.path());
        EXPECT_EQ(result.code, 0) << result;
    }
    return path;
}

inline const std::string x264 = "-pix_fmt yuv420p -c:v libx264 -preset ultrafast ";

// A session that has something happen to it.
class Troubled : public RangeSession {
public:
    using Change = std::function<void(DecodedPicture&, int)>;
    using WarmUp = std::function<void(const AVPacket&)>;
    Troubled(
        std::unique_ptr<RangeSession> inner, Change change, WarmUp warm_up = [](const AVPacket& /*entry*/) {})
        : inner_(std::move(inner)), change_(std::move(change)), warm_up_(std::move(warm_up)) {}

    void warm_up(const AVPacket& entry) override { warm_up_(entry); }
    void begin(Entry entry, bool feeding_on) override { inner_->begin(entry, feeding_on); }
    [[nodiscard]] bool feeds_on() const override { return inner_->feeds_on(); }
    void send(AVPacket* packet) override { inner_->send(packet); }
    bool receive(DecodedPicture& next) override {
        const bool there = inner_->receive(next);
        if (there) {
            change_(next, number_++);
        }
        return there;
    }

private:
    std::unique_ptr<RangeSession> inner_;
    Change change_;
    WarmUp warm_up_;
    int number_ = 0;
};

class RangedDecoderTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() { connect_ffmpeg_log(false); }

    Demuxer& open(const std::string& path) {
        options_.path = path;
        demuxer_.emplace(options_, [] { return false; });
        return *demuxer_;
    }
    std::vector<PictureSum> decode(
        FrameSource& source, const std::function<void(AVPacket&, int)>& change = [](AVPacket& /*packet*/, int) {}) {
        std::vector<PictureSum> sums;
        const auto take = [&] {
            while (const FramePtr picture = source.receive()) {
                sums.push_back(picture_sum(*picture));
            }
        };
        for (int number = 0; const PacketPtr packet = demuxer_->read(); ++number) {
            change(*packet, number);
            source.send(packet.get());
            take();
        }
        source.send(nullptr);
        take();
        return sums;
    }
    // So many wrong bytes, as far as there are.
    static void spoil(AVPacket& packet, int first, int count, std::mt19937& random) {
        EXPECT_EQ(av_packet_make_writable(&packet), 0);
        std::generate(packet.data + first, packet.data + std::min(packet.size, first + count),
                      [&] { return static_cast<std::uint8_t>(random()); });
    }
    std::vector<PictureSum> decode_as_one(const std::string& path) {
        Decoder decoder(open(path), 0, pool_, 1, false);
        return decode(decoder);
    }
    RangedDecoder::MakeSession session(int threads = 1) {
        return [this, threads] { return std::make_unique<CpuSession>(decoding_setup(*demuxer_, 0), pool_, threads); };
    }
    // As hardware that takes its time for each picture.
    RangedDecoder::MakeSession slow() {
        return [this] {
            return std::make_unique<Troubled>(session()(), [](DecodedPicture& /*next*/, int /*number*/) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            });
        };
    }

    InputRequest options_;
    FramePool pool_{allocate_picture};
    std::optional<Demuxer> demuxer_;
};

struct Stream {
    const char* name;
    std::string encoder;
    int pictures;
    std::int64_t ranges;
    bool beside = true;  // there are some for the CPU
};

inline const Stream grouped{"hevc.ts",
                            "-pix_fmt yuv420p -c:v libx265 -preset ultrafast -x265-params "
                            "log-level=none:keyint=40:open-gop=0:scenecut=0",
                            120, 3};
// Without a pool of threads, which it does not make where a system tells nothing of its processors, x265 writes slices
// that nobody can read, or crashes.
inline const Stream sliced{"slices.mkv",
                           "-pix_fmt yuv420p -c:v libx265 -preset ultrafast -x265-params "
                           "log-level=none:keyint=40:open-gop=0:scenecut=0:slices=4:pools=4",
                           120, 3};

}  // namespace vfilter::ranged
