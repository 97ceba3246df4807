// An address as an output: what is said while it is waited for. (What is sent there: end_to_end.StreamOut.)

#include "io/output/output_peer.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

TEST(OutputPeer, ShowsThatItWaitsForAnotherTry) {
    int beats = 0;
    OutputPeer peer("tcp://127.0.0.1:9", 1, {.given_up = [] { return false; }, .beat = [&] { ++beats; }});
    EXPECT_TRUE(peer.wait_for_another_try("it ended"));
    EXPECT_GT(beats, 1) << "at the beginning, in half a second, and at the end";
    EXPECT_FALSE(peer.wait_for_another_try("it ended")) << "one was allowed";
}

TEST(OutputPeer, IsNotWaitedForWhenNobodyWantsIt) {
    OutputPeer peer("tcp://127.0.0.1:9", 1, {.given_up = [] { return true; }, .beat = {}});
    EXPECT_FALSE(peer.wait_for_another_try("it ended"));
}

TEST(OutputPeer, NobodyThereIsOneThatIsAway) {
    OutputPeer peer("tcp://127.0.0.1:9", 2, {.given_up = [] { return true; }, .beat = {}});
    const OutputContextPtr muxer = make_output(*av_guess_format("mpegts", nullptr, nullptr));
    EXPECT_THROW(peer.connect(*muxer), PeerAway);
}

}  // namespace
}  // namespace vfilter
