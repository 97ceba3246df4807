// One video in ranges where hardware fails, or is slow, and within limits.

#include <array>
#include <atomic>
#include <future>
#include <string_view>

#include "tests/io/codec/ranged/ranged_video.h"

namespace vfilter {
namespace {

using namespace ranged;

class RangedDecoderInTrouble : public RangedDecoderTest {
protected:
    // The pictures are right whatever happens.
    DecodeFacts expect_right(const Troubled::Change& change, const std::string& encoder = x264 + "-g 40 -bf 2") {
        const std::string path = clip("closed.mp4", encoder, 160);
        const std::vector<PictureSum> one = decode_as_one(path);
        open(path);
        const auto troubled = [this, change] { return std::make_unique<Troubled>(session()(), change); };
        RangedDecoder ranged(*demuxer_, 0, pool_, false, {.sessions = 2}, {troubled});
        EXPECT_EQ(decode(ranged), one);
        EXPECT_FALSE(ranged.damage().any());
        return ranged.facts();
    }
};

TEST_F(RangedDecoderInTrouble, DecodesARangeAgainWhosePictureIsInDoubt) {
    std::atomic<int> times{0};
    const DecodeFacts facts = expect_right([&](DecodedPicture& next, int number) {
        if (number == 7 && times++ == 0) {
            next.doubt = "a damaged picture";
        }
    });
    EXPECT_EQ(facts.on_cpu, 1);
    EXPECT_EQ(facts.why_on_cpu, "a damaged picture");
    EXPECT_GE(facts.hardware, 120);
}

TEST_F(RangedDecoderInTrouble, DecodesARangeAgainInWhichTheDecoderComplains) {
    std::atomic<int> times{0};
    const DecodeFacts facts = expect_right([&](DecodedPicture& next, int number) {
        if (number == 3 && times++ == 0) {
            next.complaints = 1;
            next.complaint = "no reference";
        }
    });
    EXPECT_EQ(facts.on_cpu, 1);
    EXPECT_EQ(facts.why_on_cpu, "no reference");
}

TEST_F(RangedDecoderInTrouble, GoesOnWithoutHardwareThatFailsAgainAndAgain) {
    const DecodeFacts facts = expect_right(
        [](DecodedPicture& next, int number) { next.doubt = number == 5 ? "the decoder did not use the device" : ""; });
    EXPECT_EQ(facts.ranges, 4);
    EXPECT_EQ(facts.on_cpu, 4);
}

TEST_F(RangedDecoderInTrouble, DecodesOnTheCpuWhereNoSessionCanBeMade) {
    const std::string path = clip("closed.mp4", x264 + "-g 40 -bf 2", 160);
    const std::vector<PictureSum> one = decode_as_one(path);
    const auto none = []() -> std::unique_ptr<RangeSession> { throw Error(ExitCode::device, "no decoder is free"); };
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 3}, {none});
    EXPECT_EQ(decode(ranged), one);
    EXPECT_EQ(ranged.facts().on_cpu, 4);
    EXPECT_EQ(ranged.facts().why_on_cpu, "no decoder is free");
    EXPECT_EQ(ranged.facts().sessions, 0);
    EXPECT_EQ(ranged.facts().hardware, 0);
}

TEST_F(RangedDecoderInTrouble, EndsWhereTheDeviceIsLost) {
    open(clip("closed.mp4", x264 + "-g 40 -bf 2", 160));
    const auto lost = [this] {
        return std::make_unique<Troubled>(session()(), [](DecodedPicture&, int number) {
            if (number == 20) {
                throw Error(ExitCode::device_lost, "the GPU was lost");
            }
        });
    };
    RangedDecoder ranged(*demuxer_, 0, pool_, false, {.sessions = 1}, {lost});
    try {
        decode(ranged);
        FAIL() << "nothing was told";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::device_lost);
    }
}

TEST_F(RangedDecoderTest, TellsDamageAsTheCpuDoes) {
    const std::string path = clip("closed.mp4", x264 + "-g 40 -bf 2", 160);
    const auto broken = [&](FrameSource& source) {
        std::mt19937 random(1);
        return decode(source, [&](AVPacket& packet, int number) {
            if (number == 80) {  // a key frame
                spoil(packet, packet.size / 4, packet.size, random);
            }
        });
    };
    Decoder one(open(path), 0, pool_, 1, false);
    const std::vector<PictureSum> by_one = broken(one);
    EXPECT_EQ(by_one.size(), 160U);
    ASSERT_TRUE(one.damage().any());
    for (const RangedDecoder::MakeSession& beside : {RangedDecoder::MakeSession(), session(3)}) {
        RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = beside ? 1 : 3},
                             {beside ? slow() : session(), beside});
        EXPECT_EQ(broken(ranged), by_one);  // what is missing is made up from the range before
        EXPECT_EQ(ranged.damage().frames, one.damage().frames);
        EXPECT_EQ(ranged.damage().complaints, one.damage().complaints);
        EXPECT_GE(ranged.facts().on_cpu, 1);  // and the one that its session has begun meanwhile
    }
}

