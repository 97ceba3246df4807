#include "io/codec/picture_ledger.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "io/compat.h"
#include "io/formats/formats.h"

namespace vfilter {

void check_size(int width, int height, std::int64_t max_pixels) {
    if (std::int64_t{width} * height > max_pixels) {
        throw Error(
            ExitCode::input,
            fmt::format("pictures of {}x{} are {:.0f} Mpixel each, and the limit is {:.0f}; --max-pixels raises it",
                        width, height, 1e-6 * static_cast<double>(width) * height,
                        1e-6 * static_cast<double>(max_pixels)));
    }
}

PictureLedger::PictureLedger(const Demuxer& input, int stream, bool strict)
    : strict_(strict),
      time_base_(input.format().streams[stream]->time_base),
      usual_duration_(std::max<std::int64_t>(1, av_rescale_q(1, av_inv_q(input.frame_rate(stream)), time_base_))),
      max_pixels_(input.max_pixels()),
      account_(*input.format().streams[stream]->codecpar, time_base_, input.start().has_value() || input.live(),
               judges_gaps(*input.format().iformat, input.live())) {}

std::string PictureLedger::place() const {
    return last_pts_ == AV_NOPTS_VALUE
               ? "at the beginning"
               : fmt::format("near {:.3f} s", static_cast<double>(last_pts_) * av_q2d(time_base_));
}

void PictureLedger::note_damage(std::int64_t& count, const char* what) {
    if (!account_.settled()) {
        return;
    }
    ++count;
    damage_.note(fmt::format("video: a damaged {} {}", what, place()));
    if (strict_) {
        throw Error(ExitCode::damaged, fmt::format("a {} of the input is damaged, and --strict was given", what));
    }
}

void PictureLedger::complained(std::int64_t count, const std::string& latest) {
    if (count == 0 || !account_.settled()) {
        return;
    }
    damage_.complaints += count;
    damage_.note(fmt::format("video {}: {}", place(), latest));
    if (strict_) {
        throw Error(ExitCode::damaged, fmt::format("the video is damaged ({}), and --strict was given", latest));
    }
}

void PictureLedger::received(AVFrame& picture, std::int64_t complaints, const std::string& latest) {
    check_size(picture.width, picture.height, max_pixels_);
    const bool early = !account_.received(picture.pts, is_interlaced(picture), is_key_frame(picture));
    complained(complaints, latest);
    const bool damaged = picture.decode_error_flags != 0 || (picture.flags & AV_FRAME_FLAG_CORRUPT) != 0;
    if (const auto format = static_cast<AVPixelFormat>(picture.format); without_j(format) != format) {
        picture.format = without_j(format);
        picture.color_range = AVCOL_RANGE_JPEG;
    }
    date(picture);
    if (damaged && !early) {
        note_damage(damage_.frames, "frame");
    }
}

Damage PictureLedger::damage() const {
    Damage damage = damage_;
    if (ended_) {
        damage += account_.missing();
    }
    return damage;
}

void PictureLedger::date(AVFrame& frame) {
    std::int64_t pts = frame.best_effort_timestamp;
    if (pts == AV_NOPTS_VALUE) {
        pts = last_pts_ == AV_NOPTS_VALUE ? 0 : last_pts_ + (last_duration_ > 0 ? last_duration_ : usual_duration_);
    }
    if (last_pts_ != AV_NOPTS_VALUE && pts <= last_pts_) {
        spdlog::debug("timestamp {} after {}: moved forward", pts, last_pts_);
        pts = last_pts_ + 1;
    }
    frame.pts = pts;
    last_pts_ = pts;
    last_duration_ = frame_duration(frame);
}

}  // namespace vfilter
