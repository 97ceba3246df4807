// RangeQueue towards the sessions: which range each gets, its packets, and room for pictures.

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "io/codec/ranged/range_queue.h"

namespace vfilter {

// Under the lock. Whether the next range is one for the CPU. It has to be there in whole, and its pictures to find room
// before they are the oldest: who works slower is not to be waited for. So the last ranges are hardware's as well.
bool RangeQueue::wants_help() const {
    const std::size_t left = ranges_.size() - dealt_;
    const bool behind = starved_ || room_.is_half_empty();
    if (!behind || left == 0 || (all_sent_ && left <= static_cast<std::size_t>(hardware_.sessions() / 2))) {
        return false;
    }
    const PacketRange& next = *ranges_[dealt_];
    // What H.264's threads say of leading pictures may come when those are over.
    const bool silent = next.start_.entry == Entry::closed || codec_ != AV_CODEC_ID_H264;
    const bool fits = next.packets_.size() <= limits_.beside && next.bytes_ <= limits_.redo_bytes;
    return next.state_.ended && fits && next.on_cpu_.empty() && silent;
}

PacketRange* RangeQueue::deal(Made kind) {
    std::unique_lock lock(mutex_);
    if (kind == Made::beside_it) {
        to_do_.wait(lock, [this] { return stopped_ || (all_sent_ && dealt_ == ranges_.size()) || wants_help(); });
    } else {
        ++idle_;
        to_do_.wait(lock, [this] { return stopped_ || all_sent_ || dealt_ < ranges_.size(); });
        --idle_;
    }
    return stopped_ || dealt_ == ranges_.size() ? nullptr : ranges_[dealt_++].get();
}

// Enough of the next range has to be there to bring the last pictures of this one out: nobody may wait for packets that
// nobody reads on account of them. So it is not waited for where the receiver waits for those pictures, and not for
// long.
PacketRange* RangeQueue::deal_ahead(const PacketRange& range, Made kind) {
    constexpr auto enough = static_cast<std::size_t>(RangeCutter::shortest);
    constexpr std::chrono::milliseconds patience{500};
    std::unique_lock lock(mutex_);
    if (kind == Made::beside_it && !wants_help()) {
        return nullptr;
    }
    const auto is_there = [&] {
        return dealt_ < ranges_.size() && (ranges_[dealt_]->packets_.size() >= enough || ranges_[dealt_]->state_.ended);
    };
    to_do_.wait_for(lock, patience, [&] {
        return stopped_ || is_there() || (all_sent_ && dealt_ >= ranges_.size()) ||
               (receiver_waits_ && is_oldest(range));
    });
    if (stopped_ || (kind == Made::by_hardware && hardware_.given_up()) || !is_there()) {
        return nullptr;
    }
    PacketRange& next = *ranges_[dealt_];
    if (next.start_.entry != Entry::closed || !next.on_cpu_.empty() || (next.start_.bare && range.state_.laden)) {
        return nullptr;
    }
    ++dealt_;
    return &next;
}

void RangeQueue::wait_for_others() {
    std::unique_lock lock(mutex_);
    to_do_.wait(lock, [this] { return stopped_ || (all_sent_ && ranges_.empty()); });
}

bool RangeQueue::is_over() const {
    const std::lock_guard lock(mutex_);
    return stopped_ || (all_sent_ && dealt_ == ranges_.size());
}

bool RangeQueue::is_stopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
}

bool RangeQueue::get_on() {
    const std::lock_guard lock(mutex_);
    ++steps_;
    return !stopped_;
}

void RangeQueue::fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    error_ = error_ ? error_ : std::move(error);
    wake_all_to_stop();
}

PacketPtr RangeQueue::next_packet(PacketRange& range, bool anew) {
    std::unique_lock lock(mutex_);
    to_do_.wait(lock, [&] { return stopped_ || range.state_.ended || range.unread() > 0; });
    if (stopped_ || range.unread() <= 0) {
        return nullptr;
    }
    const std::size_t bytes = range.bytes_;
    PacketPtr packet = range.read(limits_.redo_bytes);
    bytes_ -= bytes - range.bytes_;
    ++steps_;
    progress_.notify_all();
    return anew && range.state_.read == 1 ? reference_to(*range.start_.packet) : std::move(packet);
}

void RangeQueue::deliver(PacketRange& range, DecodedPicture next, Made made) {
    std::unique_lock lock(mutex_);
    space_.wait(lock, [&] { return stopped_ || room_.takes(made, is_oldest(range)); });
    if (stopped_) {
        return;
    }
    next.made = made;
    room_.add(next);
    range.pictures_.push_back(std::move(next));
    ++steps_;
    if (is_oldest(range)) {
        progress_.notify_all();
    }
}

void RangeQueue::take_back(PacketRange& range) {
    const std::lock_guard lock(mutex_);
    for (const DecodedPicture& each : range.pictures_) {
        room_.remove(each);
    }
    range.pictures_.clear();
    space_.notify_all();
}

void RangeQueue::note_entry(PacketRange& range, bool whole) {
    const std::lock_guard lock(mutex_);
    range.enters_ = whole;
}

void RangeQueue::finish(PacketRange& range) {
    const std::lock_guard lock(mutex_);
    range.done_ = true;
    progress_.notify_all();
}

RangeResumption RangeQueue::repeat(PacketRange& range) {
    std::unique_lock lock(mutex_);
    const auto place = [&] {
        return std::ranges::find_if(ranges_, [&](const auto& each) { return each.get() == &range; });
    };
    progress_.wait(lock, [&] {
        const auto at = place();
        return stopped_ || at == ranges_.begin() || (*std::prev(at))->done_;
    });
    PrecedingPackets before;
    bool more = true;
    for (auto at = place(); more && at != ranges_.begin();) {
        const PacketRange& each = **--at;
        more = each.state_.repeatable &&
               before.add_before(*each.start_.packet, each.packets_, each.state_.own, each.enters_);
    }
    if (more) {
        history_.lead_up(before);
    }
    range.state_.read = 0;
    return {.before = before.take(), .given = range.last_given_};
}

RangeResumption RangeQueue::resume(const PacketRange& range) const {
    const std::lock_guard lock(mutex_);
    RangeResumption from{.before = {}, .read = range.state_.read, .given = range.last_pts()};
    from.before.push_back(reference_to(*range.start_.packet));
    return from;
}

std::string RangeQueue::on_cpu(const PacketRange& range) const {
    const std::lock_guard lock(mutex_);
    return range.on_cpu_;
}

RangeState RangeQueue::state(const PacketRange& range) const {
    const std::lock_guard lock(mutex_);
    return range.state_;
}

bool RangeQueue::is_untouched(const PacketRange& range) const {
    const std::lock_guard lock(mutex_);
    return range.state_.read == 0 && range.on_cpu_.empty() && range.state_.ended && range.bytes_ <= limits_.redo_bytes;
}

}  // namespace vfilter
