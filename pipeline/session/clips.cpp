#include "pipeline/session/clips.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "config/error.h"
#include "io/codec/sound_layouts.h"

namespace vfilter {

namespace {

std::string describe(const AVCodecParameters& codec) {
    std::string text = avcodec_get_name(codec.codec_id);
    if (codec.codec_type == AVMEDIA_TYPE_AUDIO) {
        text += fmt::format(" of {} Hz, {}", codec.sample_rate, name_of_layout(codec.ch_layout));
    } else if (codec.width > 0) {
        text += fmt::format(" of {}x{}", codec.width, codec.height);
    }
    return text;
}

bool is_alike(const AVCodecParameters& a, const AVCodecParameters& b) {
    return std::ranges::equal(std::span(a.extradata, static_cast<std::size_t>(a.extradata_size)),
                              std::span(b.extradata, static_cast<std::size_t>(b.extradata_size))) &&
           describe(a) == describe(b);
}

// Subtitles of words have styles there, which are the first file's then.
bool has_own_header(const AVCodecParameters& codec) {
    return codec.codec_type == AVMEDIA_TYPE_AUDIO || codec.codec_type == AVMEDIA_TYPE_VIDEO;
}

}  // namespace

void check_copied_clips(const RunParts& parts) {
    const Demuxer& input = *parts.demuxer;
    const auto is_encoded = [&](int stream) {
        return input.is_filtered(stream) ||
               std::ranges::any_of(parts.sounds, [stream](const auto& sound) { return sound->stream() == stream; });
    };
    for (int clip = 1; clip < input.clips(); ++clip) {
        for (int stream = 0; stream < static_cast<int>(input.format().nb_streams); ++stream) {
            if (input.file_of(stream) != 0 || !parts.muxer->carries(stream) || is_encoded(stream)) {
                continue;
            }
            const std::optional<StreamOfClip> own = input.stream_of_clip(stream, clip);
            const AVCodecParameters& first = *input.format().streams[stream]->codecpar;
            if (!own || (own->stream.codecpar->codec_id == first.codec_id && !has_own_header(first)) ||
                is_alike(*own->stream.codecpar, first)) {
                continue;
            }
            const AVCodecParameters& codec = *own->stream.codecpar;
            const bool sound = codec.codec_type == AVMEDIA_TYPE_AUDIO;
            const std::string here = describe(codec);
            const std::string there = describe(first);
            throw Error(
                ExitCode::usage,
                fmt::format("--append: {}: stream {} is {}, {}, and cannot be copied behind it; {}",
                            input.appended_file(clip), own->stream.index, here,
                            here == there ? "with another header than the input's"
                                          : fmt::format("and the input's is {}", there),
                            sound ? "--audio aac (or another codec) makes one of both" : "--streams leaves it out"));
        }
    }
}

}  // namespace vfilter
