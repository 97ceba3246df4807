// When a header is sent to an address, and what is lost. (The address itself: OutputPeer, end_to_end.StreamOut.)

#include "io/output/peer_session.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

constexpr const char* address = "tcp://127.0.0.1:9";

// A session whose headers fail as a test says.
class PeerSessionTest : public ::testing::Test {
protected:
    PeerSession& session(int reconnect, const std::string& path = address) {
        peer_.emplace(path, reconnect, OutputPeer::Waiting{});
        session_.emplace(*peer_, PeerSession::Output{[this] { write_header(); }, [this] { ++repeated_; }});
        return *session_;
    }
    static std::string message_of(const std::function<void()>& call) {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::output);
            return error.what();
        }
        return "";
    }

    std::deque<std::function<void()>> failures_;  // of the next headers; those after them are written
    int headers_ = 0;
    int repeated_ = 0;

private:
    void write_header() {
        ++headers_;
        if (!failures_.empty()) {
            const std::function<void()> fail = failures_.front();
            failures_.pop_front();
            fail();
        }
    }

    std::optional<OutputPeer> peer_;
    std::optional<PeerSession> session_;
};

void fail_as_away() {
    throw PeerAway("nobody is there");
}

void fail_as_refused() {
    throw Error(ExitCode::output, std::string(address) + ": no such stream");
}

TEST_F(PeerSessionTest, SendsOneHeaderToAnAddressThatIsThere) {
    session(3).begin();
    EXPECT_EQ(headers_, 1);
    EXPECT_EQ(repeated_, 0);
}

TEST_F(PeerSessionTest, WaitsForAnAddress) {
    failures_ = {fail_as_away};
    session(1).begin();
    EXPECT_EQ(headers_, 2);
    EXPECT_EQ(repeated_, 1);
}

TEST_F(PeerSessionTest, GivesUpAnAddressThatStaysAway) {
    failures_ = {fail_as_away};
    PeerSession& session = this->session(0);
    EXPECT_EQ(message_of([&] { session.begin(); }), "tcp://127.0.0.1:9: nobody is there");
    EXPECT_EQ(headers_, 1);
}

// Nothing was sent yet: another try would not mend it. Later it may be the server that is not ready.
TEST_F(PeerSessionTest, TriesARefusedHeaderAgainOnlyAfterALoss) {
    failures_ = {fail_as_refused};
    PeerSession& first = session(1);
    EXPECT_EQ(message_of([&] { first.begin(); }), "tcp://127.0.0.1:9: no such stream");
    EXPECT_EQ(headers_, 1);

    headers_ = 0;
    failures_ = {fail_as_refused};
    PeerSession& again = session(1);
    EXPECT_EQ(message_of([&] { again.begin_again("it ended"); }), "tcp://127.0.0.1:9: no such stream");
    EXPECT_EQ(headers_, 1) << "one try was allowed";
    EXPECT_EQ(repeated_, 1);
}

TEST_F(PeerSessionTest, LosesWhatComesBeforeAKeyFrame) {
    PeerSession& session = this->session(1);
    const PacketPtr picture = testing::make_packet({});
    const PacketPtr key = testing::make_packet({0, 0, 40, AV_PKT_FLAG_KEY});
    EXPECT_TRUE(session.passes(*picture, true)) << "nothing was lost yet";

    session.lose_packet();
    session.begin_again("it ended");
    EXPECT_FALSE(session.passes(*picture, true));
    EXPECT_FALSE(session.passes(*key, false)) << "sound, of which every packet is a key";
    EXPECT_TRUE(session.passes(*key, true));
    EXPECT_TRUE(session.passes(*picture, true));
    EXPECT_EQ(session.lost_packets(), 3);
}

TEST_F(PeerSessionTest, KnowsWhoRefusedAHeader) {
    PeerSession& plain = session(0);
    EXPECT_THROW(plain.tell_refused_header(AVERROR(EPIPE), false, {}, ""), PeerAway);
    EXPECT_NO_THROW(plain.tell_refused_header(AVERROR(EINVAL), true, {}, "no such codec"));

    PeerSession& own = session(0, "rtsp://127.0.0.1:9/live");
    EXPECT_EQ(message_of([&] { own.tell_refused_header(AVERROR(EINVAL), true, {}, "no such stream"); }),
              "rtsp://127.0.0.1:9/live: no such stream");
    EXPECT_EQ(message_of([&] {
                  own.tell_refused_header(AVERROR(EINVAL), true, {"[sdp @ 0x55d5] first", "[sdp @ 0x55d5] last"}, "");
              }),
              "rtsp://127.0.0.1:9/live: last");
}

}  // namespace
}  // namespace vfilter
