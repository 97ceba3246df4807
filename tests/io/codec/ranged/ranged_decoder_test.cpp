// One video in ranges, by several sessions: the same pictures as from one decoder, in order, also where it is damaged.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "tests/io/codec/ranged/ranged_video.h"

namespace vfilter {
namespace {

using namespace ranged;

// Whether HEVC's decoder has each slice decoded by AVCodecContext::execute(), whose result is where it ended. That of
// FFmpeg 7.1 has not; 7.0 was not tried.
constexpr bool tells_where_slices_end = LIBAVCODEC_VERSION_MAJOR < 61;

class EveryStream : public RangedDecoderTest, public ::testing::WithParamInterface<Stream> {
protected:
    void SetUp() override {
        if (GetParam().name == std::string_view(sliced.name) && !tells_where_slices_end) {
            GTEST_SKIP()
                << "this libavcodec does not tell where slices end, and the x265 beside it (4.1) writes slices "
                   "that nobody can read";
        }
    }
};

TEST_P(EveryStream, HasTheSamePicturesInRanges) {
    const Stream& stream = GetParam();
    const std::string path = clip(stream.name, stream.encoder, stream.pictures);
    const std::vector<PictureSum> one = decode_as_one(path);
    ASSERT_EQ(one.size(), static_cast<std::size_t>(stream.pictures));
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 3}, {session()});
    EXPECT_EQ(decode(ranged), one);
    const DecodeFacts facts = ranged.facts();
    EXPECT_EQ(facts.ranges, stream.ranges);
    EXPECT_EQ(facts.on_cpu, 0) << facts.why_on_cpu;
    EXPECT_EQ(facts.hardware, stream.pictures);
    EXPECT_FALSE(ranged.damage().any());
    EXPECT_EQ(ranged.passed(), stream.pictures);
}

TEST_P(EveryStream, HasTheSamePicturesWithTheCpuBesideHardware) {
    const Stream& stream = GetParam();
    const std::string path = clip(stream.name, stream.encoder, stream.pictures);
    const std::vector<PictureSum> one = decode_as_one(path);
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 1, .beside = 300}, {slow(), session(3)});
    EXPECT_EQ(decode(ranged), one);
    const DecodeFacts facts = ranged.facts();
    EXPECT_EQ(facts.on_cpu, 0) << facts.why_on_cpu;
    EXPECT_EQ(facts.hardware + facts.beside, stream.pictures);
    if (stream.ranges > 1) {  // else the first one takes it
        EXPECT_EQ(facts.beside > 0, stream.beside);
    }
    EXPECT_FALSE(ranged.damage().any());
    EXPECT_EQ(ranged.passed(), stream.pictures);
}

// As files are damaged: one to five places of so many wrong bytes, anywhere. VFILTER_TEST_SEEDS=FIRST-LAST has others.
class DamagedStream : public EveryStream {
protected:
    static std::vector<unsigned> seeds() {
        std::vector<unsigned> list{79, 111, 112, 121, 155, 157, 168, 286, 301, 334};  // that have found mistakes
        // Every number of places with every length, of which the two long ones have half each.
        constexpr int large = 500;
        const bool half = GetParam().pictures > large;
        unsigned first = half && GetParam().name == std::string_view("open.ts") ? 10 : 0;
        unsigned last = half && first == 0 ? 10 : 20;
        if (const char* const asked = std::getenv("VFILTER_TEST_SEEDS"); asked != nullptr) {
            list.clear();
            if (std::sscanf(asked, "%u-%u", &first, &last) != 2) {
                throw std::invalid_argument("VFILTER_TEST_SEEDS is not FIRST-LAST");
            }
        }
        for (unsigned seed = first; seed < last; ++seed) {
            list.push_back(seed);
        }
        return list;
    }
};

