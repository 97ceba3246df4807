// RangeQueue towards the receiver: packets in, pictures out.

#include "io/codec/ranged/range_queue.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "io/input/picture_account.h"

namespace vfilter {

RangeQueue::RangeQueue(const RangeLimits& limits, AVCodecID codec, const HardwareRecord& hardware)
    : limits_(limits), codec_(codec), hardware_(hardware), history_(limits.redo_bytes), room_(limits) {}

void RangeQueue::stop() {
    const std::lock_guard lock(mutex_);
    wake_all_to_stop();
}

// Under the lock.
void RangeQueue::wake_all_to_stop() {
    stopped_ = true;
    to_do_.notify_all();
    space_.notify_all();
    progress_.notify_all();
}

void RangeQueue::end() {
    const std::lock_guard lock(mutex_);
    all_sent_ = true;
    for (const std::unique_ptr<PacketRange>& range : ranges_) {
        range->state_.ended = true;
    }
    to_do_.notify_all();
}

void RangeQueue::put(Cut cut) {
    const bool shown = shows_picture(codec_, *cut.packet);
    const std::lock_guard lock(mutex_);
    if (cut.begins) {
        begin_range(cut);
    }
    PacketRange& range = *ranges_.back();
    if (cut.untimed && range.on_cpu_.empty()) {
        range.on_cpu_ = "a packet has no time";
    }
    // The one before is there still: it is not done before it has all its packets.
    if (cut.also_before) {
        PacketRange& before = **std::prev(ranges_.end(), 2);
        add(reference_to(*cut.packet), before, {.own = false, .shown = shown && cut.leads});
        before.state_.laden = cut.laden;
    }
    if (cut.ends_before) {
        (*std::prev(ranges_.end(), 2))->state_.ended = true;
    }
    range.state_.leading += cut.leads && begun_ == 1 ? 1 : 0;
    range.state_.led_in += cut.also_before && cut.leads ? 1 : 0;
    range.state_.laden = cut.laden;
    const bool kept = !cut.also_before || cut.begins;
    add(std::move(cut.packet), range, {.own = true, .shown = shown && kept});
    to_do_.notify_all();
}

// Under the lock.
void RangeQueue::begin_range(Cut& cut) {
    const std::int64_t pts = cut.packet->pts;
    ranges_.push_back(std::make_unique<PacketRange>(
        RangeStart{.entry = cut.entry, .packet = std::move(cut.start), .first = pts, .bare = cut.bare}));
    if (cut.entry == Entry::none) {
        ranges_.back()->on_cpu_ = "it does not begin with a picture that can be decoded by itself";
    }
    if (cut.also_before) {
        ranges_.back()->state_.from = pts;
        (*std::prev(ranges_.end(), 2))->state_.until = pts;
    }
    ++begun_;
}

// Under the lock.
void RangeQueue::add(PacketPtr packet, PacketRange& range, PacketShare share) {
    bytes_ += static_cast<std::size_t>(packet->size);
    range.add(std::move(packet), share);
}

// Under the lock. Whether no more packets are wanted for now.
bool RangeQueue::full() const {
    if (ranges_.empty()) {
        return false;
    }
    if (ranges_.size() == 1) {
        return ranges_.front()->unread() >= limits_.packets;
    }
    if (!ranges_.front()->state_.ended) {
        return false;  // it waits for what leads the second one in, which is a few packets
    }
    return ranges_.size() > 4 * static_cast<std::size_t>(hardware_.most_sessions()) + 2 || bytes_ >= limits_.bytes;
}

RangeArrival RangeQueue::next(bool packet_first) {
    constexpr std::chrono::milliseconds slice{100};
    using What = RangeArrival::What;
    std::unique_lock lock(mutex_);
    if (error_) {
        std::rethrow_exception(error_);
    }
    for (;;) {
        if (ranges_.empty()) {
            return {.what = all_sent_ ? What::end : What::nothing, .packets = passed_};
        }
        // A packet for each picture: else the sessions would be without work as long as there are pictures.
        if (packet_first && !all_sent_ && !full()) {
            return {.packets = passed_};
        }
        PacketRange& oldest = *ranges_.front();
        if (!oldest.pictures_.empty()) {
            return take_picture();
        }
        if (!oldest.done_ || !oldest.state_.ended) {
            break;
        }
        retire_first();
    }
    if (!std::exchange(starved_, true)) {
        to_do_.notify_all();
    }
    if (!all_sent_ && !full()) {
        return {.packets = passed_};
    }
    receiver_waits_ = true;
    to_do_.notify_all();
    progress_.wait_for(lock, slice);
    receiver_waits_ = false;
    return {.what = What::waited, .packets = passed_, .steps = steps_};
}

// Under the lock. The first one of the oldest range that waits, with what is to be said before it.
RangeArrival RangeQueue::take_picture() {
    PacketRange& range = *ranges_.front();
    RangeArrival arrival{.what = RangeArrival::What::decoded, .next = std::move(range.pictures_.front())};
    const DecodedPicture& next = arrival.next;
    range.pictures_.pop_front();
    room_.remove(next);
    space_.notify_all();
    arrival.packets = passed_ + (next.known >= 0 ? std::min(next.known, range.state_.own) : range.state_.own);
    if (next.picture) {
        starved_ = false;
        range.last_given_ = next.picture->pts;
    }
    return arrival;
}

// Under the lock. The oldest range, all of whose pictures were given. Keeps what a later range may have to be decoded
// after.
void RangeQueue::retire_first() {
    PacketRange& range = *ranges_.front();
    passed_ += range.state_.own;
    bytes_ -= range.bytes_;
    if (range.state_.repeatable) {
        range.packets_.resize(std::min(range.packets_.size(), static_cast<std::size_t>(range.state_.own)));
        history_.add(std::move(range.start_.packet), std::move(range.packets_), range.enters_);
    } else {
        history_.add_lost();
    }
    ranges_.pop_front();
    --dealt_;
    space_.notify_all();  // another one is the oldest
    to_do_.notify_all();
}

std::int64_t RangeQueue::passed() const {
    const std::lock_guard lock(mutex_);
    if (ranges_.empty()) {
        return passed_;
    }
    const PacketRange& oldest = *ranges_.front();
    return passed_ + std::max<std::int64_t>(0, oldest.state_.read - static_cast<std::int64_t>(oldest.pictures_.size()));
}

std::int64_t RangeQueue::unclaimed() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::int64_t>(ranges_.size()) - static_cast<std::int64_t>(dealt_) - idle_;
}

}  // namespace vfilter
