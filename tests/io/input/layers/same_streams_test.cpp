// Streams of an input that was opened again.

#include "io/input/layers/same_streams.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/io_options.h"
#include "io/changed_parameters.h"
#include "io/extradata.h"
#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::Given;
using testing::ScriptedStream;

const ScriptedStream picture_stream{};
const ScriptedStream aac{AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 1000}};
const ScriptedStream opus{AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_OPUS, {1, 1000}};

// What an input gives when it is opened once more, by the numbers that its streams had before.
class SameStreamsTest : public ::testing::Test {
protected:
    SameStreams& source(const std::vector<ScriptedStream>& before, std::vector<testing::ScriptedPacket> packets,
                        const std::vector<ScriptedStream>& now) {
        before_ = testing::make_streams(before);
        for (unsigned i = 0; i < before_->nb_streams; ++i) {
            before_->streams[i]->codecpar->width = before_->streams[i]->codecpar->height = 64;
            before_->streams[i]->codecpar->sample_rate = 48000;
        }
        auto inner = testing::scripted(std::move(packets), now);
        change_(*before_, const_cast<AVFormatContext&>(inner->format()));
        places_ = std::make_shared<StreamPlaces>(*before_, before_->nb_streams, inner->format(), true);
        return source_.emplace(std::move(inner), places_, watch_);
    }

    // What sets the streams of before and now apart.
    std::function<void(AVFormatContext&, AVFormatContext&)> change_ = [](AVFormatContext&, AVFormatContext&) {};
    DescriptionPtr before_;
    std::shared_ptr<StreamPlaces> places_;
    std::shared_ptr<StreamWatch> watch_ = testing::settled_watch();

private:
    std::optional<SameStreams> source_;
};

TEST_F(SameStreamsTest, KeepTheirNumbersAndTheirClocks) {
    ScriptedStream faster = picture_stream;
    faster.time_base = {1, 90000};
    SameStreams& same = source({picture_stream, aac, aac}, {{0, 10}, {1, 90000, 3600}, {2, 20}}, {aac, faster, aac});
    EXPECT_EQ(testing::read_all(same), (std::vector<Given>{{1, 10}, {0, 1000}, {2, 20}}));
    EXPECT_EQ(&same.format(), before_.get());
    EXPECT_FALSE(watch_->take().any());
}

// Whoever sets them up in another order gives them other numbers as well, or keeps these.
TEST_F(SameStreamsTest, AreFoundByTheirLanguages) {
    change_ = [](AVFormatContext& before, AVFormatContext& now) {
        for (int i = 1; i <= 2; ++i) {
            before.streams[i]->id = now.streams[i]->id = 0x100 + i;
            av_dict_set(&before.streams[i]->metadata, "language", i == 1 ? "eng" : "deu", 0);
            av_dict_set(&now.streams[i]->metadata, "language", i == 1 ? "deu" : "eng", 0);
        }
    };
    SameStreams& same = source({picture_stream, aac, aac}, {{0, 0}, {1, 10}, {2, 20}}, {picture_stream, aac, aac});
    EXPECT_EQ(testing::read_all(same), (std::vector<Given>{{0, 0}, {2, 10}, {1, 20}}));
}

TEST_F(SameStreamsTest, AreFoundByTheirNumbers) {
    change_ = [](AVFormatContext& before, AVFormatContext& now) {
        before.streams[1]->id = now.streams[2]->id = 0x101;
        before.streams[2]->id = now.streams[1]->id = 0x102;
    };
    SameStreams& same = source({picture_stream, aac, aac}, {{0, 0}, {1, 10}, {2, 20}}, {picture_stream, aac, aac});
    EXPECT_EQ(testing::read_all(same), (std::vector<Given>{{0, 0}, {2, 10}, {1, 20}}));
}

TEST_F(SameStreamsTest, AreFoundByTheirRoles) {
    change_ = [](AVFormatContext& before, AVFormatContext& now) {
        before.streams[2]->disposition = now.streams[1]->disposition = AV_DISPOSITION_VISUAL_IMPAIRED;
    };
    SameStreams& same = source({picture_stream, aac, aac}, {{0, 0}, {1, 10}, {2, 20}}, {picture_stream, aac, aac});
    EXPECT_EQ(testing::read_all(same), (std::vector<Given>{{0, 0}, {2, 10}, {1, 20}}));
}

// One that has nothing in common with any but its codec.
TEST_F(SameStreamsTest, AreFoundInOrderOtherwise) {
    change_ = [](AVFormatContext& before, AVFormatContext& now) {
        for (int i = 1; i <= 2; ++i) {
            before.streams[i]->id = 0x100 + i;
            now.streams[i]->id = 0x200 - i;
        }
    };
    SameStreams& same = source({picture_stream, aac, aac}, {{0, 0}, {1, 10}, {2, 20}}, {picture_stream, aac, aac});
    EXPECT_EQ(testing::read_all(same), (std::vector<Given>{{0, 0}, {1, 10}, {2, 20}}));
}

