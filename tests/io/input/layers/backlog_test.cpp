// What a live sender had sent before anybody read it.

#include "io/input/layers/backlog.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::ScriptedPacket;

// Its first packets are there at once; the others come each 40 ms, as their times say.
class LateSender final : public PacketLayer {
public:
    LateSender(const std::vector<ScriptedPacket>& packets, int there)
        : PacketLayer(testing::scripted(packets, {{}, {AVMEDIA_TYPE_AUDIO, AV_CODEC_ID_AAC, {1, 1000}}})),
          there_(there) {}
    int read(AVPacket& packet) override {
        if (--there_ < 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(40));
        }
        return PacketLayer::read(packet);
    }

private:
    int there_;
};

// A key frame each 400 ms, and sound beside each.
std::vector<ScriptedPacket> pictures(int count) {
    std::vector<ScriptedPacket> packets;
    for (int i = 0; i < count; ++i) {
        if (i % 10 == 0) {
            packets.push_back({1, i * 40 - 1});
        }
        packets.push_back({0, i * 40, 40, i % 10 == 0 ? AV_PKT_FLAG_KEY : 0});
    }
    return packets;
}

TEST(Backlog, IsLeftOutUpToAKeyFrame) {
    Backlog source(std::make_unique<LateSender>(pictures(80), 55), 0);  // 50 pictures
    const std::vector<testing::Given> given = testing::read_all(source);
    ASSERT_TRUE(source.edge());
    EXPECT_GE(source.skipped(), 30);
    EXPECT_LE(source.skipped(), 50);
    EXPECT_EQ(source.skipped() % 10, 0);
    EXPECT_EQ(given.front(), (testing::Given{0, source.skipped() * 40}));
    EXPECT_EQ(std::ssize(testing::times_of(given)), 80 - source.skipped());
}

TEST(Backlog, IsNotWhatAFileHas) {
    Backlog source(std::make_unique<LateSender>(pictures(80), 1000), 0);
    EXPECT_EQ(testing::times_of(testing::read_all(source)).size(), 80U);
    EXPECT_FALSE(source.edge());
    EXPECT_EQ(source.skipped(), 0);
}

TEST(Backlog, IsNothingWhereTheSenderBeginsNow) {
    Backlog source(std::make_unique<LateSender>(pictures(25), 0), 0);
    EXPECT_EQ(testing::times_of(testing::read_all(source)).size(), 25U);
    EXPECT_TRUE(source.edge());
    EXPECT_EQ(source.skipped(), 0);
}

}  // namespace
}  // namespace vfilter
