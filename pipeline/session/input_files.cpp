#include "pipeline/session/input_files.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "config/error.h"
#include "io/codec/sound/sound_choice.h"
#include "io/codec/sound/sound_layouts.h"

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
            if (own && first.codec_type == AVMEDIA_TYPE_VIDEO && first.video_delay > 0) {
                throw Error(
                    ExitCode::usage,
                    fmt::format("--append: stream {} is a video that is copied, whose pictures may come in "
                                "another order than they are shown, which no file can go on; --video-stream all "
                                "filters it, --streams leaves it out",
                                stream));
            }
            if (!own || is_alike(*own->stream.codecpar, first)) {
                continue;
            }
            if (own->stream.codecpar->codec_id == first.codec_id && !has_own_header(first)) {
                spdlog::warn("{}: stream {} has a header of its own (styles), and gets the input's",
                             input.appended_file(clip), own->stream.index);
                continue;
            }
            const AVCodecParameters& codec = *own->stream.codecpar;
            const bool sound = codec.codec_type == AVMEDIA_TYPE_AUDIO;
            const std::string here = describe(codec);
            const std::string there = describe(first);
            throw Error(ExitCode::usage,
                        fmt::format("--append: {}: stream {} is {}, {}, and cannot be copied behind it; {}",
                                    input.appended_file(clip), own->stream.index, here,
                                    here == there ? "with another header than the input's"
                                                  : fmt::format("and the input's is {}", there),
                                    sound ? fmt::format("--audio {} (or another codec) makes one of both",
                                                        is_lossless_sound(first.codec_id) ? "flac" : "aac")
                                          : "--streams leaves it out"));
        }
    }
}

void tell_unused_files(const RunParts& parts, const InputOptions& options) {
    const Demuxer& input = *parts.demuxer;
    for (int file = 1; file <= static_cast<int>(options.added.size()); ++file) {
        bool used = false;
        for (int stream = 0; stream < static_cast<int>(input.format().nb_streams); ++stream) {
            used = used || (input.file_of(stream) == file && parts.muxer->carries(stream));
        }
        if (!used) {
            spdlog::warn(
                "{}: nothing of it is in the output: --streams, --audio and --subtitles say what is kept "
                "(--streams video,audio:@{} has its sound instead of the input's)",
                options.added[static_cast<std::size_t>(file) - 1].path, file);
        }
    }
}

}  // namespace vfilter
