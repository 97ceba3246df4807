// Streams as they were when the input was opened.

#include "io/input/layers/known_streams.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "config/io_options.h"
#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

// An input that begins with pictures and a stream of sound, and has more once it is read.
class Growing final : public PacketSource {
public:
    Growing() : format_(testing::make_streams({{}, {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_MP2, {1, 1000}}})) {
        picture().width = picture().height = 64;
        sound().sample_rate = 48000;
    }
    AVCodecParameters& picture() { return *format_->streams[0]->codecpar; }
    AVCodecParameters& sound() { return *format_->streams[1]->codecpar; }
    void add(int stream, std::int64_t time, const std::string& bytes, std::size_t size = 100) {
        PacketPtr packet = make_packet();
        EXPECT_EQ(av_new_packet(packet.get(), static_cast<int>(size)), 0);
        std::fill_n(packet->data, size, 0);
        std::copy(bytes.begin(), bytes.end(), packet->data);
        packet->stream_index = stream;
        packet->dts = packet->pts = time;
        packets_.push_back(std::move(packet));
    }
    void grow(AVMediaType type, AVCodecID codec) {
        AVStream* const stream = avformat_new_stream(format_.get(), nullptr);
        stream->codecpar->codec_type = type;
        stream->codecpar->codec_id = codec;
        stream->time_base = {1, 1000};
    }

    [[nodiscard]] const AVFormatContext& format() const override { return *format_; }
    int read(AVPacket& packet) override {
        if (packets_.empty()) {
            return AVERROR_EOF;
        }
        av_packet_move_ref(&packet, packets_.front().get());
        packets_.pop_front();
        return 0;
    }
    int seek(int /*stream*/, std::int64_t /*latest*/, int /*flags*/) override { return AVERROR(ENOSYS); }
    [[nodiscard]] const Complaints* complaints() const override { return &complaints_; }
    const ContainerScan* scan() override { return nullptr; }

private:
    DescriptionPtr format_;
    std::deque<PacketPtr> packets_;
    Complaints complaints_;
};

const std::string mp2 = "\xff\xfd\xa4";
const std::string ac3 = "\x0b\x77\x12";

class KnownStreamsTest : public ::testing::Test {
protected:
    KnownStreams& source() {
        if (!known_) {
            known_.emplace(std::move(made_), std::vector<int>{0}, testing::settled_watch(wanted_, strict_));
        }
        return *known_;
    }
    std::vector<std::int64_t> heard() { return testing::times_of(testing::read_all(source()), 1); }

    bool strict_ = false;
    unsigned wanted_ = kind::all;

private:
    std::unique_ptr<Growing> made_ = std::make_unique<Growing>();
    std::optional<KnownStreams> known_;

protected:
    Growing& input_ = *made_;
};

TEST_F(KnownStreamsTest, AreGivenAsTheyAre) {
    input_.add(0, 0, "");
    input_.add(1, 0, mp2);
    input_.add(1, 24, "damaged");
    EXPECT_EQ(testing::read_all(source()).size(), 3U);
    EXPECT_FALSE(source().take_damage().any());
}

TEST_F(KnownStreamsTest, LeaveOutThoseThatAppearLater) {
    source();
    input_.grow(AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AC3);
    input_.grow(AVMEDIA_TYPE_DATA, AV_CODEC_ID_NONE);
    input_.add(2, 9000, ac3);
    input_.add(2, 9032, ac3);
    input_.add(3, 9000, "");
    EXPECT_TRUE(testing::read_all(source()).empty());
    const Damage damage = source().take_damage();
    EXPECT_EQ(damage.packets, 2);
    ASSERT_EQ(damage.notes.size(), 1U);
    EXPECT_NE(damage.notes[0].find("stream 2 (ac3) is left out: it begins only at 9.000 s"), std::string::npos)
        << damage.notes[0];
}

TEST_F(KnownStreamsTest, LeaveOutThoseOfWhichNothingWasKnown) {
    input_.sound().sample_rate = 0;
    input_.picture().width = 0;  // it is filtered: the decoder tells
    input_.add(0, 0, "");
    input_.add(1, 0, mp2);
    EXPECT_EQ(testing::read_all(source()).size(), 1U);
    EXPECT_EQ(source().take_damage().packets, 1);
}

