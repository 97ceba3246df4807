// What decoders that begin elsewhere have to be told, and what none of them may drop.

#include "io/bitstream/decoder_packets.h"

#include <atomic>

#include "io/codec/open_decoder.h"
#include "io/extradata.h"
#include "tests/io/codec/ranged/ranged_video.h"

namespace vfilter {
namespace {

using namespace ranged;

std::string bytes_of(const std::vector<std::uint8_t>& bytes) {
    return {bytes.begin(), bytes.end()};
}

// HEVC with start codes. Messages are of one byte of their type each, as it is what FFmpeg takes for one.
class MessagesThatHoldOn : public ::testing::Test {
protected:
    static std::string unit(const std::string& bytes) { return std::string("\0\0\0\1", 4) + bytes; }
    static std::string sei(int type, const std::string& payload) {
        return unit(std::string("\x4E\1", 2) + static_cast<char>(type) + static_cast<char>(payload.size()) + payload +
                    '\x80');
    }
    // Content light of that value.
    static std::string light(char value) { return sei(144, {'\1', value, '\1', value}); }
    static std::string slice(int type, bool drops = false) {
        return unit({static_cast<char>(type << 1), '\1', static_cast<char>(drops ? 0xE0 : 0xA0), '\x42', '\x43'});
    }
    static std::string end() { return unit({'\x48', '\1'}); }

    // The packet as it is to be.
    std::string next(const std::string& bytes) {
        const PacketPtr packet = make_packet();
        EXPECT_EQ(av_new_packet(packet.get(), static_cast<int>(bytes.size())), 0);
        std::ranges::copy(bytes, packet->data);
        const PacketPtr made = packets().next(*packet);
        EXPECT_EQ(std::string(packet->data, packet->data + packet->size), bytes) << "the original";
        return {made->data, made->data + made->size};
    }
    std::string front() { return bytes_of(packets().front()); }
    DecoderPackets& packets() {
        if (!packets_) {
            packets_.emplace(*codec_);
        }
        return *packets_;
    }