// What the CPU's threads are not sure of is decoded again, and says nothing about hardware.
TEST_F(RangedDecoderTest, DecodesARangeAgainWhosePictureTheThreadsDoubt) {
    const std::string path = clip("closed.mp4", x264 + "-g 40 -bf 2", 160);
    const std::vector<PictureSum> one = decode_as_one(path);
    const auto doubting = [this] {
        return std::make_unique<Troubled>(session(3)(),
                                          [](DecodedPicture& next, int /*number*/) { next.doubt = "so"; });
    };
    RangeLimits limits{.sessions = 1, .failures = 1};
    RangedDecoder ranged(open(path), 0, pool_, false, limits, {slow(), doubting});
    EXPECT_EQ(decode(ranged), one);
    EXPECT_GE(ranged.facts().on_cpu, 1);
    EXPECT_EQ(ranged.facts().why_on_cpu, "so");
    EXPECT_EQ(ranged.facts().beside, 0);
    EXPECT_GE(ranged.facts().hardware, 40);
}

// While hardware is being made the CPU's threads have the first ranges.
TEST_F(RangedDecoderTest, NoRangeWaitsForASessionThatWarmsUp) {
    constexpr std::chrono::seconds patience{60};
    const std::string path = clip("closed.mp4", x264 + "-g 40 -bf 2", 160);
    const std::vector<PictureSum> one = decode_as_one(path);
    std::promise<void> begun;
    std::future<void> beside_begins = begun.get_future();
    std::vector<std::int64_t> warmed_with;
    const auto unchanged = [](DecodedPicture& /*next*/, int /*number*/) {};
    const auto warming = [&] {
        return std::make_unique<Troubled>(session()(), unchanged, [&](const AVPacket& entry) {
            warmed_with.push_back(entry.pts);
            EXPECT_EQ(beside_begins.wait_for(patience), std::future_status::ready);
        });
    };
    const auto beside = [&] {
        begun.set_value();
        return session(3)();
    };
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 1, .beside = 300}, {warming, beside});
    EXPECT_EQ(decode(ranged), one);
    EXPECT_EQ(warmed_with, std::vector<std::int64_t>{std::get<0>(one.front())});
    EXPECT_GE(ranged.facts().beside, 40);
    EXPECT_EQ(ranged.facts().on_cpu, 0);
}

TEST_F(RangedDecoderTest, KeepsToItsLimits) {
    const std::string path = clip("closed.mp4", x264 + "-g 40 -bf 2", 160);
    const std::vector<PictureSum> one = decode_as_one(path);
    for (const bool redo : {true, false}) {
        RangeLimits limits{.sessions = 3, .pictures = 5, .kept = 2, .bytes = 20000, .packets = 4};
        limits.redo_bytes = redo ? limits.redo_bytes : 2000;
        RangedDecoder ranged(open(path), 0, pool_, false, limits, {session()});
        EXPECT_EQ(decode(ranged), one);
        EXPECT_EQ(ranged.facts().on_cpu, 0) << ranged.facts().why_on_cpu;
    }
    // Five pictures wait, and each session has one or two in hand.
    EXPECT_LE(pool_.allocations(), 5 + 3 * 8);
}

// What is too long to be kept cannot be decoded again: damage stays as it comes, and nothing is lost.
TEST_F(RangedDecoderTest, GoesOnBehindDamageOfALongGroup) {
    const std::string path = clip("long.mp4", x264 + "-g 250 -bf 2", 160);
    const auto broken = [&](FrameSource& source) {
        std::mt19937 random(1);
        return decode(source, [&](AVPacket& packet, int number) {
            if (number >= 118 && number <= 122) {
                spoil(packet, 10, packet.size, random);
            }
        });
    };
    Decoder one(open(path), 0, pool_, 1, false);
    const std::vector<PictureSum> by_one = broken(one);
    ASSERT_GE(by_one.size(), 155U);
    ASSERT_TRUE(one.damage().any());
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 2, .redo_bytes = 2000}, {session()});
    EXPECT_EQ(broken(ranged).size(), by_one.size());
    EXPECT_TRUE(ranged.damage().any());
    EXPECT_EQ(ranged.damage().pictures, one.damage().pictures);
    EXPECT_EQ(ranged.facts().on_cpu, 0) << ranged.facts().why_on_cpu;
}

