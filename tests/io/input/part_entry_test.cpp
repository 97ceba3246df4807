// Where an input is entered.

#include "io/input/part_entry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

using Places = std::vector<std::int64_t>;

constexpr std::int64_t s = AV_TIME_BASE;

// Key frames at so many milliseconds. Where it is sought it lands `late` behind, as formats without an index do.
class Sought final : public PacketSource {
public:
    explicit Sought(Places keys, std::int64_t late = 0) : keys_(std::move(keys)), late_(late) {}

    [[nodiscard]] const AVFormatContext& format() const override { return *format_; }
    int read(AVPacket& packet) override {
        const auto next = std::ranges::lower_bound(keys_, at_);
        if (next == keys_.end()) {
            return AVERROR_EOF;
        }
        av_packet_move_ref(&packet, testing::make_packet({0, *next, 40, AV_PKT_FLAG_KEY}).get());
        at_ = *next + 1;
        return 0;
    }
    int seek(int /*stream*/, std::int64_t latest, int /*flags*/) override {
        places_.push_back(latest);
        at_ = latest / 1000 + late_;
        return refuses_ || latest < refused_before_ ? AVERROR(ENOSYS) : 0;
    }
    [[nodiscard]] const Complaints* complaints() const override { return nullptr; }
    const ContainerScan* scan() override { return nullptr; }

    Places places_;
    bool refuses_ = false;
    std::int64_t refused_before_ = INT64_MIN;

private:
    DescriptionPtr format_ = testing::make_streams({{AVMEDIA_TYPE_VIDEO, AV_CODEC_ID_MPEG4, {1, 1000}}}, "matroska");
    Places keys_;
    std::int64_t late_;
    std::int64_t at_ = 0;
};

struct Entered {
    Landing landing;
    Places places;  // that were sought, microseconds
    Places read;    // milliseconds
    int anew;       // how often reading began after a seek
    bool operator==(const Entered&) const = default;
};

Entered enter(Sought& source, std::int64_t wanted) {
    const std::vector<int> videos{0};
    const InputClock clock{.begin = 0, .first_picture = 0, .rate = {25, 1}, .average_rate = 25};
    PartEntry entry(source, source.format(), videos, clock, false);
    Entered entered{};
    entered.landing = entry.seek(wanted, [&](bool anew) {
        entered.anew += anew ? 1 : 0;
        PacketPtr packet = make_packet();
        if (source.read(*packet) < 0) {
            packet.reset();
        }
        return packet;
    });
    entered.places = source.places_;
    for (const PacketPtr& packet : entry.take()) {
        entered.read.push_back(packet->pts);
    }
    return entered;
}

TEST(PartEntry, GoesBackUntilAKeyFrameIsEarlyEnough) {
    Sought source({0, 4000, 8000}, 500);
    EXPECT_EQ(enter(source, 6 * s), (Entered{Landing::early_enough, {6 * s, 5 * s, 3 * s}, {4000}, 3}));
}

TEST(PartEntry, BeginsAtTheBeginningWhereNoKeyFrameIs) {
    Sought source({0, 4000, 8000}, 500);
    EXPECT_EQ(enter(source, 3 * s).landing, Landing::too_late);
    EXPECT_EQ(source.places_, (Places{3 * s, 2 * s, 0}));
}

TEST(PartEntry, ARefusalEndsTheSearch) {
    Sought source({0, 4000});
    source.refuses_ = true;
    EXPECT_EQ(enter(source, 3 * s), (Entered{Landing::refused, {3 * s}, {}, 0}));
}

TEST(PartEntry, OfAddedFilesTheStepsAreOthers) {
    Sought source({});
    const SeekBack back{.source = source, .begin = 0, .first = s, .factor = 4};
    EXPECT_EQ(back.before(30 * s, [] { return false; }), Landing::too_late);
    EXPECT_EQ(source.places_, (Places{29 * s, 26 * s, 14 * s}));
}

TEST(PartEntry, AStreamIsSoughtInItsClock) {
    Sought source({});
    const SeekBack back{.source = source, .stream = 1, .clock = {1, 1000}};
    EXPECT_EQ(back.before(30 * s, [] { return true; }), Landing::early_enough);
    EXPECT_EQ(source.places_, (Places{30'000}));
}

TEST(PartEntry, ARefusedBeginningIsReadWithoutSeeking) {
    Sought source({0, 4000, 8000}, 500);
    source.refused_before_ = s;
    EXPECT_EQ(enter(source, 3 * s).landing, Landing::refused);
    EXPECT_EQ(source.places_, (Places{3 * s, 2 * s, 0}));
}

}  // namespace
}  // namespace vfilter