TEST_P(DamagedStream, HasTheSamePictures) {
    const Stream& stream = GetParam();
    const std::string path = clip(stream.name, stream.encoder, stream.pictures);
    std::vector<int> starts{0};  // of the packets, all of them in a row
    while (const PacketPtr packet = (starts.size() == 1 ? open(path) : *demuxer_).read()) {
        starts.push_back(starts.back() + packet->size);
    }
    const auto damaged = [&](FrameSource& source, unsigned seed) {
        constexpr std::array lengths{1, 4, 40, 600};
        std::mt19937 random(seed);
        std::map<int, int> hits;  // packet, and where in it
        for (unsigned i = 0; i <= seed % 5; ++i) {
            const int place = static_cast<int>(random() % static_cast<unsigned>(starts.back()));
            const auto packet = std::prev(std::ranges::upper_bound(starts, place));
            hits[static_cast<int>(packet - starts.begin())] = place - *packet;
        }
        return decode(source, [&](AVPacket& packet, int number) {
            if (const auto hit = hits.find(number); hit != hits.end()) {
                spoil(packet, hit->second, lengths[seed % lengths.size()], random);
            }
        });
    };
    const auto expect_same = [&](FrameSource& source, const Decoder& one, const std::vector<PictureSum>& by_one,
                                 unsigned seed, const char* what) {
        SCOPED_TRACE(what);
        const std::vector<PictureSum> others = damaged(source, seed);
        EXPECT_EQ(others.size(), by_one.size()) << seed;
        const auto at = std::ranges::mismatch(others, by_one).in1;
        EXPECT_EQ(at - others.begin(), static_cast<std::ptrdiff_t>(by_one.size())) << "first other one, seed " << seed;
        EXPECT_EQ(source.damage().frames, one.damage().frames) << seed;
        EXPECT_EQ(source.damage().packets, one.damage().packets) << seed;
        EXPECT_EQ(source.damage().pictures, one.damage().pictures) << seed;
        EXPECT_EQ(source.damage().any(), one.damage().any()) << seed;
    };
    for (const unsigned seed : seeds()) {
        Decoder one(open(path), 0, pool_, 1, false);
        const std::vector<PictureSum> by_one = damaged(one, seed);
        Decoder three(open(path), 0, pool_, 3, false);
        expect_same(three, one, by_one, seed, "three threads");
        RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 3}, {session()});
        expect_same(ranged, one, by_one, seed, "ranges");
    }
}

// Nothing is left out where the slices behind it write over what it has made of their parts.
TEST_F(RangedDecoderTest, TellsASliceThatRunsOverOthers) {
    if (!tells_where_slices_end) {
        GTEST_SKIP() << "this libavcodec does not tell where slices end";
    }
    const std::string path = clip(sliced.name, sliced.encoder, sliced.pictures);
    for (const int threads : {1, 3}) {
        Decoder decoder(open(path), 0, pool_, threads, false);
        std::mt19937 random(1);
        const std::vector<PictureSum> pictures = decode(decoder, [&](AVPacket& packet, int number) {
            if (number == 53) {
                spoil(packet, packet.size / 6, 4, random);
            }
        });
        EXPECT_EQ(pictures.size(), 120U);
        EXPECT_GE(decoder.damage().frames, 1) << threads;
    }
}

// The decoder does not hear of the group that begins there, whose pictures have the numbers of those before.
TEST_F(RangedDecoderTest, AKeyFrameOfHevcOfWhichNothingIsLeftTakesNoOthersWithIt) {
    constexpr int key_frame = 40;
    const std::string path = clip(grouped.name, grouped.encoder, grouped.pictures);
    for (const int threads : {1, 3}) {
        Decoder decoder(open(path), 0, pool_, threads, false);
        const std::vector<PictureSum> pictures = decode(decoder, [&](AVPacket& packet, int number) {
            if (number == key_frame) {
                ASSERT_EQ(av_packet_make_writable(&packet), 0);
                std::fill_n(packet.data, packet.size, std::uint8_t{0xFF});
            }
        });
        EXPECT_EQ(pictures.size(), static_cast<std::size_t>(grouped.pictures - 1)) << threads;
        EXPECT_TRUE(std::ranges::is_sorted(pictures, {}, [](const PictureSum& one) { return std::get<0>(one); }));
        EXPECT_TRUE(decoder.damage().any());
    }
}

