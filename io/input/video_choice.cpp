#include "io/input/video_choice.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "io/compat.h"
#include "io/demuxers.h"
#include "io/source.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

std::string describe_video(const AVStream& stream) {
    const bool part = (stream.disposition & AV_DISPOSITION_DEPENDENT) != 0;
    return fmt::format("{} {}x{}{}", describe(stream), stream.codecpar->width, stream.codecpar->height,
                       part ? " (alpha or depth of another)" : "");
}

// Two cameras in one file look like one where only one is filtered: whoever wanted faces blurred has to know.
void tell_choice(const AVFormatContext& format, const std::vector<int>& real, const std::vector<int>& chosen) {
    std::string others;
    for (const int stream : real) {
        if (std::ranges::find(chosen, stream) == chosen.end()) {
            others += fmt::format("{}{}", others.empty() ? "" : ", ", describe_video(*format.streams[stream]));
        }
    }
    spdlog::warn("of several videos only {} is filtered; not filtered: {}. --video-stream chooses, or takes all",
                 describe_video(*format.streams[chosen.front()]), others);
}

// An icon is one picture in several sizes and depths, of which libavformat takes the first one.
int largest_picture(const AVFormatContext& format, const std::vector<int>& real) {
    const auto samples = [&](int stream) {
        const AVCodecParameters& facts = *format.streams[stream]->codecpar;
        const auto* const layout = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(facts.format));
        const std::int64_t size = std::int64_t{facts.width} * facts.height;
        return std::pair(size, layout != nullptr ? av_get_padded_bits_per_pixel(layout) : 0);
    };
    return *std::ranges::max_element(real, {}, samples);
}

}  // namespace

std::vector<int> choose_videos(AVFormatContext& format, const InputOptions& options) {
    const std::string name = shown_name(options.path);
    std::vector<int> real;
    for (unsigned i = 0; i < format.nb_streams; ++i) {
        if (format.streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_attached_picture(*format.streams[i])) {
            real.push_back(static_cast<int>(i));
        }
    }
    if (real.empty()) {
        throw Error(ExitCode::input, fmt::format("{}: holds no video", name));
    }
    if (format.streams[real.front()]->codecpar->codec_id == AV_CODEC_ID_FITS) {
        throw Error(ExitCode::input, fmt::format("{}: FITS is not read, as FFmpeg stretches its values to the range of "
                                                 "16 bits, those of each picture by itself",
                                                 name));
    }
    const std::string& wanted = options.video_stream;
    if ((wanted.empty() || wanted == "all") && is_in_tiles(format)) {
        throw Error(ExitCode::input,
                    fmt::format("{}: the picture is in {} tiles, which are not put together", name, real.size()));
    }
    if (wanted == "all") {
        return real;
    }
    std::vector<int> chosen;
    if (wanted.empty()) {
        const int best = av_find_best_stream(&format, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
        const auto is_part = [&](int stream) {
            return (format.streams[stream]->disposition & AV_DISPOSITION_DEPENDENT) != 0;
        };
        const auto whole = std::ranges::find_if_not(real, is_part);
        if (demuxer_facts(*format.iformat).has(input_fact::icons)) {
            chosen = {largest_picture(format, real)};
        } else {
            chosen = {std::ranges::find(real, best) != real.end() && (!is_part(best) || whole == real.end()) ? best
                      : whole != real.end()                                                                  ? *whole
                                            : real.front()};
        }
    } else {
        const auto number = static_cast<std::size_t>(std::stoul(wanted));
        if (number >= real.size()) {
            throw Error(ExitCode::usage, fmt::format("--video-stream: {} has {} video stream{}, numbered from 0", name,
                                                     real.size(), real.size() == 1 ? "" : "s"));
        }
        chosen = {real[number]};
    }
    if (real.size() > chosen.size()) {
        tell_choice(format, real, chosen);
    }
    return chosen;
}

}  // namespace vfilter
