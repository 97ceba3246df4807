#include "io/changed_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <span>

namespace vfilter {

namespace {

// AVPacket::opaque points to it where opaque_ref holds parameters.
char parameters_mark;

bool differ(int before, int now) {
    return before > 0 && now > 0 && before != now;
}

std::span<const std::uint8_t> header_of(const AVCodecParameters& codec) {
    return {codec.extradata, static_cast<std::size_t>(std::max(0, codec.extradata_size))};
}

bool headers_differ(const AVCodecParameters& before, const AVCodecParameters& now) {
    return !header_of(now).empty() && !std::ranges::equal(header_of(before), header_of(now));
}

bool pictures_differ(const AVCodecParameters& before, const AVCodecParameters& now) {
    return differ(before.width, now.width) || differ(before.height, now.height) ||
           (before.format >= 0 && now.format >= 0 && before.format != now.format);
}

bool sounds_differ(const AVCodecParameters& before, const AVCodecParameters& now) {
    return differ(before.sample_rate, now.sample_rate) ||
           differ(before.ch_layout.nb_channels, now.ch_layout.nb_channels) ||
           differ(before.bits_per_coded_sample, now.bits_per_coded_sample);
}

// Packets of these say all that decoders have to know.
bool tells_sound_itself(AVCodecID codec) {
    constexpr std::array ids{AV_CODEC_ID_MP1,    AV_CODEC_ID_MP2,  AV_CODEC_ID_MP3,
                             AV_CODEC_ID_AC3,    AV_CODEC_ID_EAC3, AV_CODEC_ID_DTS,
                             AV_CODEC_ID_TRUEHD, AV_CODEC_ID_MLP,  AV_CODEC_ID_AAC_LATM};
    return std::ranges::find(ids, codec) != ids.end();
}

// So do packets of these, or their key frames; of others the container says what pictures they are.
bool tells_pictures_itself(AVCodecID codec) {
    constexpr std::array ids{
        AV_CODEC_ID_H264,       AV_CODEC_ID_HEVC,       AV_CODEC_ID_VVC,
        AV_CODEC_ID_VP8,        AV_CODEC_ID_VP9,        AV_CODEC_ID_AV1,
        AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_H261,       AV_CODEC_ID_H263,
        AV_CODEC_ID_H263P,      AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG4,
        AV_CODEC_ID_FLV1,       AV_CODEC_ID_DVVIDEO,    AV_CODEC_ID_DNXHD,
        AV_CODEC_ID_PRORES,     AV_CODEC_ID_CFHD,       AV_CODEC_ID_DIRAC,
        AV_CODEC_ID_CAVS,       AV_CODEC_ID_CINEPAK,    AV_CODEC_ID_MJPEG,
        AV_CODEC_ID_JPEG2000,   AV_CODEC_ID_JPEGLS,     AV_CODEC_ID_SPEEDHQ,
        AV_CODEC_ID_VP6F,       AV_CODEC_ID_PNG,        AV_CODEC_ID_GIF,
        AV_CODEC_ID_BMP,        AV_CODEC_ID_TIFF,       AV_CODEC_ID_WEBP,
        AV_CODEC_ID_PAM,        AV_CODEC_ID_PPM,        AV_CODEC_ID_PGM,
        AV_CODEC_ID_PGMYUV,     AV_CODEC_ID_PBM,        AV_CODEC_ID_TARGA,
        AV_CODEC_ID_SGI,        AV_CODEC_ID_DPX,        AV_CODEC_ID_EXR,
        AV_CODEC_ID_QOI,        AV_CODEC_ID_MAGICYUV,   AV_CODEC_ID_WRAPPED_AVFRAME,
    };
    return std::ranges::find(ids, codec) != ids.end();
}

bool is_adts(const AVPacket& packet) {
    return packet.size > 1 && packet.data[0] == 0xff && (packet.data[1] & 0xf0) == 0xf0;
}

// Object type, rate and channels are the first two bytes (ISO 14496-3, 1.6.2.1); what follows may be left out.
bool configurations_differ(const AVCodecParameters& before, const AVCodecParameters& now) {
    constexpr std::size_t told = 2;
    return header_of(before).size() >= told && header_of(now).size() >= told &&
           !std::ranges::equal(header_of(before).first(told), header_of(now).first(told));
}

// The setup of Vorbis, the last of three headers behind the lengths of the first two (Vorbis I, 4.2; lacing as in Ogg
// and Matroska); the second one has the title that is played. Nothing where it is otherwise.
std::span<const std::uint8_t> vorbis_setup(const AVCodecParameters& codec) {
    constexpr std::uint8_t go_on = 255;
    const std::span<const std::uint8_t> header = header_of(codec);
    std::size_t at = 1;
    std::size_t before = 0;
    for (int lengths = 0; lengths < 2 && at < header.size(); ++at) {
        before += header[at];
        lengths += header[at] < go_on ? 1 : 0;
    }
    const bool laced = !header.empty() && header.front() == 2 && before < header.size() - std::min(at, header.size());
    return laced ? header.subspan(at + before) : std::span<const std::uint8_t>{};
}

bool vorbis_headers_differ(const AVCodecParameters& before, const AVCodecParameters& now) {
    const auto one = vorbis_setup(before);
    const auto other = vorbis_setup(now);
    return one.empty() || other.empty() ? headers_differ(before, now) : !std::ranges::equal(one, other);
}

// What a decoder takes from the header of sound alone. Frames of FLAC are whole without it; of that of AAC the first
// two bytes are enough, and that of Opus says first how much of the beginning is not heard and what the rate once was
// (RFC 7845, 5.1), which changes with each sender.
bool sound_headers_differ(const AVCodecParameters& before, const AVCodecParameters& now) {
    constexpr std::size_t opus_gain = 16;
    switch (now.codec_id) {
        case AV_CODEC_ID_AAC:
            return configurations_differ(before, now);
        case AV_CODEC_ID_VORBIS:
            return vorbis_headers_differ(before, now);
        case AV_CODEC_ID_FLAC:
            return false;
        case AV_CODEC_ID_OPUS:
            return header_of(before).size() > opus_gain && header_of(now).size() > opus_gain &&
                   !std::ranges::equal(header_of(before).subspan(opus_gain), header_of(now).subspan(opus_gain));
        default:
            return headers_differ(before, now);
    }
}

// H.264 and HEVC with their headers in the container begin with a version; those in the stream with zeroes.
bool has_outer_header(const AVCodecParameters& codec) {
    return (codec.codec_id == AV_CODEC_ID_H264 || codec.codec_id == AV_CODEC_ID_HEVC) && !header_of(codec).empty() &&
           header_of(codec).front() == 1;
}

}  // namespace

bool have_changed(const AVCodecParameters& before, const AVCodecParameters& now) {
    return headers_differ(before, now) ||
           (now.codec_type == AVMEDIA_TYPE_VIDEO ? pictures_differ(before, now) : sounds_differ(before, now));
}

bool decoder_follows(const AVCodecParameters& before, const AVCodecParameters& now) {
    const bool same = !pictures_differ(before, now) &&
                      !differ(before.bits_per_coded_sample, now.bits_per_coded_sample) &&
                      (before.codec_id == AV_CODEC_ID_RAWVIDEO || !headers_differ(before, now));
    return same || tells_pictures_itself(now.codec_id);
}

bool copy_follows(const AVCodecParameters& before, const AVCodecParameters& now, const AVPacket& packet) {
    if (now.codec_type == AVMEDIA_TYPE_VIDEO) {
        return decoder_follows(before, now) && !(has_outer_header(before) && headers_differ(before, now));
    }
    if (now.codec_type != AVMEDIA_TYPE_AUDIO || tells_sound_itself(now.codec_id)) {
        return true;
    }
    return (now.codec_id == AV_CODEC_ID_AAC && is_adts(packet)) ||
           !(sounds_differ(before, now) || sound_headers_differ(before, now));
}

std::string what_has_changed(const AVCodecParameters& before, const AVCodecParameters& now) {
    if (now.codec_type == AVMEDIA_TYPE_AUDIO && sounds_differ(before, now)) {
        return "sound of another rate or other channels";
    }
    if (now.codec_type == AVMEDIA_TYPE_VIDEO && pictures_differ(before, now)) {
        return "pictures of another kind";
    }
    return fmt::format("{} with another header", now.codec_type == AVMEDIA_TYPE_AUDIO ? "sound" : "pictures");
}

BufferPtr share_parameters(const AVCodecParameters& parameters) {
    AVCodecParameters* copy = avcodec_parameters_alloc();
    if (copy == nullptr || avcodec_parameters_copy(copy, &parameters) < 0) {
        avcodec_parameters_free(&copy);
        throw std::bad_alloc();
    }
    const auto release = [](void* /*unused*/, std::uint8_t* data) {
        auto* held = reinterpret_cast<AVCodecParameters*>(data);
        avcodec_parameters_free(&held);
    };
    BufferPtr shared(av_buffer_create(reinterpret_cast<std::uint8_t*>(copy), sizeof(*copy), release, nullptr,
                                      AV_BUFFER_FLAG_READONLY));
    if (!shared) {
        avcodec_parameters_free(&copy);
        throw std::bad_alloc();
    }
    return shared;
}

void attach_parameters(AVPacket& packet, const BufferPtr& shared) {
    BufferPtr own(av_buffer_ref(shared.get()));
    if (!own) {
        throw std::bad_alloc();
    }
    av_buffer_unref(&packet.opaque_ref);
    packet.opaque_ref = own.release();
    packet.opaque = &parameters_mark;
}

const AVCodecParameters* attached_parameters(const AVPacket& packet) {
    return packet.opaque == &parameters_mark && packet.opaque_ref != nullptr
               ? reinterpret_cast<const AVCodecParameters*>(packet.opaque_ref->data)
               : nullptr;
}

}  // namespace vfilter