    static constexpr int trailing = 1;
    static constexpr int bla = 16;
    static constexpr int idr = 19;
    static constexpr int cra = 21;
    ParametersPtr codec_ = [] {
        ParametersPtr codec(avcodec_parameters_alloc());
        codec->codec_id = AV_CODEC_ID_HEVC;
        return codec;
    }();
    std::optional<DecoderPackets> packets_;
};

TEST_F(MessagesThatHoldOn, ForASequence) {
    EXPECT_EQ(next(light(7) + slice(idr)), light(7) + slice(idr));
    EXPECT_EQ(front(), "") << "the packet has it itself";
    EXPECT_EQ(next(slice(trailing)), slice(trailing));
    EXPECT_EQ(front(), light(7));
    next(slice(cra));
    EXPECT_EQ(front(), light(7));
    EXPECT_FALSE(packets().bare());
    EXPECT_EQ(next(slice(idr)), slice(idr));
    EXPECT_EQ(front(), "");
    EXPECT_TRUE(packets().bare());
    EXPECT_FALSE(packets().laden());
}

// A decoder that has begun at the CRA picture takes that for the beginning of a sequence.
TEST_F(MessagesThatHoldOn, OverOnePictureThatBeginsASequence) {
    next(slice(idr));
    next(light(7) + slice(cra));
    EXPECT_TRUE(packets().laden());
    next(slice(trailing));
    EXPECT_EQ(next(slice(idr)), light(7) + slice(idr));
    EXPECT_EQ(front(), "");
    EXPECT_FALSE(packets().laden());
    EXPECT_EQ(next(slice(idr)), slice(idr));
    EXPECT_EQ(front(), "");
}

TEST_F(MessagesThatHoldOn, UntilAnotherOneComes) {
    const std::string transfer = sei(147, "\x12");
    const std::string later = sei(147, "\x10");
    next(transfer + slice(idr));
    next(slice(idr));
    next(slice(idr));
    EXPECT_EQ(front(), transfer);
    next(slice(idr));
    next(later + slice(trailing));
    next(slice(idr));
    EXPECT_EQ(front(), later);
    EXPECT_FALSE(packets().bare());
}

TEST_F(MessagesThatHoldOn, OfRegisteredDataSomeAndNoCaptions) {
    const std::string hdr10_plus = sei(4, std::string("\xB5\0\x3C\0\1\4\1\2\3", 9));
    const std::string captions = sei(4, std::string("\xB5\0\x31GA94\3", 8));
    next(hdr10_plus + captions + slice(idr));
    next(slice(trailing));
    EXPECT_NE(front().find(std::string("\xB5\0\x3C", 3)), std::string::npos);
    EXPECT_EQ(front().find("GA94"), std::string::npos);
}

// The header's come with the first packet, as decoders that begin later may not have them.
TEST_F(MessagesThatHoldOn, OfTheHeaderComeWithTheFirstPacket) {
    const std::string set = unit(std::string("\x42\1set", 5));
    const std::string header = set + light(9);
    set_extradata(*codec_, std::span(reinterpret_cast<const std::uint8_t*>(header.data()), header.size()));
    EXPECT_EQ(bytes_of(without_messages(AV_CODEC_ID_HEVC,
                                        {codec_->extradata, static_cast<std::size_t>(codec_->extradata_size)})),
              set);
    EXPECT_EQ(next(slice(cra)), light(9) + slice(cra));
    EXPECT_EQ(front(), "");
    next(slice(trailing));
    EXPECT_EQ(front(), light(9));
    next(slice(idr));
    EXPECT_EQ(front(), "");
}

TEST_F(MessagesThatHoldOn, OfARecordComeWithTheFirstPacket) {
    const std::string message = light(9).substr(4);
    std::string record(23, '\0');
    record[0] = 1;
    record[21] = 3;  // lengths of four bytes
    record[22] = 2;
    const std::string set("\xA1\0\1\0\5\x42\1set", 10);
    const std::string messages = std::string("\xA7\0\1\0", 4) + static_cast<char>(message.size()) + message;
    const std::string with = record + messages + set;
    std::string without = record + set;
    without[22] = 1;
    set_extradata(*codec_, std::span(reinterpret_cast<const std::uint8_t*>(with.data()), with.size()));
    EXPECT_EQ(bytes_of(without_messages(AV_CODEC_ID_HEVC,
                                        {codec_->extradata, static_cast<std::size_t>(codec_->extradata_size)})),
              without);
    const auto prefixed = [](const std::string& bytes) {
        return std::string(3, '\0') + static_cast<char>(bytes.size()) + bytes;
    };
    const std::string picture = prefixed(slice(cra).substr(4));
    EXPECT_EQ(next(picture), prefixed(message) + picture);
    next(picture);
    EXPECT_EQ(front(), prefixed(message));
    // One that is not whole is left as it is.
    const std::span<const std::uint8_t> cut(codec_->extradata, static_cast<std::size_t>(codec_->extradata_size) - 2);
    EXPECT_TRUE(without_messages(AV_CODEC_ID_HEVC, cut).empty());
}

TEST_F(MessagesThatHoldOn, PicturesBeforeAreShown) {
    EXPECT_EQ(next(slice(idr, true)), slice(idr));
    EXPECT_EQ(next(slice(trailing, true)), slice(trailing, true)) << "which has no such flag";
    EXPECT_EQ(next(slice(cra, true) + slice(cra, true)), slice(cra) + slice(cra));
    EXPECT_EQ(next(end() + slice(cra)), end() + slice(bla));
    EXPECT_EQ(next(slice(trailing) + end()), slice(trailing) + end());
    EXPECT_EQ(next(slice(cra)), slice(bla));
    EXPECT_EQ(next(slice(cra)), slice(cra));
}

// As hardware's, which is flushed before each range: libavcodec of before version 7 has its messages still. Those that
// are made later are slower, so that the first one has every other range.
class FlushedSession : public RangeSession {
public:
    FlushedSession(const DecodingSetup& setup, int number) : number_(number) {
        const AVCodec* const codec = avcodec_find_decoder(setup.codec->codec_id);
        context_.reset(avcodec_alloc_context3(codec));
        EXPECT_GE(avcodec_parameters_to_context(context_.get(), setup.codec.get()), 0);
        leave_out_messages(*context_);
        context_->pkt_timebase = setup.time_base;
        context_->thread_count = 1;
        open_codec(*context_, *codec);
    }
    void begin(Entry /*entry*/, bool /*feeding_on*/) override { avcodec_flush_buffers(context_.get()); }
    [[nodiscard]] bool feeds_on() const override { return false; }
    void send(AVPacket* packet) override { EXPECT_GE(avcodec_send_packet(context_.get(), packet), 0); }
    bool receive(DecodedPicture& next) override {
        next = {};
        next.picture = make_frame();
        std::this_thread::sleep_for(std::chrono::milliseconds(number_));
        return avcodec_receive_frame(context_.get(), next.picture.get()) >= 0;
    }

private:
    CodecContextPtr context_;
    int number_;
};

// Whole clips: what libavcodec gives with each picture, of one decoder and in ranges.
class HevcInRanges : public RangedDecoderTest {
protected:
    using Facts = std::vector<std::string>;
    using Change = std::function<PacketPtr(PacketPtr, int)>;
    static std::string facts_of(const AVFrame& picture) {
        std::string facts = std::to_string(picture.pts) + " trc " + std::to_string(picture.color_trc) + " sum " +
                            std::to_string(std::get<1>(picture_sum(picture)));
        for (int i = 0; i < picture.nb_side_data; ++i) {
            const AVFrameSideData& data = *picture.side_data[i];
            const bool text = data.type == AV_FRAME_DATA_SEI_UNREGISTERED;
            facts += " " + std::to_string(data.type) + ":" +
                     (text ? "text" : std::to_string(av_adler32_update(1, data.data, data.size)));
        }
        return facts;
    }
    Facts decode_facts(FrameSource& source, const Change& change) {
        Facts facts;
        const auto take = [&] {
            while (const FramePtr picture = source.receive()) {
                facts.push_back(facts_of(*picture));
            }
        };
        for (int number = 0; PacketPtr packet = demuxer_->read(); ++number) {
            if (const PacketPtr changed = change(std::move(packet), number)) {
                source.send(changed.get());
                take();
            }
        }
        source.send(nullptr);
        take();
        return facts;
    }
    // Of so many pictures, by one thread of libavcodec's alone, by three, and in ranges.
    Facts expect_same(const std::string& path, std::size_t pictures, const Change& change) {
        Decoder one(open(path), 0, pool_, 1, false);
        const Facts expected = decode_facts(one, change);
        EXPECT_EQ(expected.size(), pictures);
        EXPECT_FALSE(one.damage().any());
        Decoder three(open(path), 0, pool_, 3, false);
        EXPECT_EQ(decode_facts(three, change), expected);
        std::atomic<int> made{0};
        const RangedDecoder::MakeSession flushed = [&] {
            return std::make_unique<FlushedSession>(decoding_setup(*demuxer_, 0), made++);
        };
        for (const RangedDecoder::Makers& makers :
             {RangedDecoder::Makers{session()}, RangedDecoder::Makers{slow(), session(3)},
              RangedDecoder::Makers{flushed}}) {
            RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 2, .beside = 300}, makers);
            EXPECT_EQ(decode_facts(ranged, change), expected);
            EXPECT_FALSE(ranged.damage().any());
            EXPECT_GT(ranged.facts().ranges, 2);
            EXPECT_EQ(ranged.facts().on_cpu, 0) << ranged.facts().why_on_cpu;
        }
        return expected;
    }
    static std::string hdr(const std::string& more) {
        return "-pix_fmt yuv420p10le -c:v libx265 -preset ultrafast -x265-params "
               "log-level=none:scenecut=0:bframes=3:hdr10=1:transfer=smpte2084:max-cll='1000,400':"
               "master-display='G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1)':" +
               more;
    }
    static std::ptrdiff_t with(const Facts& facts, AVFrameSideDataType type) {
        const std::string name = " " + std::to_string(type) + ":";
        return std::ranges::count_if(facts,
                                     [&](const std::string& one) { return one.find(name) != std::string::npos; });
    }
    // x265 has messages in each random-access point besides the header.
    static PacketPtr without_own(PacketPtr packet, int /*number*/) {
        constexpr std::size_t length_size = 4;
        std::vector<std::uint8_t> rest;
        for (const Nal& nal : nals_of(*packet, length_size)) {
            if ((nal.data[0] >> 1U & 0x3FU) != 39) {
                append_unit(rest, {nal.data, nal.size}, length_size);
            }
        }
        EXPECT_EQ(av_packet_make_writable(packet.get()), 0);
        std::ranges::copy(rest, packet->data);
        av_shrink_packet(packet.get(), static_cast<int>(rest.size()));
        return packet;
    }
    static PacketPtr fronted(const AVPacket& packet, const std::string& front) {
        return with_front(packet, std::span(reinterpret_cast<const std::uint8_t*>(front.data()), front.size()));
    }
};

