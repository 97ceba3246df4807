// Packets beside a video that is read far ahead: in order, not before its pictures, and all of them.

#include "pipeline/stages/held_packets.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

PacketPtr numbered(std::int64_t number) {
    PacketPtr packet = make_packet();
    packet->pts = number;
    return packet;
}

TEST(HeldPackets, GoOnWithThePicturesAndAtTheEnd) {
    Channel<OutputPacket> output(64);
    HeldPackets held(output);
    std::vector<std::int64_t> out;
    const auto take = [&] {
        while (const auto packet = output.receive_for(std::chrono::microseconds(0)).item) {
            EXPECT_EQ(packet->from, OutputPacket::From::input);
            out.push_back(packet->packet->pts);
        }
        return out;
    };
    for (std::int64_t i = 0; i < 6; ++i) {
        EXPECT_TRUE(held.hold(numbered(i), nullptr, 10 * i));
    }
    EXPECT_EQ(take(), std::vector<std::int64_t>{});
    held.release(25);
    EXPECT_EQ(take(), (std::vector<std::int64_t>{0, 1, 2}));
    held.release(5);  // a range that is decoded again
    EXPECT_EQ(take().size(), 3U);
    held.open();
    EXPECT_EQ(take(), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
    EXPECT_TRUE(held.hold(numbered(6), nullptr, 1000));
    EXPECT_EQ(take().back(), 6);
}

TEST(HeldPackets, TellWhenNothingIsWanted) {
    Channel<OutputPacket> output(64);
    HeldPackets held(output);
    EXPECT_TRUE(held.hold(numbered(0), nullptr, 0));
    output.cancel();
    held.release(0);
    EXPECT_FALSE(held.hold(numbered(1), nullptr, 0));
}

}  // namespace
}  // namespace vfilter
