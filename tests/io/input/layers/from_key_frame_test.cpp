// Live inputs are entered at a key frame.

#include "io/input/layers/from_key_frame.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::Given;

const std::vector<testing::ScriptedStream> sound_and_video{{AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 1000}}, {}};

TEST(FromKeyFrame, LeavesOutWhatComesBefore) {
    FromKeyFrame source(testing::scripted({{0, 0, 20, AV_PKT_FLAG_KEY},
                                           {1, 0},
                                           {0, 20, 20, AV_PKT_FLAG_KEY},
                                           {1, 40, 40, AV_PKT_FLAG_KEY},
                                           {0, 40, 20, AV_PKT_FLAG_KEY},
                                           {1, 80}},
                                          sound_and_video),
                        1);
    EXPECT_EQ(testing::read_all(source), (std::vector<Given>{{1, 40}, {0, 40}, {1, 80}}));
}

TEST(FromKeyFrame, TakesWhatComesAfterSixHundredPictures) {
    std::vector<testing::ScriptedPacket> packets;
    for (int i = 0; i < 605; ++i) {
        packets.push_back({0, i});
    }
    FromKeyFrame source(testing::scripted(packets), 0);
    const std::vector<Given> given = testing::read_all(source);
    ASSERT_EQ(given.size(), 5U);
    EXPECT_EQ(given.front().dts, 600);
}

TEST(FromKeyFrame, TellsTheEnd) {
    FromKeyFrame source(testing::scripted({{0, 0}}, {{}}, AVERROR(EIO)), 0);
    const PacketPtr packet = make_packet();
    EXPECT_EQ(source.read(*packet), AVERROR(EIO));
}

}  // namespace
}  // namespace vfilter