// FFmpeg goes on to cut it by the codec that was there first.
TEST_F(KnownStreamsTest, LeaveOutSoundOfAnotherCodec) {
    input_.add(1, 0, mp2);
    input_.add(1, 24, ac3);
    input_.add(1, 48, "between");
    input_.add(1, 72, mp2);
    input_.add(1, 96, "damaged");
    input_.add(1, 120, mp2, 100'000);
    EXPECT_EQ(heard(), (std::vector<std::int64_t>{0, 72, 96}));
    const Damage damage = source().take_damage();
    EXPECT_EQ(damage.packets, 3);
    ASSERT_EQ(damage.notes.size(), 1U);
    EXPECT_NE(damage.notes[0].find("from 0.024 s on it is no mp2 any more"), std::string::npos) << damage.notes[0];
}

TEST_F(KnownStreamsTest, LeaveOutWhatTheDemuxerNamesOtherwise) {
    source();
    input_.sound().codec_id = AV_CODEC_ID_MP3;  // of one family
    input_.add(1, 0, mp2);
    EXPECT_EQ(heard().size(), 1U);
    input_.sound().codec_id = AV_CODEC_ID_OPUS;
    input_.add(1, 0, mp2);
    EXPECT_TRUE(heard().empty());
    EXPECT_EQ(source().take_damage().packets, 1);
}

TEST_F(KnownStreamsTest, GoWithoutAWordWhereNobodyWantsThem) {
    wanted_ = kind::video;
    source();
    input_.grow(AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AC3);
    input_.add(2, 9000, ac3);
    EXPECT_TRUE(testing::read_all(source()).empty());
    EXPECT_FALSE(source().take_damage().any());
}

// A live input, whose clock began anywhere, and its streams, as they were when it was opened first.
class KnownLiveStreamsTest : public ::testing::Test {
protected:
    KnownLiveStreamsTest() {
        before_->streams[0]->codecpar->width = before_->streams[0]->codecpar->height = 64;
        before_->streams[1]->codecpar->sample_rate = 48000;
    }
    KnownStreams& source(bool opened_again) {
        auto places = std::make_shared<StreamPlaces>(*before_, 2U, made_->format(), opened_again);
        return source_.emplace(std::move(made_), std::vector<int>{0}, testing::settled_watch(), std::move(places),
                               account_ ? &*account_ : nullptr);
    }

    DescriptionPtr before_ = testing::make_streams({{}, {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_MP2, {1, 1000}}});
    InputOptions options_;
    std::optional<PacketAccount> account_;

private:
    std::unique_ptr<Growing> made_ = std::make_unique<Growing>();
    std::optional<KnownStreams> source_;

protected:
    Growing& input_ = *made_;
};

TEST_F(KnownLiveStreamsTest, TellWhenLaterOnesBegin) {
    KnownStreams& known = source(false);
    input_.grow(AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_MP2);
    input_.add(0, 70000, "");
    input_.add(2, 79000, mp2);
    EXPECT_EQ(testing::read_all(known).size(), 1U);
    const Damage damage = known.take_damage();
    ASSERT_EQ(damage.notes.size(), 1U);
    EXPECT_NE(damage.notes[0].find("it begins only at 9.000 s"), std::string::npos) << damage.notes[0];
}

// However often the input's clock began anew.
TEST_F(KnownLiveStreamsTest, TellThePlaceInTheOutput) {
    options_.live = true;
    account_.emplace(options_, *before_, std::vector<int>{0}, std::vector<AVRational>(2, {25, 1}));
    account_->output_begins(20 * std::int64_t{AV_TIME_BASE});
    account_->given(*testing::make_packet({0, 32000}));
    KnownStreams& known = source(true);
    input_.grow(AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_MP2);
    input_.sound().codec_id = AV_CODEC_ID_AC3;
    input_.add(1, 7, ac3);
    EXPECT_TRUE(testing::read_all(known).empty());
    const Damage damage = known.take_damage();
    ASSERT_EQ(damage.notes.size(), 1U);
    EXPECT_NE(damage.notes[0].find("from 12.000 s on"), std::string::npos) << damage.notes[0];
}

TEST_F(KnownLiveStreamsTest, AreKeptWhereTheyComeBackLater) {
    input_.sound().codec_id = AV_CODEC_ID_AC3;
    KnownStreams& known = source(true);
    input_.grow(AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_MP2);
    input_.add(0, 0, "");
    input_.add(2, 9000, mp2);
    EXPECT_EQ(testing::read_all(known).size(), 2U);
    EXPECT_FALSE(known.take_damage().any());
    input_.add(1, 9000, ac3);
    EXPECT_TRUE(testing::read_all(known).empty());
    const Damage damage = known.take_damage();
    EXPECT_EQ(damage.packets, 1);
    ASSERT_EQ(damage.notes.size(), 1U);
    EXPECT_NE(damage.notes[0].find("stream 1 (ac3) is left out: it was not there before"), std::string::npos)
        << damage.notes[0];
}

TEST_F(KnownStreamsTest, EndAStrictRun) {
    strict_ = true;
    input_.add(1, 0, ac3);
    EXPECT_THROW(heard(), Error);
}

}  // namespace
}  // namespace vfilter