const std::vector<Stream> ranged_streams{
    Stream{"closed.mp4", x264 + "-g 40 -bf 2", 160, 4},
    Stream{"pyramid.ts", x264 + "-g 40 -bf 4 -x264-params b-pyramid=normal:scenecut=0", 120, 3},
    Stream{"open.mp4", x264 + "-g 30 -bf 3 -x264-params open-gop=1:scenecut=0", 550, 3, false},
    Stream{"open.ts", x264 + "-g 30 -bf 3 -x264-params open-gop=1:scenecut=0:b-pyramid=strict", 550, 3, false},
    Stream{"fields.mkv", x264 + "-g 40 -bf 2 -flags +ilme+ildct -x264-params tff=1", 120, 3},
    Stream{"hevc.mkv",
           "-pix_fmt yuv420p -c:v libx265 -preset ultrafast -x265-params "
           "log-level=none:keyint=25:min-keyint=25:open-gop=1:bframes=3:scenecut=0",
           75, 3},
    grouped,
    sliced,
    Stream{"vp9.webm", "-pix_fmt yuv420p -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 40", 120, 3},
    Stream{"vp8.webm", "-pix_fmt yuv420p -c:v libvpx -deadline realtime -cpu-used 8 -auto-alt-ref 1 -g 40", 120, 3},
    Stream{"one.mp4", x264 + "-g 250", 40, 1}};

// Hardware gives a range up there, when the first of the two has been received.
TEST_F(RangedDecoderTest, HasBothPicturesOfOneTime) {
    const std::string path = clip("a.mkv", x264 + "-g 50", 60);
    const auto at_once = [](AVPacket& packet, int number) { packet.pts = number == 30 ? packet.pts - 40 : packet.pts; };
    Decoder one(open(path), 0, pool_, 1, false);
    const std::vector<PictureSum> expected = decode(one, at_once);
    ASSERT_EQ(expected.size(), 60U);
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 1, .packets = 8}, {slow()});
    EXPECT_EQ(decode(ranged, at_once), expected);
    EXPECT_EQ(ranged.facts().on_cpu, 1) << ranged.facts().why_on_cpu;
}

// Right behind an open entry: what follows is not shown before it for that.
TEST_F(RangedDecoderTest, AClockThatGoesBackLeadsNothingIn) {
    const std::string path = clip("cra.mkv",
                                  "-pix_fmt yuv420p -c:v libx265 -preset ultrafast -x265-params "
                                  "log-level=none:keyint=30:open-gop=1:scenecut=0:bframes=0",
                                  90);
    const auto back = [](AVPacket& packet, int number) { packet.pts -= number > 60 ? 2400 : 0; };
    Decoder one(open(path), 0, pool_, 1, false);
    const std::vector<PictureSum> expected = decode(one, back);
    ASSERT_EQ(expected.size(), 90U);
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 3}, {session()});
    EXPECT_EQ(decode(ranged, back), expected);
    EXPECT_EQ(ranged.facts().ranges, 3);
    EXPECT_EQ(ranged.facts().on_cpu, 1) << ranged.facts().why_on_cpu;
}