// Hardware goes on behind a picture that it has concealed; behind one that it cannot give, the CPU does, which has only
// the first picture to lean on.
TEST_F(RangedDecoderTest, GoesOnBehindAPictureInDoubtOfALongGroup) {
    const std::string path = clip("long.mp4", x264 + "-g 250 -bf 2", 160);
    for (const bool shown : {true, false}) {
        const auto doubting = [&] {
            return std::make_unique<Troubled>(session()(), [shown](DecodedPicture& next, int number) {
                if (number == 100) {
                    next.doubt = "so";
                    next.damaged = shown;
                }
            });
        };
        RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 1, .redo_bytes = 2000}, {doubting});
        EXPECT_GE(decode(ranged).size(), shown ? 160U : 150U);
        EXPECT_TRUE(ranged.damage().any());
        EXPECT_EQ(ranged.damage().frames, shown ? 1 : ranged.damage().frames);
        EXPECT_EQ(ranged.facts().on_cpu, shown ? 0 : 1);
    }
}

// While nothing comes, who waits for pictures is asked whether he still wants them, and told what gets on.
TEST_F(RangedDecoderTest, ReceiverThatWaitsIsAsked) {
    const std::string path = clip("long.mp4", x264 + "-g 250 -bf 2", 160);
    std::promise<void> over;
    const std::shared_future<void> held = over.get_future().share();
    const auto hanging = [&] {
        return std::make_unique<Troubled>(session()(), [held](DecodedPicture& /*next*/, int number) {
            if (number == 10) {
                held.wait();
            }
        });
    };
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 1}, {hanging});
    int asked = 0;
    int got_on = 0;
    ranged.look_on([&](bool gets_on) {
        got_on += gets_on ? 1 : 0;
        return ++asked < 5;
    });
    std::vector<PictureSum> sums;
    while (const PacketPtr packet = demuxer_->read()) {
        ranged.send(packet.get());
    }
    ranged.send(nullptr);
    while (const FramePtr picture = ranged.receive()) {
        sums.push_back(picture_sum(*picture));
    }
    EXPECT_LE(sums.size(), 10U);
    EXPECT_EQ(asked, 5);
    EXPECT_LE(got_on, 2) << "nothing did";
    over.set_value();
}

TEST_F(RangedDecoderTest, DecodingAgainGetsOn) {
    const std::string path = clip("large.mp4", "-vf scale=1280:720 " + x264 + "-g 600 -bf 2", 400);
    const auto doubting = [&] {
        return std::make_unique<Troubled>(
            session()(), [](DecodedPicture& next, int number) { next.doubt = number == 395 ? "so" : ""; });
    };
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 1}, {doubting});
    int got_on = 0;
    bool again = false;
    ranged.look_on([&](bool gets_on) {
        again = again || ranged.facts().on_cpu > 0;
        got_on += again && gets_on ? 1 : 0;
        return true;
    });
    EXPECT_EQ(decode(ranged).size(), 400U);
    EXPECT_GE(got_on, 1);
}

TEST_F(RangedDecoderTest, LeavesToTheCpuWhatBeginsNowhere) {
    const std::string path = clip("closed.mp4", x264 + "-g 40 -bf 2", 160);
    open(path);
    RangedDecoder ranged(*demuxer_, 0, pool_, false, {.sessions = 2}, {session()});
    demuxer_->read();  // the first key frame
    EXPECT_GE(decode(ranged).size(), 120U);
    EXPECT_EQ(ranged.facts().on_cpu, 1);
    EXPECT_EQ(ranged.facts().ranges, 3);
}

TEST_F(RangedDecoderTest, EndsAtAnyTime) {
    const std::string path = clip("closed.mp4", x264 + "-g 40 -bf 2", 160);
    for (const int packets : {0, 1, 20, 50}) {
        RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 3, .pictures = 4, .kept = 1},
                             {session(), session(2)});
        for (int i = 0; i < packets; ++i) {
            ranged.send(demuxer_->read().get());
        }
    }
}

}  // namespace
}  // namespace vfilter
