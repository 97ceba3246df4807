#include "io/codec/decoded_times.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "io/compat.h"
#include "io/packet_times.h"

namespace vfilter {

DecodedTimes::DecodedTimes(AVRational time_base, AVRational frame_rate, std::int64_t told_from)
    : time_base_(time_base),
      told_from_(seconds_of(told_from)),
      usual_duration_(std::max<std::int64_t>(1, av_rescale_q(1, av_inv_q(frame_rate), time_base))) {}

// What a picture of a bare stream has is the duration of its last packet, which of H.264 may be one of its two fields.
void DecodedTimes::cover_both_fields(AVFrame& picture) const {
    const std::int64_t told = frame_duration(picture);
    if (is_interlaced(picture) && told > 0 && told <= (usual_duration_ + 1) / 2) {
        set_frame_duration(picture, 2 * told);
    }
}

void DecodedTimes::date(AVFrame& picture) {
    std::int64_t pts = picture.best_effort_timestamp;
    if (pts == AV_NOPTS_VALUE) {
        cover_both_fields(picture);
        pts = last_pts_ == AV_NOPTS_VALUE ? 0 : last_pts_ + (last_duration_ > 0 ? last_duration_ : usual_duration_);
    }
    if (last_pts_ != AV_NOPTS_VALUE && pts <= last_pts_) {
        spdlog::debug("timestamp {} after {}: moved forward", pts, last_pts_);
        // As far as every container's clock can tell them apart.
        pts = last_pts_ + std::max<std::int64_t>(1, av_rescale_q_rnd(1, AVRational{1, 1000}, time_base_, AV_ROUND_UP));
    }
    picture.pts = pts;
    last_pts_ = pts;
    last_duration_ = frame_duration(picture);
}

std::string DecodedTimes::place() const {
    return last_pts_ == AV_NOPTS_VALUE
               ? "at the beginning"
               : fmt::format("near {:.3f} s", static_cast<double>(last_pts_) * av_q2d(time_base_) - told_from_);
}

}  // namespace vfilter
