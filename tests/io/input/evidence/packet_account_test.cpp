// What is wrong with the packets of an input.

#include "io/input/evidence/packet_account.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using testing::ScriptedPacket;

class PacketAccountTest : public ::testing::Test {
protected:
    PacketAccount& account() {
        if (!account_) {
            account_.emplace(options_, *format_, std::vector<int>{0}, std::vector<AVRational>{{25, 1}});
        }
        return *account_;
    }
    void read(const std::vector<ScriptedPacket>& packets) {
        Counted source(testing::scripted(packets), account());
        testing::read_all(source);
    }
    void end(int error = AVERROR_EOF, bool interrupted = false, std::int64_t told_end = AV_NOPTS_VALUE) {
        testing::ScriptedSource source({});
        account().end(error, interrupted, source, told_end);
    }

    InputOptions options_;
    DescriptionPtr format_ = testing::make_streams({{}});

private:
    std::optional<PacketAccount> account_;
};

TEST_F(PacketAccountTest, FindsNothingInAWholeInput) {
    read({{0, 0}, {0, 40}, {0, 80}});
    end();
    EXPECT_FALSE(account().damage().any());
}

TEST_F(PacketAccountTest, NamesThePlaceOfADamagedPacket) {
    read({{0, 0}, {0, 1040, 40, AV_PKT_FLAG_CORRUPT}, {0, 1080}});
    end();
    EXPECT_EQ(account().damage().packets, 1);
    EXPECT_EQ(account().damage().notes, std::vector<std::string>{"stream 0: a damaged packet at 1.040 s"});
}

TEST_F(PacketAccountTest, EndsAStrictRunAtADamagedPacket) {
    options_.strict = true;
    EXPECT_THROW(read({{0, 0, 40, AV_PKT_FLAG_CORRUPT}}), Error);
}

// What is marked there may be a joint of two files, as the scan knows in the end.
TEST_F(PacketAccountTest, WaitsForTheScanOfATransportStream) {
    options_.strict = true;
    const Complaints complaints;
    const PacketPtr corrupt = testing::make_packet({0, 0, 40, AV_PKT_FLAG_CORRUPT});
    EXPECT_NO_THROW(account().came(*corrupt, complaints, 0));
    EXPECT_THROW(account().came(*corrupt, complaints, 1), Error);
    EXPECT_THROW(end(), Error) << "no scan has pardoned it";
    account().sought();
    EXPECT_THROW(account().came(*corrupt, complaints, 0), Error) << "the scan saw a part";
}

TEST_F(PacketAccountTest, NamesThePlaceAfterAnErrorOfTheDemuxer) {
    Complaints complaints;
    const int object = 0;
    complaints.listen(&object);
    note_complaint(&object, "[mpegts @ 0x1] packet lost");
    account().came(*testing::make_packet({0, 2000}), complaints);
    account().came(*testing::make_packet({0, 2040}), complaints);
    EXPECT_EQ(account().damage().complaints, 1);
    EXPECT_EQ(account().damage().notes, std::vector<std::string>{"reading, before 2.000 s: packet lost"});
    account().opened({});
    Complaints others;
    account().came(*testing::make_packet({0, 2080}), others);
    EXPECT_EQ(account().damage().complaints, 1);
}

TEST_F(PacketAccountTest, MissesSecondsThatTheHeaderTells) {
    format_->duration = 10 * std::int64_t{AV_TIME_BASE};
    account().given(*testing::make_packet({0, 3960}));
    end(AVERROR_EOF, false, format_->duration);
    EXPECT_NEAR(account().damage().missing_seconds, 6, 0.001);
}

TEST_F(PacketAccountTest, MissesNothingWhenInterrupted) {
    format_->duration = 10 * std::int64_t{AV_TIME_BASE};
    account().given(*testing::make_packet({0, 3960}));
    end(AVERROR_EXIT, true, format_->duration);
    EXPECT_FALSE(account().damage().any());
}

TEST_F(PacketAccountTest, CountsASilentInputAsLost) {
    end(AVERROR(ETIMEDOUT));
    EXPECT_TRUE(account().damage().lost);
}

TEST_F(PacketAccountTest, LetsALiveInputEndUnlessItWasToComeBack) {
    options_.live = true;
    options_.path = "tcp://camera:1";
    end();
    EXPECT_FALSE(account().damage().any());
    options_.reconnect = 1;
    end();
    EXPECT_TRUE(account().damage().lost);
}

// Whose --reconnect is the output's.
TEST_F(PacketAccountTest, LetsAFileEndThatIsReadAtItsPace) {
    options_.live = true;
    options_.path = "in.ts";
    options_.reconnect = 3;
    end();
    EXPECT_FALSE(account().damage().any());
}

// Its own clock began anywhere.
TEST_F(PacketAccountTest, CountsPlacesOfALiveInputFromTheOutputsBeginning) {
    options_.live = true;
    account().output_begins(1'796'098'223 * std::int64_t{AV_TIME_BASE});
    account().given(*testing::make_packet({0, 1'796'098'225'500}));
    read({{0, 1'796'098'225'540, 40, AV_PKT_FLAG_CORRUPT}});
    end();
    EXPECT_EQ(account().damage().notes, std::vector<std::string>{"stream 0: a damaged packet at 2.500 s"});
}

TEST_F(PacketAccountTest, ForgetsWhatWasReadBeforeASeek) {
    Counted source(testing::scripted({{0, 0, 40, AV_PKT_FLAG_CORRUPT}}), account());
    testing::read_all(source);
    EXPECT_EQ(source.seek(-1, 0, 0), 0);
    end();
    EXPECT_FALSE(account().damage().any());
}

}  // namespace
}  // namespace vfilter
