#include "io/codec/encoder_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "config/encoder_facts.h"
#include "config/letters.h"
#include "io/containers.h"
#include "io/stills.h"

namespace vfilter {

namespace {

const AVCodec* find_common(std::string_view name) {
    const auto* const row = std::ranges::find(common_encoders, name, &CommonEncoder::name);
    if (row != std::end(common_encoders)) {
        for (const char* const encoder : row->encoders) {
            if (const AVCodec* const codec = encoder != nullptr ? avcodec_find_encoder_by_name(encoder) : nullptr) {
                return codec;
            }
        }
    }
    return nullptr;
}

// The codec that is meant by letters that containers have for it, such as XVID, mp4v or avc1, or by its name in
// capitals; "" if by none.
std::string codec_of_letters(const std::string& typed) {
    std::array<std::string, 3> spellings{typed, lower_case(typed), typed};
    std::ranges::transform(typed, spellings[2].begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    if (const std::string& lower = spellings[1]; find_common(lower) != nullptr) {
        return lower;
    }
    const AVCodecTag* const tables[] = {avformat_get_riff_video_tags(), avformat_get_mov_video_tags(), nullptr};
    for (const std::string& letters : spellings) {
        const AVCodecDescriptor* const named = avcodec_descriptor_get_by_name(letters.c_str());
        AVCodecID id = named != nullptr ? named->id : AV_CODEC_ID_NONE;
        if (constexpr std::size_t fourcc = 4; id == AV_CODEC_ID_NONE && letters.size() == fourcc) {
            id = av_codec_get_id(tables, MKTAG(letters[0], letters[1], letters[2], letters[3]));
        }
        const AVCodec* const encoder = avcodec_find_encoder(id);
        if (encoder != nullptr && encoder->type == AVMEDIA_TYPE_VIDEO) {
            return avcodec_get_name(id);
        }
    }
    return "";
}

// Whether it takes no pictures that are not in a device's memory, where none are.
bool takes_device_memory(std::string_view encoder) {
    const EncodingHardware* const hardware = hardware_of(encoder);
    return hardware != nullptr && hardware->own_memory;
}

[[noreturn]] void refuse_codec(const std::string& name) {
    if (name == "copy") {
        throw Error(ExitCode::encoder,
                    "--codec copy: filtered video always has to be encoded; --codec ffv1 encodes it without loss");
    }
    if (const std::string instead = instead_of_hardware(name); !instead.empty()) {
        throw Error(ExitCode::encoder, fmt::format("--codec {}: {}", name, instead));
    }
    const std::string meant = codec_of_letters(name);
    throw Error(ExitCode::encoder, fmt::format("this FFmpeg has no video encoder '{}' ({})", name,
                                               meant.empty() ? "see --list encoders"
                                                             : fmt::format("as a codec that is --codec {}", meant)));
}

std::string no_video_in(const AVOutputFormat& container) {
    return fmt::format("{} can hold sound but no video; to extract the sound, use ffmpeg -i INPUT -vn OUTPUT",
                       container.long_name);
}

}  // namespace

const AVCodec& choose_codec(const OutputOptions& options, const AVOutputFormat& container) {
    const std::string_view name = container.name;
    const bool raw = container_of(container).has(fact::y4m) &&
                     options.codec == "rawvideo";  // as it is, whatever its encoder is called
    if (!options.codec.empty() && !raw) {
        const AVCodec* codec = find_common(options.codec);
        codec = codec != nullptr ? codec : avcodec_find_encoder_by_name(options.codec.c_str());
        const AVCodecDescriptor* const descriptor = avcodec_descriptor_get_by_name(options.codec.c_str());
        if (codec == nullptr && descriptor != nullptr) {
            codec = avcodec_find_encoder(descriptor->id);
        }
        if (codec == nullptr || codec->type != AVMEDIA_TYPE_VIDEO || takes_device_memory(codec->name)) {
            refuse_codec(options.codec);
        }
        return *codec;
    }
    AVCodecID id = container.video_codec;
    if (const std::optional<Stills> stills = stills_of(options)) {
        if (stills->codec == nullptr) {
            throw Error(ExitCode::encoder,
                        fmt::format("{}: this FFmpeg has no encoder for such pictures", options.path));
        }
        return *stills->codec;
    }
    if (container_of(container).has(fact::h264)) {
        id = AV_CODEC_ID_H264;
    }
    // These two hold one kind each, and are called by its name.
    const AVCodec* const common = name == "webp" || name == "avif" ? find_common(name) : nullptr;
    const AVCodec* const codec = common != nullptr ? common : avcodec_find_encoder(id);
    if (holds_sound_alone(container)) {
        throw Error(ExitCode::output, no_video_in(container));
    }
    if (id == AV_CODEC_ID_NONE) {
        throw Error(ExitCode::encoder,
                    fmt::format("the format {} is not for video: give the output another ending, or --format", name));
    }
    if (codec == nullptr) {
        throw Error(ExitCode::encoder,
                    fmt::format("the format {} has no encoder for video here; name one with --codec", name));
    }
    return *codec;
}

std::string instead_of_hardware(std::string_view encoder) {
    const EncodingHardware* const hardware = hardware_of(encoder);
    if (hardware == nullptr) {
        return "";
    }
    const std::string codec(encoder.substr(0, encoder.size() - hardware->ending.size()));
    const auto* const row = std::ranges::find(common_encoders, codec, &CommonEncoder::name);
    std::string names;
    for (const char* const name : row != std::end(common_encoders) ? row->encoders : decltype(row->encoders){}) {
        if (name != nullptr && avcodec_find_encoder_by_name(name) != nullptr) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
        }
    }
    const AVCodec* const own = avcodec_find_encoder_by_name(std::string(encoder).c_str());
    const AVCodec* const usual = own != nullptr ? avcodec_find_encoder(own->id) : nullptr;
    names = names.empty() && usual != nullptr && usual != own ? usual->name : names;
    return fmt::format("no hardware encoders but NVIDIA's are used{}",
                       names.empty() ? " (see --list encoders)" : fmt::format("; {} is made by {}", codec, names));
}

bool takes_work(const AVCodec& encoder) {
    return encoder.id != AV_CODEC_ID_RAWVIDEO && encoder.id != AV_CODEC_ID_WRAPPED_AVFRAME;
}

std::string encoder_of(const OutputOptions& options, const AVOutputFormat& container) {
    return choose_codec(options, container).name;
}

bool makes_palettes(const AVCodec& encoder, const OutputOptions& options) {
    return encoder.id == AV_CODEC_ID_GIF && (options.pix_fmt.empty() || options.pix_fmt == "pal8");
}

bool tells_of_pictures(const std::string& encoder) {
    constexpr std::array ids{AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_VP9, AV_CODEC_ID_MJPEG};
    const AVCodec* const codec = avcodec_find_encoder_by_name(encoder.c_str());
    return codec != nullptr && std::ranges::find(ids, codec->id) != ids.end();
}

// A file of a picture is what its ending says, whatever the muxer takes: FFmpeg's of pictures looks at nothing. Those
// of a sequence are written without one.
void check_still(const OutputOptions& options, const AVCodec& codec) {
    const std::optional<Stills> stills = stills_of(options);
    if (!stills || stills->codec == nullptr) {
        return;
    }
    if (stills->names && !options.muxer_options.empty() && stills->container->priv_class == nullptr) {
        throw Error(ExitCode::usage, fmt::format("--muxer-option: pictures that are files know no option '{}'",
                                                 options.muxer_options.front().first));
    }
    const AVCodecID id = stills->codec->id;
    const bool jpeg = id == AV_CODEC_ID_MJPEG && codec.id == AV_CODEC_ID_LJPEG;
    if (codec.id != id && !jpeg) {
        throw Error(ExitCode::output,
                    fmt::format("{}: such a picture cannot hold {}, which the encoder {} makes; leave "
                                "out --codec, or choose another ending",
                                options.path, avcodec_get_name(codec.id), codec.name));
    }
}

void check_codec(const OutputOptions& options, const AVOutputFormat& container) {
    const AVCodec& codec = choose_codec(options, container);
    check_still(options, codec);
    const bool animates = encoder_facts(codec.name).has(encoder_fact::one_packet);
    if (animates || codec.id == AV_CODEC_ID_A64_MULTI || codec.id == AV_CODEC_ID_A64_MULTI5) {
        throw Error(ExitCode::encoder,
                    fmt::format("the encoder {} makes one packet of several pictures, which are not counted here: {}",
                                codec.name,
                                animates ? "--codec libwebp makes such animations picture by picture"
                                         : "ffmpeg makes it of what another --codec keeps"));
    }
    // QuickTime borrows AVI's names for codecs where it has none of its own: there the muxer alone knows. A bare bit
    // stream is that of one codec, whatever its muxer takes.
    if (holds_sound_alone(container)) {
        throw Error(ExitCode::output, no_video_in(container));
    }
    const bool unread =
        is_unread(container, codec.id) || (is_bluray_stream(container, options.path) && codec.id == AV_CODEC_ID_DIRAC);
    const bool refused = is_transport_stream(container) ? !has_transport_type(codec.id)
                         : has_one_codec(container)
                             ? codec.id != container.video_codec
                             : !container_of(container).has(fact::quicktime) &&
                                   avformat_query_codec(&container, codec.id, FF_COMPLIANCE_EXPERIMENTAL) == 0;
    if (refused || unread) {
        throw Error(ExitCode::output,
                    fmt::format("{} cannot hold {}, which the encoder {} makes; take another --codec or "
                                "container",
                                container.name, avcodec_get_name(codec.id), codec.name));
    }
    if (const unsigned tag = container_tag(container, codec.id, options.video_tag); tag != 0) {
        const AVCodecID named = codec_of_tag(container, codec.id, tag);
        if (named != codec.id) {
            const unsigned usual = av_codec_get_tag(container.codec_tag, codec.id);
            std::array<char, AV_FOURCC_MAX_STRING_SIZE> letters{};
            throw Error(ExitCode::output,
                        fmt::format("--video-tag {}: in {} it stands for {}, and the encoder {} makes {}{}",
                                    options.video_tag, name_of_output(container),
                                    named == AV_CODEC_ID_NONE ? "no codec that is known" : avcodec_get_name(named),
                                    codec.name, avcodec_get_name(codec.id),
                                    usual == 0 ? std::string()
                                               : fmt::format(", {} if not given",
                                                             av_fourcc_make_string(letters.data(), usual))));
        }
    }
}

std::string encoder_list() {
    std::string text;
    void* state = nullptr;
    while (const AVCodec* codec = av_codec_iterate(&state)) {
        if (av_codec_is_encoder(codec) != 0 && codec->type == AVMEDIA_TYPE_VIDEO) {
            text += fmt::format("{:<20}{}\n", codec->name, codec->long_name != nullptr ? codec->long_name : "");
        }
    }
    return text;
}

}  // namespace vfilter
