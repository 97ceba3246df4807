#include "io/output/output_times.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>

#include "io/containers.h"
#include "io/packet_times.h"

namespace vfilter {

OutputTimes::OutputTimes(const AVFormatContext& output, std::int64_t shift)
    : output_(&output), shift_(shift), last_(output.nb_streams, AV_NOPTS_VALUE), late_(output.nb_streams) {}

void OutputTimes::go_on_in(const AVFormatContext& output) {
    output_ = &output;
    std::ranges::fill(last_, AV_NOPTS_VALUE);
}

std::int64_t OutputTimes::begin(int index) const {
    return av_rescale_q(shift_, microseconds_base, output_->streams[index]->time_base);
}

// A tick that rounding costs, or two packets of one time, are no loss. Of pictures CountedTimes tells.
void OutputTimes::note_late(const AVPacket& packet, int index, std::int64_t by) {
    constexpr double heard = 0.1;
    const AVStream& stream = *output_->streams[index];
    const double seconds = static_cast<double>(by) * av_q2d(stream.time_base);
    if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO && by > packet.duration && seconds > heard) {
        LatePackets& late = late_[static_cast<std::size_t>(index)];
        ++late.packets;
        late.most = std::max(late.most, seconds);
    }
}

void OutputTimes::mend(AVPacket& packet, int index) {
    const AVStream& stream = *output_->streams[index];
    const AVMediaType type = stream.codecpar->codec_type;
    const std::int64_t shift = begin(index);
    move_times(packet, -shift);
    if (shift != 0 && type == AVMEDIA_TYPE_VIDEO && packet.pts < 0 && packet.pts != AV_NOPTS_VALUE) {
        // The first picture of a part, its time rounded to before the part: mp4 would not show it.
        packet.dts = std::min<std::int64_t>(packet.dts, 0);
        packet.pts = 0;
    }
    if (shift != 0 && type == AVMEDIA_TYPE_SUBTITLE && packet.pts < 0 && packet.pts != AV_NOPTS_VALUE) {
        // Shown since before the part: containers would show it from the beginning too, and for longer.
        packet.duration = std::max<std::int64_t>(packet.duration + packet.pts, 0);
        packet.pts = packet.dts = 0;
    }
    if (packet.dts == AV_NOPTS_VALUE) {
        return;
    }
    std::int64_t& last = last_[static_cast<std::size_t>(index)];
    const bool strict = (output_->oformat->flags & AVFMT_TS_NONSTRICT) == 0 && type != AVMEDIA_TYPE_SUBTITLE;
    const std::int64_t min_step = strict ? 1 : 0;
    if (last != AV_NOPTS_VALUE && packet.dts < last + min_step) {
        const std::int64_t dts = last + min_step;
        note_late(packet, index, dts - packet.dts);
        spdlog::debug("stream {}: decoding time {} after {} moved to {}", index, packet.dts, last, dts);
        packet.dts = dts;
        packet.pts = std::max(packet.pts, dts);
    }
    keep_duration(packet, index, last);
    last = packet.dts;
}

// The muxer of mp4 and mov takes durations from the next packet. The last one has its own alone, and with none its edit
// list would end before it, so that no reader gives it.
void OutputTimes::keep_duration(AVPacket& packet, int index, std::int64_t last) const {
    const AVStream& stream = *output_->streams[index];
    // Words are shown for as long as they say.
    if (!is_quicktime(*output_->oformat) || packet.duration > 0 || stream.codecpar->codec_id == AV_CODEC_ID_MOV_TEXT) {
        return;
    }
    const int samples = stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO
                            ? av_get_audio_frame_duration2(stream.codecpar, packet.size)
                            : 0;
    packet.duration = samples > 0 && stream.codecpar->sample_rate > 0
                          ? av_rescale_q(samples, AVRational{1, stream.codecpar->sample_rate}, stream.time_base)
                      : last != AV_NOPTS_VALUE ? packet.dts - last
                                               : 1;
}

}  // namespace vfilter
