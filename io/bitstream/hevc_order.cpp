#include "io/bitstream/hevc_order.h"

#include <algorithm>

namespace vfilter {

std::int64_t HevcOrder::count_of(const HevcSlice& slice) const {
    const std::int64_t period = std::int64_t{1} << slice.count_bits;
    const std::int64_t low = before_ & (period - 1);
    std::int64_t high = before_ - low;
    if (slice.count < low && low - slice.count >= period / 2) {
        high += period;
    } else if (slice.count > low && slice.count - low > period / 2) {
        high -= period;
    }
    return high + slice.count;
}

bool HevcOrder::counts_anew(const std::vector<HevcSlice>& slices) const {
    const HevcSlice first = slices.empty() ? HevcSlice{} : slices.front();
    return shown_ && first.first && first.known && !first.random_access() && count_of(first) < *shown_;
}

void HevcOrder::begun(const std::vector<HevcSlice>& slices, std::int64_t number) {
    const auto first = std::ranges::find_if(slices, [](const HevcSlice& slice) { return slice.first && slice.known; });
    if (first == slices.end()) {
        return;
    }
    if (first->random_access() && (first->idr() || (shown_ && count_of(*first) < *shown_))) {
        begin_anew();
        before_ = first->count;
    }
    const std::int64_t count = count_of(*first);
    if (first->sublayer == 0 && !first->leading() && first->reference()) {
        before_ = count;
    }
    constexpr std::size_t most = 64;  // more than a decoder holds back
    counts_[number] = count;
    if (counts_.size() > most) {
        counts_.erase(counts_.begin());
    }
}

void HevcOrder::came_out(std::int64_t number) {
    const auto found = counts_.find(number);
    if (found != counts_.end()) {
        shown_ = std::max(shown_.value_or(found->second), found->second);
        counts_.erase(found);
    }
}

void HevcOrder::begin_anew() {
    before_ = 0;
    shown_.reset();
    counts_.clear();
}

}  // namespace vfilter
