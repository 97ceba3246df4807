#include "io/output/output_begin.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "io/containers.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

bool counts_any_sound(const AVFormatContext& output) {
    bool any = false;
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        any = any || only_counts_sound(*output.oformat, output.streams[i]->codecpar->codec_id);
    }
    return any;
}

}  // namespace

std::int64_t begin_of_output(const Demuxer& input, const AVFormatContext& output, const StreamMap& map,
                             const std::vector<EncodedVideo>& videos) {
    const AVOutputFormat& container = *output.oformat;
    const EncodedVideo& video = videos.front();
    const std::int64_t first = first_picture_of_output(input, video);
    const bool avi = is_avi(container);
    if (only_counts_pictures(container) || (avi && input.part().start)) {
        return first - input.part().shift;
    }
    if (avi) {
        const bool told = !input.live() && input.format().start_time != AV_NOPTS_VALUE;
        const std::int64_t begin = told ? input.format().start_time : input.part().shift;
        const AVRational unit = output.streams[map.place(video.stream)]->time_base;
        const std::int64_t units = std::max<std::int64_t>(av_rescale_q(first - begin, microseconds_base, unit), 0);
        if (constexpr double seen = 0.1; static_cast<double>(units) * av_q2d(unit) > seen) {
            spdlog::warn(
                "avi begins with a picture: the first one is shown from the beginning on, and not from {:.3f} s",
                static_cast<double>(units) * av_q2d(unit));
        }
        return first - microseconds(units, unit) - input.part().shift;
    }
    if (input.live() || input.part().shift != 0) {
        return 0;
    }
    if (is_ogg(container) && counts_any_sound(output)) {
        return std::max<std::int64_t>(input.part().input_begin, 0);  // its first sample is at 0
    }
    std::int64_t earliest = 0;
    if (is_quicktime(container)) {
        // Priming stays there.
        for (unsigned i = 0; i < input.format().nb_streams; ++i) {
            const AVStream& stream = *input.format().streams[i];
            if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO && map.place(static_cast<int>(i)) >= 0 &&
                stream.start_time != AV_NOPTS_VALUE) {
                const std::int64_t begin = microseconds(stream.start_time, stream.time_base);
                earliest = is_priming(begin) ? earliest : std::min(earliest, begin);
            }
        }
        for (const EncodedVideo& each : videos) {
            earliest = std::min(
                earliest, av_rescale_q_rnd(each.first->pts, each.made->time_base, microseconds_base, AV_ROUND_DOWN));
        }
    }
    return earliest;
}

void PicturePhases::begin(int stream, std::int64_t first, AVRational clock, AVRational unit) {
    phases_[stream] = first - av_rescale_q(av_rescale_q(first, clock, unit), unit, clock);
}

void PicturePhases::move(AVPacket& packet, int stream) const {
    if (const auto phase = phases_.find(stream); phase != phases_.end()) {
        move_times(packet, -phase->second);
    }
}

}  // namespace vfilter
