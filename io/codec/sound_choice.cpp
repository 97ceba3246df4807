#include "io/codec/sound_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "io/compat.h"
#include "io/output/container_rules.h"

namespace vfilter {

namespace {

// Names that people use, where FFmpeg's first encoder of that codec is not the one that is meant.
struct SoundName {
    std::string_view name;
    const char* encoder;
};
constexpr SoundName sound_names[] = {
    {"opus", "libopus"}, {"vorbis", "libvorbis"}, {"mp3", "libmp3lame"}, {"pcm", "pcm_s16le"}, {"pcm24", "pcm_s24le"},
};

// What takes the place of sound that a container cannot hold, the best first.
struct UsualSound {
    std::string_view container;
    std::array<const char*, 2> lossless;
    std::array<const char*, 2> lossy;
};
constexpr UsualSound usual_sounds[] = {
    {"webm", {}, {"libopus", "libvorbis"}},
    {"matroska", {"flac"}, {"libopus", "aac"}},
    {"mp4", {"alac", "flac"}, {"aac"}},
    {"mov", {"alac"}, {"aac"}},
    {"ipod", {"alac"}, {"aac"}},
    {"3gp", {}, {"aac"}},
    {"3g2", {}, {"aac"}},
    {"mpegts", {}, {"aac", "ac3"}},
    {"flv", {}, {"aac", "libmp3lame"}},
    {"avi", {"pcm_s16le"}, {"libmp3lame", "ac3"}},
    {"ogg", {"flac"}, {"libopus", "libvorbis"}},
    {"ogv", {"flac"}, {"libvorbis"}},
    {"nut", {"flac"}, {"libopus", "aac"}},
};

struct UsualRate {
    AVCodecID codec;
    std::int64_t per_channel;  // bits per second
    std::int64_t most;
};
constexpr UsualRate usual_rates[] = {
    {AV_CODEC_ID_AAC, 96'000, 512'000},   {AV_CODEC_ID_OPUS, 64'000, 510'000},  {AV_CODEC_ID_MP3, 96'000, 320'000},
    {AV_CODEC_ID_AC3, 96'000, 640'000},   {AV_CODEC_ID_EAC3, 96'000, 640'000},  {AV_CODEC_ID_VORBIS, 80'000, 480'000},
    {AV_CODEC_ID_WMAV2, 96'000, 192'000}, {AV_CODEC_ID_WMAV1, 96'000, 192'000},
};

// FFmpeg's muxers of it take no other.
struct OnlyRate {
    std::string_view container;
    int rate;
};
constexpr OnlyRate only_rates[] = {{"mxf", 48000}, {"mxf_d10", 48000}, {"mxf_opatom", 48000}};

bool takes_codec(const AVOutputFormat& container, AVCodecID codec) {
    return is_transport_stream(container) ? has_transport_type(codec)
                                          : avformat_query_codec(&container, codec, FF_COMPLIANCE_NORMAL) != 0;
}

bool is_float(AVSampleFormat format) {
    const AVSampleFormat packed = av_get_packed_sample_fmt(format);
    return packed == AV_SAMPLE_FMT_FLT || packed == AV_SAMPLE_FMT_DBL;
}

AVSampleFormat nearest_samples(const AVCodec& encoder, AVSampleFormat given) {
    const AVSampleFormat* taken = encoder_sample_formats(encoder);
    if (taken == nullptr) {
        return given;
    }
    // The same samples, only laid out in another way; else as many bits or more, and the same kind of number.
    const auto score = [&](AVSampleFormat format) {
        const int more = av_get_bytes_per_sample(format) - av_get_bytes_per_sample(given);
        return format == given ? 100
               : av_get_packed_sample_fmt(format) == av_get_packed_sample_fmt(given)
                   ? 90
                   : (more >= 0 ? 50 - more : 20 + more) + (is_float(format) == is_float(given) ? 5 : 0);
    };
    AVSampleFormat best = *taken;
    for (; *taken != AV_SAMPLE_FMT_NONE; ++taken) {
        best = score(*taken) > score(best) ? *taken : best;
    }
    return best;
}

int nearest_rate(const AVCodec& encoder, int given) {
    const int* taken = encoder_sample_rates(encoder);
    if (taken == nullptr) {
        return given;
    }
    int above = 0;
    int highest = 0;
    for (; *taken != 0; ++taken) {
        if (*taken >= given && (above == 0 || *taken < above)) {
            above = *taken;
        }
        highest = std::max(highest, *taken);
    }
    return above != 0 ? above : highest;
}

AVChannelLayout nearest_channels(const AVCodec& encoder, const AVChannelLayout& given) {
    const AVChannelLayout* taken = encoder_channel_layouts(encoder);
    AVChannelLayout usual{};
    av_channel_layout_default(&usual, given.nb_channels);
    if (taken == nullptr) {
        // libopus knows one order for each number of channels.
        if (encoder.id == AV_CODEC_ID_OPUS && (given.nb_channels == 3 || given.nb_channels == 4)) {
            av_channel_layout_from_mask(&usual, given.nb_channels == 3 ? AV_CH_LAYOUT_SURROUND : AV_CH_LAYOUT_QUAD);
        }
        const bool fixed = encoder.id == AV_CODEC_ID_OPUS || given.order != AV_CHANNEL_ORDER_NATIVE;
        return fixed ? usual : given;
    }
    const AVChannelLayout* best = nullptr;
    for (; taken->nb_channels != 0; ++taken) {
        if (given.order == AV_CHANNEL_ORDER_NATIVE && av_channel_layout_compare(taken, &given) == 0) {
            return *taken;
        }
        const bool fits = taken->nb_channels <= given.nb_channels;
        const bool better = best == nullptr || taken->nb_channels > best->nb_channels ||
                            (taken->nb_channels == best->nb_channels && av_channel_layout_compare(taken, &usual) == 0);
        best = fits && better ? taken : best;
    }
    return best != nullptr ? *best : usual;
}

}  // namespace

const AVCodec& named_sound_encoder(const std::string& name) {
    const auto* const row = std::ranges::find(sound_names, name, &SoundName::name);
    const AVCodec* codec = row != std::end(sound_names) ? avcodec_find_encoder_by_name(row->encoder) : nullptr;
    codec = codec != nullptr ? codec : avcodec_find_encoder_by_name(name.c_str());
    const AVCodecDescriptor* const descriptor = avcodec_descriptor_get_by_name(name.c_str());
    if (codec == nullptr && descriptor != nullptr) {
        codec = avcodec_find_encoder(descriptor->id);
    }
    if (codec == nullptr || codec->type != AVMEDIA_TYPE_AUDIO) {
        throw Error(ExitCode::encoder, fmt::format("this FFmpeg has no encoder of sound '{}' (aac, opus, flac, mp3, "
                                                   "ac3, vorbis, alac, pcm are usual)",
                                                   name));
    }
    return *codec;
}

// Whether 16 bits would lose something that is there: of sound without loss.
static bool is_deep(const AVCodecParameters& sound) {
    constexpr int usual = 16;
    return is_lossless_sound(sound.codec_id) && std::max({sound.bits_per_raw_sample, sound.bits_per_coded_sample,
                                                          av_get_bits_per_sample(sound.codec_id)}) > usual;
}

const AVCodec* usual_sound_encoder(const AVOutputFormat& container, const AVCodecParameters& sound, bool compressed) {
    if (avcodec_find_decoder(sound.codec_id) == nullptr || sound.sample_rate <= 0) {
        return nullptr;
    }
    std::vector<const AVCodec*> candidates;
    const auto* const row = std::ranges::find(usual_sounds, std::string_view(container.name), &UsualSound::container);
    const auto add = [&](const std::array<const char*, 2>& names) {
        for (const char* const name : names) {
            candidates.push_back(name != nullptr ? avcodec_find_encoder_by_name(name) : nullptr);
        }
    };
    if (row != std::end(usual_sounds)) {
        if (is_lossless_sound(sound.codec_id) && !compressed) {
            add(row->lossless);
        }
        add(row->lossy);
    } else if (container.audio_codec != AV_CODEC_ID_NONE) {
        candidates.push_back(avcodec_find_encoder(container.audio_codec));
    }
    const auto fits = [&](const AVCodec* codec) { return codec != nullptr && takes_codec(container, codec->id); };
    const auto found = std::ranges::find_if(candidates, fits);
    if (found == candidates.end()) {
        return nullptr;
    }
    const bool deep =
        (*found)->id == AV_CODEC_ID_PCM_S16LE && is_deep(sound) && takes_codec(container, AV_CODEC_ID_PCM_S24LE);
    return deep ? avcodec_find_encoder(AV_CODEC_ID_PCM_S24LE) : *found;
}

void check_sound_encoder(const AVOutputFormat& container, const AVCodec& encoder) {
    if (container.audio_codec == AV_CODEC_ID_NONE && !takes_codec(container, encoder.id)) {
        throw Error(ExitCode::output,
                    fmt::format("{} holds no sound: --audio none, or another container", name_of_output(container)));
    }
    if (!takes_codec(container, encoder.id)) {
        throw Error(ExitCode::output,
                    fmt::format("{} cannot hold {}, which the encoder {} makes; --audio or another container",
                                name_of_output(container), avcodec_get_name(encoder.id), encoder.name));
    }
}

bool is_lossless_sound(AVCodecID codec) {
    if (codec == AV_CODEC_ID_WAVPACK) {
        return true;  // but for its hybrid files, of which the stream does not tell
    }
    const AVCodecDescriptor* const facts = avcodec_descriptor_get(codec);
    return facts != nullptr && (facts->props & AV_CODEC_PROP_LOSSLESS) != 0 &&
           (facts->props & AV_CODEC_PROP_LOSSY) == 0;
}

SoundFormat nearest_taken(const AVOutputFormat& container, const AVCodec& encoder, const SoundFormat& given) {
    const auto* const only = std::ranges::find(only_rates, std::string_view(container.name), &OnlyRate::container);
    const int rate = only != std::end(only_rates) ? only->rate : given.rate;
    return {nearest_samples(encoder, given.samples), nearest_rate(encoder, rate),
            nearest_channels(encoder, given.channels)};
}

std::int64_t usual_bitrate(const AVCodec& encoder, int channels) {
    const auto* const row = std::ranges::find(usual_rates, encoder.id, &UsualRate::codec);
    return row == std::end(usual_rates) ? 0 : std::min(row->per_channel * channels, row->most);
}

void complete_layout(AVChannelLayout& channels) {
    if (channels.order == AV_CHANNEL_ORDER_UNSPEC) {
        const int count = channels.nb_channels;
        av_channel_layout_default(&channels, count);
    }
}

}  // namespace vfilter
