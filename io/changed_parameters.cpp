#include "io/changed_parameters.h"

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

// And of these the container says what pictures they are.
bool needs_container(AVCodecID codec) {
    constexpr std::array ids{AV_CODEC_ID_RAWVIDEO, AV_CODEC_ID_V210,      AV_CODEC_ID_V210X,   AV_CODEC_ID_V308,
                             AV_CODEC_ID_V408,     AV_CODEC_ID_V410,      AV_CODEC_ID_R210,    AV_CODEC_ID_R10K,
                             AV_CODEC_ID_AVRP,     AV_CODEC_ID_AYUV,      AV_CODEC_ID_YUV4,    AV_CODEC_ID_Y41P,
                             AV_CODEC_ID_012V,     AV_CODEC_ID_BITPACKED, AV_CODEC_ID_HUFFYUV, AV_CODEC_ID_FFVHUFF,
                             AV_CODEC_ID_UTVIDEO,  AV_CODEC_ID_FFV1,      AV_CODEC_ID_THEORA};
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
    return same || !needs_container(now.codec_id);
}

bool copy_follows(const AVCodecParameters& before, const AVCodecParameters& now, const AVPacket& packet) {
    if (now.codec_type == AVMEDIA_TYPE_VIDEO) {
        return decoder_follows(before, now) && !(has_outer_header(before) && headers_differ(before, now));
    }
    if (now.codec_type != AVMEDIA_TYPE_AUDIO || tells_sound_itself(now.codec_id)) {
        return true;
    }
    const bool aac = now.codec_id == AV_CODEC_ID_AAC;
    return (aac && is_adts(packet)) || !(sounds_differ(before, now) || (aac && configurations_differ(before, now)));
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
