// Streams of an input that was opened again.

#include "io/input/layers/same_streams.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::Given;
using testing::ScriptedStream;

const ScriptedStream picture_stream{};
const ScriptedStream aac{AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 1000}};
const ScriptedStream opus{AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_OPUS, {1, 1000}};

TEST(SameStreams, KeepTheirNumbersAndTheirClocks) {
    ScriptedStream faster = picture_stream;
    faster.time_base = {1, 90000};
    const DescriptionPtr before = testing::make_streams({picture_stream, aac, aac});
    SameStreams source(testing::scripted({{0, 10}, {1, 90000, 3600}, {2, 20}}, {aac, faster, aac}), *before);
    EXPECT_EQ(testing::read_all(source), (std::vector<Given>{{1, 10}, {0, 1000}, {2, 20}}));
    EXPECT_EQ(&source.format(), before.get());
}

TEST(SameStreams, LeaveOutNewOnes) {
    const DescriptionPtr before = testing::make_streams({picture_stream});
    SameStreams source(testing::scripted({{0, 0}, {1, 0}, {2, 0}, {0, 40}}, {picture_stream, aac, picture_stream}),
                       *before);
    EXPECT_EQ(testing::read_all(source), (std::vector<Given>{{0, 0}, {0, 40}}));
}

TEST(SameStreams, TellWhetherOneIsThere) {
    const DescriptionPtr before = testing::make_streams({picture_stream, aac});
    const SameStreams source(testing::scripted({}, {opus, picture_stream}), *before);
    EXPECT_TRUE(source.has(0));
    EXPECT_FALSE(source.has(1));
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
