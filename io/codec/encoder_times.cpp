#include "io/codec/encoder_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/encoder_facts.h"
#include "config/error.h"
#include "io/compat.h"

namespace vfilter {

// MPEG-4 part 2 counts the seconds between pictures by a bit each, and libavcodec ends at an hour, for which it has an
// error without a sense.
void EncoderTimes::check_step(std::int64_t pts) const {
    constexpr std::int64_t most_seconds = 3600;
    if (encoder_.codec_id != AV_CODEC_ID_MPEG4 || last_ == AV_NOPTS_VALUE) {
        return;
    }
    const auto seconds = [&](std::int64_t time) {
        return av_rescale_q_rnd(time, encoder_.time_base, AVRational{1, 1}, AV_ROUND_DOWN);
    };
    if (seconds(pts) - seconds(last_) > most_seconds) {
        throw Error(ExitCode::encoder,
                    fmt::format("the encoder {} takes pictures that are an hour apart at most: behind the one at {} s "
                                "comes one at {} s (--codec has others, such as libx264; --end ends before)",
                                encoder_.codec->name, seconds(last_), seconds(pts)));
    }
}

void EncoderTimes::take(AVFrame& picture) {
    const Stamp stamp{clock_.apart(picture.pts), frame_duration(picture)};
    std::int64_t pts = av_rescale_q(picture.pts, time_base_, encoder_.time_base);
    if (last_ != AV_NOPTS_VALUE && pts <= last_) {
        pts = last_ + 1;  // a coarser clock than the input's
    }
    check_step(pts);
    last_ = pts;
    inside_.emplace(pts, stamp);
    ++given_;
    first_ = first_.value_or(stamp.pts);
    picture.pts = pts;
}

void EncoderTimes::end() {
    constexpr int too_few = 2;
    in_order_ = given_ <= too_few && encoder_facts(encoder_.codec->name).has(encoder_fact::late_delay);
}

void EncoderTimes::put(AVPacket& packet) {
    if (in_order_) {
        packet.dts = packet.pts;  // libx265 takes its delay from a later picture, or from memory that nobody has set
    }
    const std::int64_t first = first_.value_or(0);
    const std::int64_t first_inside = av_rescale_q(first, time_base_, encoder_.time_base);
    const auto found = inside_.find(packet.pts);
    const auto decoded = inside_.find(packet.dts);
    // A decoding time is the presentation time of an earlier picture, or lies before the first one.
    const std::int64_t dts = decoded != inside_.end()
                                 ? decoded->second.pts
                                 : first + av_rescale_q(packet.dts - first_inside, encoder_.time_base, time_base_);
    if (found == inside_.end()) {
        throw Error(ExitCode::encoder,
                    fmt::format("the encoder {} returned a packet that belongs to none of the pictures it was given",
                                encoder_.codec->name));
    }
    const Stamp stamp = found->second;
    inside_.erase(inside_.begin(), inside_.lower_bound(std::min(packet.dts, packet.pts)));
    packet.pts = stamp.pts;
    packet.duration = stamp.duration;
    packet.dts = std::min(dts, packet.pts);
}

}  // namespace vfilter
