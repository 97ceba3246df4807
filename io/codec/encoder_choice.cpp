#include "io/codec/encoder_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "io/output/container_rules.h"
#include "io/output/stills.h"

namespace vfilter {

namespace {

// Containers whose default in FFmpeg is older than what people expect.
constexpr std::array<std::string_view, 6> h264_containers{"mp4", "mov", "matroska", "ipod", "mpegts", "flv"};

}  // namespace

const AVCodec& choose_codec(const OutputOptions& options, const AVOutputFormat& container) {
    if (!options.codec.empty()) {
        const AVCodec* codec = avcodec_find_encoder_by_name(options.codec.c_str());
        const AVCodecDescriptor* const descriptor = avcodec_descriptor_get_by_name(options.codec.c_str());
        if (codec == nullptr && descriptor != nullptr) {
            codec = avcodec_find_encoder(descriptor->id);
        }
        if (codec == nullptr || codec->type != AVMEDIA_TYPE_VIDEO) {
            throw Error(ExitCode::encoder,
                        fmt::format("this FFmpeg has no video encoder '{}' (see --list encoders)", options.codec));
        }
        return *codec;
    }
    const std::string_view name = container.name;
    AVCodecID id = container.video_codec;
    if (const std::optional<Stills> stills = stills_of(options)) {
        if (stills->codec == nullptr) {
            throw Error(ExitCode::encoder,
                        fmt::format("{}: this FFmpeg has no encoder for such pictures", options.path));
        }
        return *stills->codec;
    }
    if (std::ranges::find(h264_containers, name) != h264_containers.end()) {
        id = AV_CODEC_ID_H264;
    }
    const AVCodec* const codec = avcodec_find_encoder(id);
    if (id == AV_CODEC_ID_NONE || codec == nullptr) {
        throw Error(ExitCode::encoder,
                    fmt::format("the format {} has no encoder for video here; name one with --codec", name));
    }
    return *codec;
}

std::string encoder_of(const OutputOptions& options, const AVOutputFormat& container) {
    return choose_codec(options, container).name;
}

bool tells_of_pictures(const std::string& encoder) {
    constexpr std::array ids{AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_AV1, AV_CODEC_ID_VP9, AV_CODEC_ID_MJPEG};
    const AVCodec* const codec = avcodec_find_encoder_by_name(encoder.c_str());
    return codec != nullptr && std::ranges::find(ids, codec->id) != ids.end();
}

void check_codec(const OutputOptions& options, const AVOutputFormat& container) {
    const AVCodec& codec = choose_codec(options, container);
    const std::string_view name = container.name;
    // QuickTime borrows AVI's names for codecs where it has none of its own: there the muxer alone knows. A bare bit
    // stream is that of one codec, whatever its muxer takes.
    const bool bare = (container.flags & AVFMT_NOTIMESTAMPS) != 0 && container.audio_codec == AV_CODEC_ID_NONE &&
                      container.video_codec != AV_CODEC_ID_NONE && name != "image2pipe" && name != "yuv4mpegpipe";
    const bool refused =
        name == "mpegts" ? !has_transport_type(codec.id)
        : bare           ? codec.id != container.video_codec
                         : name != "mov" && avformat_query_codec(&container, codec.id, FF_COMPLIANCE_EXPERIMENTAL) == 0;
    if (refused) {
        throw Error(ExitCode::output, fmt::format("{} cannot hold {}, which the encoder {} makes; --codec or another "
                                                  "container",
                                                  container.name, avcodec_get_name(codec.id), codec.name));
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
