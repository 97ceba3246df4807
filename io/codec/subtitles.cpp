#include "io/codec/subtitles.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>
#include <new>

namespace vfilter {

namespace {

constexpr int max_subtitle_size = 1 << 20;

struct Conversion {
    AVCodecID from;
    AVCodecID to;
};
constexpr Conversion conversions[] = {
    {AV_CODEC_ID_SUBRIP, AV_CODEC_ID_MOV_TEXT},
    {AV_CODEC_ID_TEXT, AV_CODEC_ID_MOV_TEXT},
    {AV_CODEC_ID_MOV_TEXT, AV_CODEC_ID_SUBRIP},
};

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

std::optional<AVCodecID> subtitle_conversion(const AVOutputFormat& container, AVCodecID codec) {
    for (const Conversion& row : conversions) {
        if (row.from == codec && avformat_query_codec(&container, row.to, FF_COMPLIANCE_NORMAL) == 1) {
            return row.to;
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

PacketPtr SubtitleConverter::convert(const AVPacket& packet) {
    OwnedSubtitle decoded;
    int found = 0;
    // The interface wants to write to the packet's bookkeeping: give it a reference of its own.
    const PacketPtr own(av_packet_clone(&packet));
    if (!own || avcodec_decode_subtitle2(decoder_.get(), &decoded.subtitle, &found, own.get()) < 0 || found == 0 ||
        decoded.subtitle.num_rects == 0) {
        return nullptr;
    }
    const auto buffer = std::make_unique<std::uint8_t[]>(max_subtitle_size);
    const int size = avcodec_encode_subtitle(encoder_.get(), buffer.get(), max_subtitle_size, &decoded.subtitle);
    av_check(size, "avcodec_encode_subtitle", ExitCode::output);
    PacketPtr result = make_packet();
    av_check(av_new_packet(result.get(), size), "av_new_packet", ExitCode::output);
    std::memcpy(result->data, buffer.get(), static_cast<std::size_t>(size));
    av_check(av_packet_copy_props(result.get(), &packet), "av_packet_copy_props", ExitCode::output);
    return result;
}

}  // namespace vfilter
