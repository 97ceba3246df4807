#include "pipeline/stages/held_packets.h"

#include <utility>

namespace vfilter {

bool HeldPackets::pass(Held held) {
    if (held.sound == nullptr) {
        wanted_ = output_.send({.packet = std::move(held.packet), .from = OutputPacket::From::input});
        return wanted_;
    }
    if (!held.packet) {
        held.sound->packets.close();
        return true;
    }
    return held.sound->packets.send(std::move(held.packet));
}

bool HeldPackets::hold(PacketPtr packet, SoundRoute* sound, std::int64_t after) {
    const std::lock_guard lock(mutex_);
    if (open_) {
        return pass({std::move(packet), sound, after});
    }
    held_.push_back({std::move(packet), sound, after});
    return sound != nullptr ? !sound->packets.cancelled() : wanted_;
}

void HeldPackets::release(std::int64_t passed) {
    const std::lock_guard lock(mutex_);
    while (!held_.empty() && held_.front().after <= passed) {
        static_cast<void>(pass(std::move(held_.front())));
        held_.pop_front();
    }
}

void HeldPackets::open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    for (; !held_.empty(); held_.pop_front()) {
        static_cast<void>(pass(std::move(held_.front())));
    }
}

}  // namespace vfilter