// Not with the first packet alone: who is busy may drop it.
TEST_F(SameStreamsTest, HandOnTheHeadersOfAnotherSetup) {
    change_ = [](AVFormatContext& before, AVFormatContext& now) {
        set_extradata(*before.streams[0]->codecpar, std::vector<std::uint8_t>{1, 2, 3});
        set_extradata(*now.streams[0]->codecpar, std::vector<std::uint8_t>{1, 2, 4, 5});
        now.streams[1]->codecpar->sample_rate = 44100;
    };
    constexpr int key = AV_PKT_FLAG_KEY;
    SameStreams& same = source({picture_stream, aac}, {{0, 0, 40, key}, {0, 40}, {1, 10, 40, key}, {0, 80, 40, key}},
                               {picture_stream, aac});
    std::vector<std::size_t> sizes;
    for (PacketPtr packet = make_packet(); same.read(*packet) >= 0; av_packet_unref(packet.get())) {
        std::size_t size = 0;
        av_packet_get_side_data(packet.get(), AV_PKT_DATA_NEW_EXTRADATA, &size);
        sizes.push_back(size);
        const AVCodecParameters* const now = attached_parameters(*packet);
        ASSERT_NE(now, nullptr);
        EXPECT_EQ(now->codec_id, packet->stream_index == 0 ? AV_CODEC_ID_H264 : AV_CODEC_ID_AAC);
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{4, 0, 0, 4}));
}

TEST_F(SameStreamsTest, SayNothingWhereNothingHasChanged) {
    change_ = [](AVFormatContext& before, AVFormatContext& now) {
        set_extradata(*before.streams[0]->codecpar, std::vector<std::uint8_t>{1, 2, 3});
        set_extradata(*now.streams[0]->codecpar, std::vector<std::uint8_t>{1, 2, 3});
    };
    SameStreams& same = source({picture_stream, aac}, {{0, 0, 40, AV_PKT_FLAG_KEY}, {1, 10}}, {picture_stream, aac});
    for (PacketPtr packet = make_packet(); same.read(*packet) >= 0; av_packet_unref(packet.get())) {
        EXPECT_EQ(attached_parameters(*packet), nullptr);
        EXPECT_EQ(packet->side_data_elems, 0);
    }
}

TEST_F(SameStreamsTest, LeaveOutNewOnes) {
    SameStreams& same =
        source({picture_stream}, {{0, 0}, {1, 0}, {2, 0}, {0, 40}}, {picture_stream, aac, picture_stream});
    EXPECT_EQ(testing::read_all(same), (std::vector<Given>{{0, 0}, {0, 40}}));
}

TEST_F(SameStreamsTest, TellWhetherOneIsThere) {
    source({picture_stream, aac}, {}, {opus, picture_stream});
    EXPECT_TRUE(places_->has(0));
    EXPECT_FALSE(places_->has(1));
}

TEST_F(SameStreamsTest, TellOnceWhatGivesNothingAnyMore) {
    const std::vector<testing::ScriptedPacket> packets{{0, 0}, {0, 2000}, {0, 3040}, {0, 7000}};
    SameStreams& same = source({picture_stream, aac}, packets, {picture_stream, aac});
    EXPECT_EQ(testing::read_all(same).size(), 4U);
    const Damage damage = watch_->take();
    EXPECT_EQ(damage.packets, 1);
    EXPECT_EQ(damage.notes, std::vector<std::string>{"stream 1 (aac) gives nothing since the input came back"});
    EXPECT_FALSE(watch_->take().any());

    watch_ = testing::settled_watch(kind::video);
    SameStreams& unheard = source({picture_stream, aac}, packets, {picture_stream});
    EXPECT_EQ(testing::read_all(unheard).size(), 4U);
    EXPECT_FALSE(watch_->take().any());
}

// Also where the input is lost again soon.
TEST_F(SameStreamsTest, TellThatAtTheEnd) {
    SameStreams& same = source({picture_stream, aac}, {{0, 0}, {0, 40}}, {picture_stream});
    EXPECT_EQ(testing::read_all(same).size(), 2U);
    EXPECT_EQ(watch_->take().packets, 1);
}

TEST_F(SameStreamsTest, WaitForSoundThatBeginsLater) {
    SameStreams& same = source({picture_stream, aac}, {{0, 0}, {0, 2000}, {1, 2000}, {0, 9000}}, {picture_stream, aac});
    EXPECT_EQ(testing::read_all(same).size(), 4U);
    EXPECT_FALSE(watch_->take().any());
}

TEST(SameStreams, AreDescribedWithoutTheInput) {
    DescriptionPtr description;
    {
        const DescriptionPtr input = testing::make_streams({picture_stream, aac});
        input->duration = 7;
        av_dict_set(&input->metadata, "title", "a", 0);
        input->streams[1]->id = 9;
        av_dict_set(&input->streams[1]->metadata, "language", "eng", 0);
        description = describe_input(*input);
    }
    ASSERT_EQ(description->nb_streams, 2U);
    EXPECT_EQ(description->duration, 7);
    EXPECT_STREQ(av_dict_get(description->metadata, "title", nullptr, 0)->value, "a");
    EXPECT_EQ(description->streams[1]->id, 9);
    EXPECT_EQ(description->streams[1]->codecpar->codec_id, AV_CODEC_ID_AAC);
    EXPECT_STREQ(av_dict_get(description->streams[1]->metadata, "language", nullptr, 0)->value, "eng");
    EXPECT_EQ(description->streams[1]->time_base.den, 1000);
}

}  // namespace
}  // namespace vfilter
