#include "io/codec/ranged/packet_range.h"

#include <algorithm>
#include <utility>

namespace vfilter {

RangePlace RangeState::place_of(std::int64_t pts) const {
    if (pts == AV_NOPTS_VALUE) {
        return RangePlace::inside;
    }
    if (from != AV_NOPTS_VALUE && pts < from) {
        return RangePlace::before;
    }
    return until != AV_NOPTS_VALUE && pts >= until ? RangePlace::after : RangePlace::inside;
}

bool RangeState::keeps(std::int64_t packet) const {
    return packet < own ? packet == 0 || packet > led_in : packet > own;
}

bool RangeState::tells() const {
    const std::int64_t packet = read - 1;
    return packet != own && (packet == 0 || packet > led_in);
}

void PacketRange::add(PacketPtr packet, PacketShare share) {
    state_.expected += share.shown ? 1 : 0;
    state_.own += share.own ? 1 : 0;
    bytes_ += static_cast<std::size_t>(packet->size);
    packets_.push_back(std::move(packet));
}

PacketPtr PacketRange::read(std::size_t redo_bytes) {
    if (state_.repeatable && bytes_ > redo_bytes) {
        state_.repeatable = false;
        for (std::int64_t i = 0; i < state_.read; ++i) {
            bytes_ -= static_cast<std::size_t>(packets_.front()->size);
            packets_.pop_front();
        }
    }
    PacketPtr packet;
    if (state_.repeatable) {
        packet = reference_to(*packets_[static_cast<std::size_t>(state_.read)]);
    } else {
        packet = std::move(packets_.front());
        packets_.pop_front();
        bytes_ -= static_cast<std::size_t>(packet->size);
    }
    ++state_.read;
    return packet;
}

std::int64_t PacketRange::unread() const {
    return static_cast<std::int64_t>(packets_.size()) - (state_.repeatable ? state_.read : 0);
}

// The latest of its pictures that were received or wait for that.
std::int64_t PacketRange::last_pts() const {
    std::int64_t last = last_given_;
    for (const DecodedPicture& waiting : pictures_) {
        last = waiting.picture ? std::max(last, waiting.picture->pts) : last;
    }
    return last;
}

}  // namespace vfilter
