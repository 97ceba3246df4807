#include "io/packet_times.h"

#include <algorithm>
#include <cmath>

namespace vfilter {

bool bound_times(AVPacket& packet, AVRational base) {
    const double ticks = static_cast<double>(most_time) / AV_TIME_BASE / av_q2d(base);
    const auto most = static_cast<std::int64_t>(std::min(ticks, std::ldexp(1.0, 61)));
    bool beyond = false;
    for (std::int64_t* const time : {&packet.pts, &packet.dts, &packet.duration}) {
        if (*time != AV_NOPTS_VALUE && (*time > most || *time < -most)) {
            *time = std::clamp(*time, -most, most);
            beyond = true;
        }
    }
    return beyond;
}

}  // namespace vfilter
