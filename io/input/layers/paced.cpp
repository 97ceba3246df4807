#include "io/input/layers/paced.h"

#include <algorithm>

#include "io/interruptible_wait.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

constexpr std::int64_t max_gap = 2 * std::int64_t{AV_TIME_BASE};

}  // namespace

Paced::Paced(std::unique_ptr<PacketSource> inner, int video, AVRational rate, const std::function<bool()>& interrupted)
    : PacketLayer(std::move(inner)),
      video_(video),
      frame_(microseconds(1, av_inv_q(rate))),
      interrupted_(interrupted) {}

int Paced::read(AVPacket& packet) {
    const int got = inner().read(packet);
    if (got < 0 || packet.stream_index != video_) {
        return got;
    }
    const std::int64_t stamp = decoding_time(packet);
    const std::int64_t time = stamp != AV_NOPTS_VALUE ? microseconds(stamp, format().streams[video_]->time_base)
                              : pace_                 ? pace_->last + frame_
                                                      : 0;
    if (!pace_ || time < pace_->last || time > pace_->last + std::max(max_gap, 2 * frame_)) {
        pace_ = Pace{Clock::now(), time, time};
        return got;
    }
    pace_->last = time;
    static_cast<void>(wait_until(pace_->begin + std::chrono::microseconds(time - pace_->first), interrupted_));
    return got;
}

}  // namespace vfilter
