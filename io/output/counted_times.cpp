#include "io/output/counted_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace vfilter {

namespace {

constexpr std::size_t most_behind = 64;

}  // namespace

CountedTimes::CountedTimes(AVRational rate, AVRational time_base) : rate_(rate), time_base_(time_base) {}

void CountedTimes::add(std::int64_t pts) {
    waiting_.push(pts);
    if (waiting_.size() > most_behind) {
        count_first();
    }
}

void CountedTimes::finish() {
    while (!waiting_.empty()) {
        count_first();
    }
}

void CountedTimes::count_first() {
    const std::int64_t pts = waiting_.top();
    waiting_.pop();
    begin_ = begin_.value_or(pts);
    const double own = static_cast<double>(pts - *begin_) * av_q2d(time_base_);
    const double apart = std::abs(static_cast<double>(pictures_) / av_q2d(rate_) - own);
    ++pictures_;
    if (apart > 0.5 / av_q2d(rate_)) {
        ++displaced_;
        farthest_ = std::max(farthest_, apart);
    }
}

}  // namespace vfilter
