// What is on the screen when a part begins.

#include "io/input/shown_subtitles.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <utility>
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
    [[nodiscard]] AVCodecID codec() const { return format_->streams[0]->codecpar->codec_id; }
    // At milliseconds. Whether it was taken before the moment of ten seconds.
    bool put(std::int64_t time, const std::string& bytes, std::int64_t duration = 0) {
        return put_decoded(time, time, bytes, duration);
    }
    bool put_decoded(std::int64_t decoded, std::int64_t time, const std::string& bytes, std::int64_t duration = 0) {
        const PacketPtr packet = testing::make_packet({0, time, duration});
        EXPECT_GE(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
        std::ranges::copy(bytes, packet->data);
        packet->pts = time;
        packet->dts = decoded;
        packet->duration = duration;
        const bool taken = screen_.take(*packet, *format_->streams[0], ten_seconds);
        EXPECT_TRUE(taken || packet->dts >= 10000 || codec() != AV_CODEC_ID_HDMV_PGS_SUBTITLE) << "would be cut off";
        return taken;
    }
    // All of it at the moment; nothing is known afterwards.
    [[nodiscard]] std::vector<std::string> shown() {
        std::vector<std::string> all;
        for (auto& [time, bytes] : given()) {
            EXPECT_EQ(time, 0);
            all.push_back(std::move(bytes));
        }
        screen_ = {};
        return all;
    }
    // As a Blu-ray has a picture's segments: decoded some time before it is shown, its end right before that. How many
    // of them were taken.
    int put_early(std::int64_t decoded, std::int64_t time, const std::string& picture, std::size_t from = 0) {
        const std::vector<std::string> segments = test::pgs_segments(picture);
        int taken = 0;
        for (std::size_t i = from; i < segments.size(); ++i) {
            const bool last = i + 1 == segments.size();
            taken += static_cast<int>(put_decoded(last ? time - 10 : decoded, i == 0 ? time : time - 10, segments[i]));
        }
        return taken;
    }
    // Each with when it is shown, in milliseconds behind the moment.
    [[nodiscard]] std::vector<std::pair<std::int64_t, std::string>> given() {
        std::vector<std::pair<std::int64_t, std::string>> all;
        given_ = screen_.give(ten_seconds, *format_);
        for (const PacketPtr& packet : given_) {
            EXPECT_EQ(packet->dts, 10000);
            all.emplace_back(packet->pts - 10000, std::string(reinterpret_cast<const char*>(packet->data),
                                                              static_cast<std::size_t>(packet->size)));
        }
        return all;
    }

    using Given = std::vector<std::pair<std::int64_t, std::string>>;
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

// By when it is shown, wherever the moment lies between the times of its segments.
TEST_F(ShownOnScreen, OfPgsIsTakenWhole) {
    for (const std::int64_t time : {10180, 10100, 10005, 10000}) {
        put_early(4800, 5000, pgs_picture(1));
        EXPECT_EQ(put_early(time - 200, time, pgs_picture(2)), 5);
        EXPECT_EQ(given(), (Given{{0, pgs_picture(1)}, {time - 10000, pgs_picture(2)}})) << time;
        screen_ = {};
    }
    put_early(9700, 9990, pgs_picture(3));
    EXPECT_EQ(given(), (Given{{0, pgs_picture(3)}}));
    EXPECT_EQ(put_early(10000, 10200, pgs_picture(2)), 0);
    EXPECT_EQ(put_early(9990, 10005, pgs_picture(2)), 5);
    EXPECT_EQ(given(), (Given{{5, pgs_picture(2)}}));
    // Where nothing tells when segments are decoded, the first has the latest time.
    EXPECT_FALSE(put(10005, test::pgs_segments(pgs_picture(2))[0]));
    EXPECT_EQ(put_early(9850, 10005, pgs_picture(2), 1), 0);
    EXPECT_EQ(given(), Given{});
    EXPECT_TRUE(put(9005, test::pgs_segments(pgs_picture(2))[0]));
    EXPECT_EQ(put_early(8850, 9005, pgs_picture(2), 1), 4);
    EXPECT_EQ(given(), (Given{{0, pgs_picture(2)}}));
    screen_ = {};
    put_early(4800, 5000, pgs_picture(1));
    put_early(9995, 10015, pgs_clear());
    EXPECT_EQ(given(), (Given{{0, pgs_picture(1)}, {15, pgs_clear()}}));
}

TEST_F(ShownOnScreen, OfPgsIsTheSameReadTwice) {
    for (const std::size_t from : {0U, 1U, 3U, 5U}) {
        put_early(4800, 5000, pgs_picture(1));
        put_early(9850, 10050, pgs_picture(2));
        EXPECT_TRUE(from >= 5 || put_early(9850, 10050, pgs_picture(2), from) > 0);
        EXPECT_EQ(given(), (Given{{0, pgs_picture(1)}, {50, pgs_picture(2)}})) << from;
        screen_ = {};
    }
}

// What lies in the file behind the first packet of the part.
TEST_F(ShownOnScreen, IsChangedByWhatComesLate) {
    put(1000, pgs_picture(1));
    EXPECT_EQ(given(), (Given{{0, pgs_picture(1)}}));
    EXPECT_FALSE(screen_.any());
    EXPECT_TRUE(put(9000, test::pgs_palette_change(7)));
    EXPECT_TRUE(screen_.any());
    const std::string changed = test::pgs_picture(1, 7);
    EXPECT_EQ(given(), (Given{{0, changed}}));
    EXPECT_TRUE(put(9500, pgs_clear()));
    ASSERT_EQ(given().size(), 1U);
    const AVPacket& clear = *given_.front();
    ASSERT_GT(clear.size, 13);
    EXPECT_EQ(clear.data[13], 0) << "objects";
    EXPECT_EQ(clear.duration, 0);
    EXPECT_TRUE(put(9600, pgs_clear()));
    EXPECT_EQ(given(), Given{}) << "nothing is there to be ended";
    // A picture that was begun when the others were given.
    const std::vector<std::string> segments = test::pgs_segments(pgs_picture(2));
    EXPECT_TRUE(put(9700, segments[0]));
    EXPECT_EQ(given(), Given{});
    for (std::size_t i = 1; i < segments.size(); ++i) {
        EXPECT_TRUE(put(10001, segments[i]));
    }
    EXPECT_EQ(given(), (Given{{0, pgs_picture(2)}}));
}

// Objects come in pieces, of which a damaged stream may have any number.
TEST_F(ShownOnScreen, CostsWhatItsBytesCost) {
    const std::string first = test::pgs_segment(0x15, std::string("\0\0\0\x80", 4) + "begin");
    const std::string piece = test::pgs_segment(0x15, std::string("\0\0\0\0", 4) + "piece");
    const std::string head = test::pgs_composition(true, false, true);
    const std::string end = test::pgs_segment('\x80', "");
    const std::clock_t begin = std::clock();
    for (const auto& [count, fits] : {std::pair(100'000, false), {50'000, true}}) {
        put(1000, head + first);
        for (int i = 0; i < count; ++i) {
            put(1000, piece);
        }
        put(1000, end);
        EXPECT_EQ(shown().size(), fits ? 1U : 0U) << "all of an object, or nothing";
    }
    EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 1);
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
    const std::string rest("\0\x10\0\x04\0\0\0\x0a\x01\xff\0\x59\0\x0a\x02\xff", 16);
    EXPECT_EQ(shown(), Shown{rest});
    EXPECT_EQ(given_.front()->duration, 1006);
    // What comes later in it, comes so much earlier.
    const std::string late("\0\x10\0\x04\1\x81\0\x0a\x01\xff\1\xb8\0\x0a\x02\xff", 16);
    put(6000, late);
    EXPECT_EQ(shown(), Shown{std::string("\0\x10\0\x04\0\x22\0\x0a\x01\xff\0\x59\0\x0a\x02\xff", 16)});
    put(6000, commands);
    EXPECT_EQ(shown(), Shown{commands});
    put(4000, commands);
    EXPECT_EQ(given(), (Given{{0, commands}}));
    put(4500, timed);
    const std::string tick("\0\x10\0\x04\0\0\0\x0a\x01\xff\0\x01\0\x0a\x02\xff", 16);
    EXPECT_EQ(given(), (Given{{0, tick}})) << "comes late, is over, and takes the other's place";
    EXPECT_EQ(given_.front()->duration, 11);
    put(4600, timed);
    EXPECT_EQ(given(), Given{}) << "nothing is there to be ended";
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
    const std::string end("\x0f\x80\0\x01\0\0", 6);
    put(4000, page(5, whole));
    put(4500, end);
    EXPECT_EQ(shown(), Shown{}) << "whatever comes without a page";
    put(4000, page(30, whole));
    EXPECT_EQ(given(), (Given{{0, page(24, whole)}}));
    put(9000, page(30, 0, false));
    EXPECT_EQ(given(), (Given{{0, page(30, 0, false)}})) << "comes late, and ends what was given";
    put(9100, page(30, 0, false));
    EXPECT_EQ(given(), Given{}) << "nothing is there to be ended";
    put(4000, page(30, whole));
    EXPECT_EQ(given(), (Given{{0, page(24, whole)}}));
    put(8000, page(1, 0x10));
    EXPECT_EQ(given(), (Given{{0, page(1, 0x20, false) + end}})) << "is over itself, and ends it all the same";
    put(4000, "\x20" + std::string(1, '\0') + page(30, whole) + '\xff');
    EXPECT_EQ(given().size(), 1U);
    put(8000, "\x20" + std::string(1, '\0') + page(1, 0x10) + '\xff');
    EXPECT_EQ(given(), (Given{{0, "\x20" + std::string(1, '\0') + page(1, 0x20, false) + end + '\xff'}}));
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
