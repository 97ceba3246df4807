// How often a GIF is played.

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "io/input/evidence/container_scan.h"

namespace vfilter {
namespace {

// Its only picture lies in a block of three bytes, which is the length of the number of repeats as well.
std::string gif(const std::string& before_picture) {
    const std::string screen = std::string("GIF89a") + std::string("\1\0\1\0\0\0\0", 7);
    const std::string picture = std::string(",\0\0\0\0\1\0\1\0\0\2", 11) + std::string("\3\1\1\1\0", 5);
    return screen + before_picture + picture + ';';
}

std::int64_t plays_of(const std::string& file) {
    ScanFeeder feeder(make_container_scan("gif"));
    feeder.feed(0, {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
    feeder.finish(static_cast<std::int64_t>(file.size()), {});
    EXPECT_TRUE(feeder.complete());
    return feeder.scan().plays().value_or(-1);
}

TEST(GifScan, TakesTheNumberOfRepeatsFromItsBlockAlone) {
    const std::string repeats = std::string("!\xFF\x0BNETSCAPE2.0\3\1", 16) + std::string("\4\0\0", 3);
    const std::string control = std::string("!\xF9\4\0\0\0\0\0", 8);
    EXPECT_EQ(plays_of(gif("")), 1);
    EXPECT_EQ(plays_of(gif(repeats + control)), 5);
    EXPECT_EQ(plays_of(gif(control + repeats)), 5);
}

}  // namespace
}  // namespace vfilter
