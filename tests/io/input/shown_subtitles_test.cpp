// What is on the screen when a part begins.

#include "io/input/shown_subtitles.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/io/input/scripted_source.h"
#include "tests/support/pgs.h"

namespace vfilter {
namespace {

using test::pgs_clear;
using test::pgs_picture;
using testing::ScriptedPacket;

constexpr std::int64_t ten_seconds = 10 * std::int64_t{AV_TIME_BASE};

class ShownOnScreen : public ::testing::Test {
protected:
    explicit ShownOnScreen(AVCodecID codec = AV_CODEC_ID_HDMV_PGS_SUBTITLE)
        : format_(testing::make_streams({{AVMEDIA_TYPE_SUBTITLE, codec, {1, 1000}}})) {}

    void use(AVCodecID codec) { format_ = testing::make_streams({{AVMEDIA_TYPE_SUBTITLE, codec, {1, 1000}}}); }
    // At milliseconds. Whether it was taken before the moment of ten seconds.
    bool put(std::int64_t time, const std::string& bytes, std::int64_t duration = 0) {
        const PacketPtr packet = testing::make_packet({0, time, duration});
        EXPECT_GE(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
        std::ranges::copy(bytes, packet->data);
        packet->pts = packet->dts = time;
        packet->duration = duration;
        return screen_.take(*packet, *format_->streams[0], ten_seconds);
    }
    [[nodiscard]] std::vector<std::string> shown() {
        std::vector<std::string> all;
        given_ = screen_.give(ten_seconds, *format_);
        for (const PacketPtr& packet : given_) {
            EXPECT_EQ(packet->pts, 10000);
            all.emplace_back(reinterpret_cast<const char*>(packet->data), static_cast<std::size_t>(packet->size));
        }
        return all;
    }

    using Shown = std::vector<std::string>;
    DescriptionPtr format_;
    ShownSubtitles screen_;
    std::deque<PacketPtr> given_;
};

TEST_F(ShownOnScreen, IsThePictureThatNothingHasEnded) {
    EXPECT_TRUE(put(1000, pgs_picture(1)));
    EXPECT_TRUE(put(2000, pgs_clear()));
    EXPECT_TRUE(put(8000, pgs_picture(2)));
    EXPECT_FALSE(put(10000, pgs_picture(3))) << "at the moment itself";
    EXPECT_EQ(shown(), Shown{pgs_picture(2)});
    EXPECT_TRUE(put(1000, pgs_picture(1)));
    EXPECT_TRUE(put(9000, pgs_clear()));
    EXPECT_EQ(shown(), Shown{});
}

// Segments by themselves, as .sup has them, and pictures that change what was drawn before.
TEST_F(ShownOnScreen, IsWholeThoughItWasDrawnInParts) {
    for (const std::string& segment : test::pgs_segments(pgs_picture(1))) {
        put(1000, segment);
    }
    EXPECT_EQ(shown(), Shown{pgs_picture(1)});
    put(1000, pgs_picture(1));
    put(2000, test::pgs_palette_change(7));
    const std::string changed = test::pgs_picture(1, 7);
    EXPECT_EQ(shown(), Shown{changed});
    put(2000, test::pgs_palette_change(7));
    EXPECT_EQ(shown(), Shown{}) << "nobody has seen the picture";
}

TEST_F(ShownOnScreen, HasWhatIsLeftOfItsTime) {
    use(AV_CODEC_ID_DVD_SUBTITLE);
    EXPECT_TRUE(put(4000, "picture", 5000));
    EXPECT_EQ(shown(), Shown{});
    EXPECT_TRUE(put(1000, "longer", 50000));
    EXPECT_TRUE(put(4000, "picture", 8000));
    EXPECT_EQ(shown(), Shown{"picture"});
    EXPECT_EQ(given_.front()->duration, 2000);
    // By the commands of the picture itself: 440 ticks of 1024/90000 s are 5.006 s.
    const std::string commands("\0\x0e\0\x04\0\0\0\x04\x01\xff\0\0\0\0", 14);
    const std::string timed("\0\x10\0\x04\0\0\0\x0a\x01\xff\x01\xb8\0\x0a\x02\xff", 16);
    put(4000, timed);
    EXPECT_EQ(shown(), Shown{});
    put(6000, timed);
    EXPECT_EQ(shown(), Shown{timed});
    EXPECT_EQ(given_.front()->duration, 1006);
    put(6000, commands);
    EXPECT_EQ(shown(), Shown{commands});
}

TEST_F(ShownOnScreen, OfDvbIsAPageUntilItsTimeIsOver) {
    use(AV_CODEC_ID_DVB_SUBTITLE);
    const auto page = [](char timeout, char state, bool region = true) {
        const std::string body = std::string{timeout, state} + (region ? std::string("\0\0\0\x08\0\x08", 6) : "");
        return std::string("\x0f\x10\0\x01\0", 5) + static_cast<char>(body.size()) + body;
    };
    const char whole = 0x04;
    put(4000, page(5, whole));
    EXPECT_EQ(shown(), Shown{});
    put(4000, page(9, whole));
    EXPECT_EQ(shown(), Shown{page(3, whole)});
    put(4000, page(30, whole));
    put(5000, page(30, 0));
    EXPECT_EQ(shown(), (Shown{page(25, whole), page(25, 0)}));
    put(4000, page(30, whole));
    put(5000, page(30, 0, false));
    EXPECT_EQ(shown(), Shown{});
}

TEST_F(ShownOnScreen, AreWordsWithoutAnEnd) {
    use(AV_CODEC_ID_SUBRIP);
    EXPECT_TRUE(put(1000, "one"));
    EXPECT_TRUE(put(2000, "two"));
    EXPECT_EQ(shown(), Shown{"two"});
    EXPECT_TRUE(put(1000, "one"));
    EXPECT_FALSE(put(2000, "two", 500)) << "has its own";
    EXPECT_EQ(shown(), Shown{});
    use(AV_CODEC_ID_DVB_TELETEXT);
    EXPECT_FALSE(put(1000, "page"));
}

}  // namespace
}  // namespace vfilter