TEST_F(HevcInRanges, MasteringDisplayOfTheHeaderHoldsAsLongAsInOneDecoder) {
    const std::string open = clip("hdr_open.mkv", hdr("keyint=25:min-keyint=25:open-gop=1"), 100);
    EXPECT_EQ(with(expect_same(open, 100, without_own), AV_FRAME_DATA_MASTERING_DISPLAY_METADATA), 100);
    const std::string closed = clip("hdr_closed.mkv", hdr("keyint=40:min-keyint=40:open-gop=0"), 160);
    EXPECT_EQ(with(expect_same(closed, 160, without_own), AV_FRAME_DATA_MASTERING_DISPLAY_METADATA), 40);
}

// In TS each message is in packets. One of them here and there is enough.
TEST_F(HevcInRanges, MessagesHoldOnAsInOneDecoder) {
    const std::string light("\0\0\0\1\x4E\1\x90\4\1\xF4\1\x90\x80", 13);
    const std::string transfer("\0\0\0\1\x4E\1\x93\1\x12\x80", 10);
    const std::string turned("\0\0\0\1\x4E\1\x2F\3\x20\0\1\x80", 12);
    const std::string upright("\0\0\0\1\x4E\1\x2F\1\x80\x80", 10);
    for (const bool open : {true, false}) {
        const std::string path =
            clip(open ? "cra_lit.ts" : "idr_lit.ts",
                 "-pix_fmt yuv420p -c:v libx265 -preset ultrafast -x265-params log-level=none:scenecut=0:bframes=2:" +
                     std::string(open ? "keyint=25:min-keyint=25:open-gop=1" : "keyint=40:min-keyint=40:open-gop=0"),
                 200);
        const Facts facts = expect_same(path, 200, [&](PacketPtr packet, int number) {
            return number == 30    ? fronted(*packet, light)
                   : number == 65  ? fronted(*packet, transfer + turned)
                   : number == 140 ? fronted(*packet, upright)
                                   : std::move(packet);
        });
        EXPECT_GT(with(facts, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL), 40);
        EXPECT_GT(with(facts, AV_FRAME_DATA_DISPLAYMATRIX), 70);
        EXPECT_LT(with(facts, AV_FRAME_DATA_DISPLAYMATRIX), 80);
    }
}

