#include "io/codec/sound/sound_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <tuple>
#include <vector>

#include "io/codec/sound/sound_layouts.h"
#include "io/compat.h"
#include "io/containers.h"

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
// PCM as deep as the sound is, where the container takes any.
constexpr std::string_view plain_name = "pcm";

// What takes the place of sound that a container cannot hold, the best first.
struct UsualSound {
    std::string_view container;
    std::array<const char*, 3> lossless;
    std::array<const char*, 2> lossy;
};
constexpr UsualSound usual_sounds[] = {
    {"webm", {}, {"libopus", "libvorbis"}},
    {"matroska", {"flac"}, {"libopus", "aac"}},
    {"mp4", {"alac", "flac", "pcm"}, {"aac"}},
    {"mov", {"alac", "pcm"}, {"aac"}},
    {"ipod", {"alac"}, {"aac"}},
    {"3gp", {}, {"aac"}},
    {"3g2", {}, {"aac"}},
    {"mpegts", {}, {"aac", "ac3"}},
    {"flv", {}, {"aac", "libmp3lame"}},
    {"avi", {"pcm"}, {"libmp3lame", "ac3"}},
    {"asf", {"pcm"}, {"wmav2", "ac3"}},
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

// FFmpeg's muxers of it, or the encoders of its only codec, take no other.
struct OnlyRate {
    std::string_view container;
    int rate;
};
constexpr OnlyRate only_rates[] = {{"mxf", 48000}, {"mxf_d10", 48000}, {"mxf_opatom", 48000}, {"roq", 22050}};

bool takes_codec(const AVOutputFormat& container, AVCodecID codec) {
    if (is_unread(container, codec)) {
        return false;
    }
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

// Of each sample of sound without loss, as a number that a codec of that many bits keeps.
struct Depth {
    int bits = 0;
    bool is_float = false;
};

Depth depth_of(const AVCodecParameters& sound) {
    const auto format = static_cast<AVSampleFormat>(sound.format);
    const int told =
        std::max({sound.bits_per_raw_sample, sound.bits_per_coded_sample, av_get_bits_per_sample(sound.codec_id)});
    const int held = format != AV_SAMPLE_FMT_NONE ? 8 * av_get_bytes_per_sample(format) : 0;
    return {told > 0 ? told : held, is_float(format)};
}

// What an encoder without loss keeps at most. Samples of 32 bits are of 24 for those that are not named.
Depth depth_of(const AVCodec& encoder) {
    constexpr int usual = 24;
    const int plain = av_get_bits_per_sample(encoder.id);
    const AVSampleFormat* const taken = encoder_sample_formats(encoder);
    if (plain > 0) {
        return {plain, taken != nullptr && is_float(*taken)};
    }
    return encoder.id == AV_CODEC_ID_WAVPACK ? Depth{32, true} : Depth{usual, false};
}

bool keeps(const Depth& encoder, const Depth& sound) {
    return encoder.bits >= sound.bits && (encoder.is_float || !sound.is_float);
}

// FFmpeg's muxer of MXF refuses deeper ones, which avformat_query_codec() does not know.
constexpr int deepest_in_mxf = 24;

// The shallowest PCM that the container takes and that keeps the sound; else the best one. Null where it takes none.
const AVCodec* plain_encoder(const AVOutputFormat& container, const AVCodecParameters& sound) {
    constexpr AVCodecID plain[] = {AV_CODEC_ID_PCM_S16LE, AV_CODEC_ID_PCM_S24LE, AV_CODEC_ID_PCM_S32LE,
                                   AV_CODEC_ID_PCM_F32LE, AV_CODEC_ID_PCM_F64LE};
    const Depth wanted = is_lossless_sound(sound.codec_id) ? depth_of(sound) : Depth{};
    const AVCodec* best = nullptr;
    for (const AVCodecID id : plain) {
        const AVCodec* const encoder = avcodec_find_encoder(id);
        const bool mxf = is_mxf(container);
        if (encoder == nullptr || !takes_codec(container, id) || (mxf && av_get_bits_per_sample(id) > deepest_in_mxf)) {
            continue;
        }
        best = encoder;
        if (keeps(depth_of(*encoder), wanted)) {
            break;
        }
    }
    return best;
}

AVChannelLayout layout_of(const AVCodecParameters& sound) {
    AVChannelLayout layout = sound.ch_layout;
    complete_layout(layout);
    return layout;
}

}  // namespace

const AVCodec& named_sound_encoder(const std::string& name, const AVOutputFormat& container,
                                   const AVCodecParameters& sound) {
    if (const AVCodec* const plain = name == plain_name ? plain_encoder(container, sound) : nullptr) {
        return *plain;
    }
    const auto* const row = std::ranges::find(sound_names, name, &SoundName::name);
    const AVCodec* codec = row != std::end(sound_names) ? avcodec_find_encoder_by_name(row->encoder) : nullptr;
    codec = codec != nullptr ? codec : avcodec_find_encoder_by_name(name.c_str());
    const AVCodecDescriptor* const descriptor = avcodec_descriptor_get_by_name(name.c_str());
    if (codec == nullptr && descriptor != nullptr) {
        codec = avcodec_find_encoder(descriptor->id);
    }
    const bool language =
        name.size() == 3 && std::ranges::all_of(name, [](char letter) { return letter >= 'a' && letter <= 'z'; });
    if (codec == nullptr && descriptor == nullptr && language) {
        throw Error(ExitCode::usage, fmt::format("--audio: '{0}' is none of auto, copy, none, and no codec of sound; "
                                                 "the sounds in a language are kept by --streams all,audio:{0}",
                                                 name));
    }
    if (codec == nullptr || codec->type != AVMEDIA_TYPE_AUDIO) {
        throw Error(ExitCode::encoder, fmt::format("this FFmpeg has no encoder of sound '{}' (aac, opus, flac, mp3, "
                                                   "ac3, vorbis, alac, pcm are usual)",
                                                   name));
    }
    return *codec;
}

const AVCodec* usual_sound_encoder(const AVOutputFormat& container, const AVCodecParameters& sound, bool compressed) {
    if (avcodec_find_decoder(sound.codec_id) == nullptr || sound.sample_rate <= 0) {
        return nullptr;
    }
    const bool lossless = is_lossless_sound(sound.codec_id) && !compressed;
    std::vector<const AVCodec*> candidates;
    const auto add = [&](const AVCodec* codec) {
        if (codec != nullptr && takes_codec(container, codec->id)) {
            candidates.push_back(codec);
        }
    };
    const auto add_named = [&](const char* name) {
        if (name != nullptr) {
            add(name == plain_name ? plain_encoder(container, sound) : avcodec_find_encoder_by_name(name));
        }
    };
    const auto* const row = std::ranges::find(usual_sounds, std::string_view(container.name), &UsualSound::container);
    if (row == std::end(usual_sounds)) {
        const AVCodec* const usual = avcodec_find_encoder(container.audio_codec);
        const bool plain = usual != nullptr && usual->id == AV_CODEC_ID_PCM_S16LE && lossless;
        add(plain ? plain_encoder(container, sound) : usual);
    } else {
        if (lossless) {
            std::ranges::for_each(row->lossless, add_named);
        }
        std::ranges::for_each(row->lossy, add_named);
    }
    if (candidates.empty()) {
        return nullptr;
    }
    const AVChannelLayout given = layout_of(sound);
    const auto cost = [&](const AVCodec* codec) {
        const AVChannelLayout made = nearest_layout(container, *codec, given);
        const bool loses = lossless && !(is_lossless_sound(codec->id) && keeps(depth_of(*codec), depth_of(sound)));
        return std::tuple(places_of(given, made).mixed.size(), lossless && !is_lossless_sound(codec->id), loses,
                          made.nb_channels);
    };
    return *std::ranges::min_element(candidates, {}, cost);
}

const AVCodec* same_sound_encoder(const AVOutputFormat& container, const AVCodecParameters& sound) {
    const AVCodec* const usual = usual_sound_encoder(container, sound);
    const char* const codec = avcodec_get_name(sound.codec_id);
    const auto* const row = std::ranges::find(sound_names, std::string_view(codec), &SoundName::name);
    const AVCodec* const same = row != std::end(sound_names) ? avcodec_find_encoder_by_name(row->encoder)
                                                             : avcodec_find_encoder(sound.codec_id);
    const bool fits = usual != nullptr && same != nullptr && (same->capabilities & AV_CODEC_CAP_EXPERIMENTAL) == 0;
    return fits && !container_of(container).has(fact::nowhere) ? same : usual;
}

std::string loss_of(const AVCodecParameters& sound, const AVCodec& encoder) {
    if (!is_lossless_sound(sound.codec_id)) {
        return "";
    }
    if (!is_lossless_sound(encoder.id)) {
        return ", with loss";
    }
    const Depth given = depth_of(sound);
    const Depth kept = depth_of(encoder);
    return keeps(kept, given) ? ""
                              : fmt::format(", with loss: {} bits of {}{}", kept.bits, given.bits,
                                            given.is_float && !kept.is_float ? " of floating point" : "");
}

void check_sound_encoder(const AVOutputFormat& container, const AVCodec& encoder) {
    if (container.audio_codec == AV_CODEC_ID_NONE && !takes_codec(container, encoder.id)) {
        throw Error(ExitCode::output,
                    fmt::format("{} holds no sound: --audio none, or another container", name_of_output(container)));
    }
    if (!takes_codec(container, encoder.id)) {
        throw Error(ExitCode::output,
                    fmt::format("{} cannot hold {}, which the encoder {} makes; --audio auto takes what it holds",
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
            nearest_layout(container, encoder, given.channels)};
}

int lossless_bits(const AVCodec& encoder) {
    return depth_of(encoder).bits;
}

std::int64_t usual_bitrate(const AVCodec& encoder, int channels) {
    const auto* const row = std::ranges::find(usual_rates, encoder.id, &UsualRate::codec);
    return row == std::end(usual_rates) ? 0 : std::min(row->per_channel * channels, row->most);
}

}  // namespace vfilter
