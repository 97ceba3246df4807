#include "io/codec/subtitles.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace vfilter {

namespace {

constexpr int max_subtitle_size = 1 << 20;
// mov_text tells the length of a text in 16 bits (3GPP TS 26.245, 5.17).
constexpr std::size_t max_words = 60'000;

struct Row {
    AVCodecID from;
    AVCodecID to;
    bool keeps_layout;
};
// The first one that the container has. SubRip's and mov_text's tags are bold, italic and colours, and few of them are
// lost; WebVTT has places on the screen.
constexpr Row conversions[] = {
    {AV_CODEC_ID_SUBRIP, AV_CODEC_ID_MOV_TEXT, true},  {AV_CODEC_ID_TEXT, AV_CODEC_ID_MOV_TEXT, true},
    {AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP, true},  {AV_CODEC_ID_ASS, AV_CODEC_ID_MOV_TEXT, false},
    {AV_CODEC_ID_WEBVTT, AV_CODEC_ID_MOV_TEXT, false}, {AV_CODEC_ID_SUBRIP, AV_CODEC_ID_WEBVTT, true},
    {AV_CODEC_ID_TEXT, AV_CODEC_ID_WEBVTT, true},      {AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_WEBVTT, true},
    {AV_CODEC_ID_ASS, AV_CODEC_ID_WEBVTT, false},
};

constexpr std::string_view line_end = "\\N";  // of ASS

struct OwnedSubtitle {
    AVSubtitle subtitle{};
    OwnedSubtitle() = default;
    OwnedSubtitle(const OwnedSubtitle&) = delete;
    OwnedSubtitle& operator=(const OwnedSubtitle&) = delete;
    ~OwnedSubtitle() { avsubtitle_free(&subtitle); }
};

CodecContextPtr opened(const AVCodec* codec, const auto& prepare) {
    CodecContextPtr context(codec != nullptr ? avcodec_alloc_context3(codec) : nullptr);
    if (!context) {
        throw Error(ExitCode::output, "this FFmpeg cannot convert the subtitles");
    }
    prepare(*context);
    av_check(avcodec_open2(context.get(), codec, nullptr), "avcodec_open2 (subtitles)", ExitCode::output);
    return context;
}

}  // namespace

std::optional<SubtitleConversion> subtitle_conversion(const AVOutputFormat& container, AVCodecID codec) {
    for (const Row& row : conversions) {
        if (row.from == codec && avformat_query_codec(&container, row.to, FF_COMPLIANCE_NORMAL) == 1) {
            return SubtitleConversion{row.to, row.keeps_layout};
        }
    }
    return std::nullopt;
}

SubtitleConverter::SubtitleConverter(const AVStream& from, AVCodecID to) {
    decoder_ = opened(avcodec_find_decoder(from.codecpar->codec_id), [&](AVCodecContext& context) {
        av_check(avcodec_parameters_to_context(&context, from.codecpar), "avcodec_parameters_to_context",
                 ExitCode::output);
        context.pkt_timebase = from.time_base;
    });
    if (to == AV_CODEC_ID_MOV_TEXT) {
        in_turn_.emplace();
    }
    encoder_ = opened(avcodec_find_encoder(to), [&](AVCodecContext& context) {
        context.time_base = AVRational{1, 1000};
        if (decoder_->subtitle_header != nullptr) {
            const auto size = static_cast<std::size_t>(decoder_->subtitle_header_size);
            context.subtitle_header = static_cast<std::uint8_t*>(av_mallocz(size + 1));
            if (context.subtitle_header == nullptr) {
                throw std::bad_alloc();
            }
            std::memcpy(context.subtitle_header, decoder_->subtitle_header, size);
            context.subtitle_header_size = decoder_->subtitle_header_size;
        }
    });
}

std::vector<PacketPtr> SubtitleConverter::convert(const AVPacket& packet) {
    OwnedSubtitle decoded;
    int found = 0;
    // The interface wants to write to the packet's bookkeeping: give it a reference of its own.
    const PacketPtr own(av_packet_clone(&packet));
    if (!own || avcodec_decode_subtitle2(decoder_.get(), &decoded.subtitle, &found, own.get()) < 0 || found == 0) {
        return {};
    }
    const std::int64_t begin = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
    ShownWords words{begin, std::nullopt, {}};
    if (packet.duration > 0) {
        words.end = av_sat_add64(begin, packet.duration);
    }
    for (const AVSubtitleRect* const rect : std::span(decoded.subtitle.rects, decoded.subtitle.num_rects)) {
        EventLine line = read_event(rect->ass == nullptr ? "" : rect->ass);
        if (!line.words.empty()) {
            words.lines.push_back(std::move(line));
        }
    }
    if (words.lines.empty()) {
        return {};
    }
    if (!in_turn_ || begin == AV_NOPTS_VALUE) {
        return encode_all({words});
    }
    left_out_ += in_turn_->add(std::move(words)) ? 0 : 1;
    return encode_all(in_turn_->take(begin));
}

std::vector<PacketPtr> SubtitleConverter::advance(std::int64_t time) {
    return in_turn_ ? encode_all(in_turn_->take(time)) : std::vector<PacketPtr>{};
}

std::vector<PacketPtr> SubtitleConverter::finish() {
    return in_turn_ ? encode_all(in_turn_->finish()) : std::vector<PacketPtr>{};
}

std::vector<PacketPtr> SubtitleConverter::encode_all(const std::vector<ShownWords>& all) {
    std::vector<PacketPtr> packets;
    for (const ShownWords& words : all) {
        packets.push_back(encode(words));
    }
    return packets;
}

PacketPtr SubtitleConverter::encode(const ShownWords& words) {
    std::vector<std::string> lines;
    std::size_t size = 0;
    for (const EventLine& line : words.lines) {
        size += line.event.size();
        if (size > max_words) {
            ++left_out_;
            break;
        }
        lines.push_back(line.event + std::string(line_end));
    }
    if (!lines.empty()) {
        lines.back().resize(lines.back().size() - line_end.size());
    }
    std::vector<AVSubtitleRect> rects(lines.size());
    std::vector<AVSubtitleRect*> pointers;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        rects[i].type = SUBTITLE_ASS;
        rects[i].ass = lines[i].data();
        pointers.push_back(&rects[i]);
    }
    AVSubtitle subtitle{};
    subtitle.format = 1;  // text
    subtitle.num_rects = static_cast<unsigned>(rects.size());
    subtitle.rects = pointers.data();
    const auto buffer = std::make_unique<std::uint8_t[]>(max_subtitle_size);
    const int bytes = avcodec_encode_subtitle(encoder_.get(), buffer.get(), max_subtitle_size, &subtitle);
    av_check(bytes, "avcodec_encode_subtitle", ExitCode::output);
    PacketPtr result = make_packet();
    av_check(av_new_packet(result.get(), bytes), "av_new_packet", ExitCode::output);
    std::memcpy(result->data, buffer.get(), static_cast<std::size_t>(bytes));
    result->pts = result->dts = words.begin;
    result->duration = words.end ? av_sat_sub64(*words.end, words.begin) : 0;
    result->flags |= AV_PKT_FLAG_KEY;
    return result;
}

}  // namespace vfilter
