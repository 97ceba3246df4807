// Times that no clock shows.

#include "io/packet_times.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace vfilter {
namespace {

TEST(PacketTimes, ThatNoClockShowsAreBounded) {
    const PacketPtr packet = make_packet();
    packet->pts = INT64_MAX;
    packet->dts = INT64_MIN + 1;
    packet->duration = INT64_MAX;
    EXPECT_TRUE(bound_times(*packet, {1, 1000}));
    EXPECT_EQ(packet->pts, most_time / 1000);
    EXPECT_EQ(packet->dts, -most_time / 1000);
    EXPECT_EQ(packet->duration, most_time / 1000);
    // The finest of clocks overflows before that.
    packet->pts = INT64_MAX;
    EXPECT_TRUE(bound_times(*packet, {1, 1'000'000'000}));
    EXPECT_EQ(packet->pts, std::int64_t{1} << 61);
}

TEST(PacketTimes, OfClocksAreKept) {
    const PacketPtr packet = make_packet();
    constexpr std::int64_t of_2026_since_1900 = std::int64_t{126} * 365 * 86400 * 1'000'000;
    packet->dts = of_2026_since_1900;
    packet->duration = -1;
    EXPECT_FALSE(bound_times(*packet, microseconds_base));
    EXPECT_EQ(packet->pts, AV_NOPTS_VALUE);
    EXPECT_EQ(packet->dts, of_2026_since_1900);
    EXPECT_EQ(packet->duration, -1);
}

}  // namespace
}  // namespace vfilter
