// Whose fault it is that a packet was not written. (What y4m is given: end_to_end.)

#include "io/output/write_packet.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "io/output/memory_output.h"

namespace vfilter {
namespace {

TEST(WritePacket, KnowsWhatIsThePacketsOwnFault) {
    MemoryOutput file(*av_guess_format("matroska", nullptr, nullptr));
    const AVFormatContext& output = file.context();
    for (const bool sent : {false, true}) {
        EXPECT_TRUE(is_packets_fault(AVERROR_INVALIDDATA, output, sent));
        EXPECT_TRUE(is_packets_fault(AVERROR(EINVAL), output, sent));
        EXPECT_FALSE(is_packets_fault(AVERROR(ENOSPC), output, sent));
        EXPECT_FALSE(is_packets_fault(AVERROR(ENOMEM), output, sent));
    }
    output.pb->error = AVERROR(EIO);
    EXPECT_TRUE(is_packets_fault(AVERROR_INVALIDDATA, output, false));
    EXPECT_FALSE(is_packets_fault(AVERROR_INVALIDDATA, output, true))
        << "nothing goes through a connection that failed";
    output.pb->error = 0;
}

// Its errors are the system's, of which one is said of packets as well.
TEST(WritePacket, KnowsTheErrorsOfAMuxerThatConnectsItself) {
    const OutputContextPtr output = make_output(*av_guess_format("rtsp", nullptr, nullptr));
    EXPECT_TRUE(is_packets_fault(AVERROR_INVALIDDATA, *output, true));
    EXPECT_TRUE(is_packets_fault(AVERROR(EINVAL), *output, true));
    EXPECT_FALSE(is_packets_fault(AVERROR(ENETDOWN), *output, true));
    EXPECT_TRUE(is_packets_fault(AVERROR(ENETDOWN), *output, false));
}

}  // namespace
}  // namespace vfilter
