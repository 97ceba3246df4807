#include "io/codec/ranged/range_history.h"

#include <algorithm>
#include <utility>

namespace vfilter {

bool PrecedingPackets::add_before(const AVPacket& start, const std::deque<PacketPtr>& packets, std::int64_t own,
                                  bool enters) {
    for (std::size_t i = std::min(packets.size(), static_cast<std::size_t>(own)); i-- > 0;) {
        packets_.push_front(reference_to(*packets[i]));
    }
    start_ = reference_to(start);
    return !enters && ++ranges_ < most_ranges;
}

std::deque<PacketPtr> PrecedingPackets::take() {
    if (!packets_.empty()) {
        packets_.front() = std::move(start_);
    }
    return std::move(packets_);
}

void RangeHistory::add(PacketPtr start, std::deque<PacketPtr> packets, bool enters) {
    if (enters) {
        gone_.clear();
    }
    gone_.push_back({std::move(start), std::move(packets), enters});
    while (gone_.size() > PrecedingPackets::most_ranges || bytes() > most_bytes_) {
        gone_.pop_front();
    }
}

std::size_t RangeHistory::bytes() const {
    std::size_t sum = 0;
    for (const Gone& gone : gone_) {
        for (const PacketPtr& packet : gone.packets) {
            sum += static_cast<std::size_t>(packet->size);
        }
    }
    return sum;
}

void RangeHistory::lead_up(PrecedingPackets& to) const {
    bool more = true;
    for (auto at = gone_.rbegin(); more && at != gone_.rend(); ++at) {
        more = to.add_before(*at->start, at->packets, static_cast<std::int64_t>(at->packets.size()), at->enters);
    }
}

}  // namespace vfilter