TEST_F(HevcInRanges, NoPictureIsDroppedWhereASequenceBegins) {
    const auto drop = [](PacketPtr packet, int /*number*/) {
        EXPECT_EQ(av_packet_make_writable(packet.get()), 0);
        for (const Nal& nal : nals_of(*packet, 0)) {
            if (const unsigned type = nal.data[0] >> 1U & 0x3FU; type >= 16 && type <= 21) {
                packet->data[nal.data - packet->data + 2] |= 0x40;
            }
        }
        return packet;
    };
    const std::string closed = clip(grouped.name, grouped.encoder, grouped.pictures);
    expect_same(closed, 120, drop);
}

// Those that lead the CRA picture in are none that could be shown there.
TEST_F(HevcInRanges, NoPictureIsDroppedBehindTheEndOfASequence) {
    const std::string path = clip("ends.ts",
                                  "-pix_fmt yuv420p -c:v libx265 -preset ultrafast -x265-params "
                                  "log-level=none:keyint=30:min-keyint=30:open-gop=1:scenecut=0:bframes=3:b-adapt=0",
                                  90);
    const auto ended = [](PacketPtr packet, int number) {
        for (const Nal& nal : nals_of(*packet, 0)) {
            const unsigned type = nal.data[0] >> 1U & 0x3FU;
            if (type == 8 || type == 9) {
                return PacketPtr();
            }
            if (type == 21 && number > 0) {
                return fronted(*packet, std::string("\0\0\0\1\x48\1", 6));
            }
        }
        return packet;
    };
    open(path);
    std::size_t sent = 0;
    for (int number = 0; PacketPtr packet = demuxer_->read(); ++number) {
        sent += ended(std::move(packet), number) ? 1 : 0;
    }
    ASSERT_LT(sent, 90U);
    Decoder one(open(path), 0, pool_, 1, false);
    EXPECT_EQ(decode_facts(one, ended).size(), sent);
    RangedDecoder ranged(open(path), 0, pool_, false, {.sessions = 2}, {session()});
    EXPECT_EQ(decode_facts(ranged, ended).size(), sent);
}

}  // namespace
}  // namespace vfilter