// Packets that were damaged are told of once each, with the picture that is out by then, and no range behind them has
// anything of a parameter set that a later one has replaced.
TEST_F(RangedDecoderTest, DamageOfParameterSetsStaysWhereItIs) {
    const std::string path = clip("sets.ts", x264 + "-g 40", 160);
    const auto spoil_set = [](AVPacket& packet, int number) {
        if (number == 40) {
            ASSERT_EQ(av_packet_make_writable(&packet), 0);
            const std::array<std::uint8_t, 4> code{0, 0, 1, 0x67};
            std::uint8_t* const set = std::search(packet.data, packet.data + packet.size, code.begin(), code.end());
            ASSERT_LT(set, packet.data + 100);
            std::fill_n(set + 8, 6, std::uint8_t{0x04});
        }
    };
    Decoder one(open(path), 0, pool_, 1, false);
    const std::vector<PictureSum> expected = decode(one, spoil_set);
    EXPECT_TRUE(one.damage().any());
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 3}, {session()});
    EXPECT_EQ(decode(ranged, spoil_set), expected);
    EXPECT_EQ(ranged.damage().notes, one.damage().notes);
    EXPECT_EQ(ranged.damage().complaints, one.damage().complaints);
    EXPECT_EQ(ranged.damage().packets, one.damage().packets);
    EXPECT_EQ(ranged.facts().ranges, 4);
    EXPECT_LE(ranged.facts().on_cpu, 2) << "the one, and who was to be fed on behind it";
}

// The first range begins with an open entry that nothing leads in: what is said then is of what follows.
TEST_F(RangedDecoderTest, TellsWhatIsSaidBeforeTheFirstPicture) {
    const std::string path = clip("cra.ts",
                                  "-pix_fmt yuv420p -c:v libx265 -preset ultrafast -x265-params "
                                  "log-level=none:keyint=40:open-gop=1:scenecut=0:bframes=3:b-adapt=0",
                                  100);
    // Without the packet behind it, on which others lean before the decoder gives its first picture.
    const auto from_second_entry = [&](FrameSource& source) {
        std::int64_t entry = AV_NOPTS_VALUE;
        int sent = 0;
        for (int number = 0; const PacketPtr packet = demuxer_->read(); ++number) {
            entry =
                number > 0 && entry == AV_NOPTS_VALUE && (packet->flags & AV_PKT_FLAG_KEY) != 0 ? packet->pts : entry;
            if (entry != AV_NOPTS_VALUE && packet->pts >= entry && ++sent != 2) {
                source.send(packet.get());
            }
        }
        source.send(nullptr);
        int pictures = 0;
        while (source.receive()) {
            ++pictures;
        }
        return pictures;
    };
    Decoder one(open(path), 0, pool_, 1, false);
    const int pictures = from_second_entry(one);
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 2}, {session(2)});
    EXPECT_EQ(from_second_entry(ranged), pictures);
    EXPECT_GT(one.damage().complaints, 0);
    EXPECT_EQ(ranged.damage().complaints, one.damage().complaints);
    EXPECT_EQ(ranged.damage().packets, one.damage().packets);
}

// Until the key frame has been decoded nobody knows that their times are after its own.
TEST_F(RangedDecoderTest, TellsTheSameOfPicturesBeforeTheFirstKeyFrame) {
    const std::string path = clip("b.mkv", x264 + "-g 12", 60);
    const auto late = [](AVPacket& packet, int number) {
        if (number < 12) {
            packet.flags &= ~AV_PKT_FLAG_KEY;
            packet.pts += 100000;
            packet.dts += 100000;
        }
        if (number == 0) {
            std::mt19937 random(1);
            spoil(packet, packet.size / 4, packet.size, random);
        }
    };
    Decoder one(open(path), 0, pool_, 1, false);
    const std::vector<PictureSum> expected = decode(one, late);
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 3}, {session()});
    EXPECT_EQ(decode(ranged, late), expected);
    EXPECT_TRUE(one.damage().any());
    EXPECT_EQ(ranged.damage().notes, one.damage().notes);
    EXPECT_EQ(ranged.damage().complaints, one.damage().complaints);
    EXPECT_EQ(ranged.damage().pictures, one.damage().pictures);
}

std::string stream_name(const ::testing::TestParamInfo<Stream>& made) {
    std::string name = made.param.name;
    std::ranges::replace(name, '.', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(each, EveryStream, ::testing::ValuesIn(ranged_streams), stream_name);
INSTANTIATE_TEST_SUITE_P(each, DamagedStream, ::testing::ValuesIn(ranged_streams), stream_name);

}  // namespace
}  // namespace vfilter
