#include "io/codec/coarse_clock.h"

#include <algorithm>

namespace vfilter {

CoarseClock::CoarseClock(AVRational tick, AVRational time_base) {
    constexpr AVRational coarsest{1, 500};
    if (tick.num > 0 && av_cmp_q(tick, coarsest) <= 0) {
        tick_ = std::max<std::int64_t>(1, av_rescale_q_rnd(1, tick, time_base, AV_ROUND_UP));
    }
}

std::int64_t CoarseClock::apart(std::int64_t pts) {
    if (last_ != AV_NOPTS_VALUE && pts < last_ + tick_) {
        pts = last_ + (pts >= last_ ? tick_ : 1);
    }
    return last_ = pts;
}

}  // namespace vfilter
