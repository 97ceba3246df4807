// What RangedDecoder's sessions do in their threads: the first try at each range.

#include "io/codec/ranged_decoder.h"

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "config/error.h"

namespace vfilter {

// Under the lock. Whether the next range is one for the CPU. It has to be there in whole, and its pictures to find room
// before they are the oldest: who works slower is not to be waited for. So the last ranges are hardware's as well.
bool RangedDecoder::wants_help() const {
    const std::size_t left = ranges_.size() - dealt_;
    const bool behind = starved_ || pictures_ < limits_.pictures / 2;
    if (!behind || left == 0 || (all_sent_ && left <= static_cast<std::size_t>(facts_.sessions / 2))) {
        return false;
    }
    const Range& next = *ranges_[dealt_];
    // What H.264's threads say of leading pictures may come when those are over.
    const bool silent = next.entry == Entry::closed || setup_.codec->codec_id != AV_CODEC_ID_H264;
    const bool fits = next.packets.size() <= limits_.beside && next.bytes <= limits_.redo_bytes;
    return next.ended && fits && next.on_cpu.empty() && silent;
}

// Null at the end.
RangedDecoder::Range* RangedDecoder::next_range(Worker& worker) {
    std::unique_lock lock(mutex_);
    if (worker.next != nullptr) {
        return stopped_ ? nullptr : std::exchange(worker.next, nullptr);
    }
    if (worker.kind == Made::beside_it) {
        to_do_.wait(lock, [this] { return stopped_ || (all_sent_ && dealt_ == ranges_.size()) || wants_help(); });
        return stopped_ || dealt_ == ranges_.size() ? nullptr : ranges_[dealt_++].get();
    }
    ++idle_;
    to_do_.wait(lock, [this] { return stopped_ || all_sent_ || dealt_ < ranges_.size(); });
    --idle_;
    return stopped_ || dealt_ == ranges_.size() ? nullptr : ranges_[dealt_++].get();
}

// The thread of a session.
void RangedDecoder::work(Made kind) {
    pthread_setname_np(pthread_self(), "decode range");
    Worker worker{.kind = kind};
    if (kind == Made::beside_it) {
        // What feeds hardware comes first, and encoders do. Threads that are made here have the same priority.
        constexpr int low_priority = 10;
        setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), low_priority);
    }
    try {
        for (bool more = kind == Made::beside_it || begin(worker); more;) {
            Range* const range = next_range(worker);
            if (range == nullptr) {
                wait_for_others();
                return;
            }
            more = decode(*range, worker);
            if (worker.tail != range) {
                finish(*range);
            }
        }
    } catch (...) {
        const std::lock_guard lock(mutex_);
        error_ = error_ ? error_ : std::current_exception();
        stop();
    }
}

// Who gives its decoder back holds the driver up for as long as it takes to make one, and all that are at work with it.
void RangedDecoder::wait_for_others() {
    std::unique_lock lock(mutex_);
    to_do_.wait(lock, [this] { return stopped_ || (all_sent_ && ranges_.empty()); });
}

// Whether there is nothing left to begin.
bool RangedDecoder::is_over() const {
    const std::lock_guard lock(mutex_);
    return stopped_ || (all_sent_ && dealt_ == ranges_.size());
}

// Before a range is dealt, which others would have to wait for: hardware's decoders are made one after the other, and
// who has one goes first, or the CPU's session. False if there is no room for one more session.
bool RangedDecoder::begin(Worker& worker) {
    std::string why;
    try {
        // The driver asks what each decoder can do before it makes it, and takes such calls in any order: without this,
        // the first decoder would be made when all have been asked about.
        const std::lock_guard one_by_one(making_);
        if (is_over()) {
            return false;
        }
        worker.first = make_.hardware();
        PacketPtr entry;
        {
            const std::lock_guard lock(mutex_);
            entry = closed_entry_ ? reference_to(*closed_entry_) : nullptr;
        }
        if (entry) {
            worker.first->warm_up(*entry);
        }
    } catch (const Error& error) {
        if (error.code() == ExitCode::device_lost) {
            throw;
        }
        why = error.what();
    }
    const std::lock_guard lock(mutex_);
    --starting_;
    if (worker.first) {
        ++facts_.sessions;
        return true;
    }
    if (facts_.sessions > 0) {
        limits_.sessions = facts_.sessions;
        spdlog::debug("no more than {} sessions: {}", facts_.sessions, why);
        return false;
    }
    no_hardware_ = true;
    why_not_ = why;
    return true;
}

void RangedDecoder::finish(Range& range) {
    const std::lock_guard lock(mutex_);
    range.done = true;
    progress_.notify_all();
}

// The range before has all that comes of it from hardware, or fails for that reason.
void RangedDecoder::finish_tail(Worker& worker, std::string why) {
    Range* const tail = std::exchange(worker.tail, nullptr);
    if (tail == nullptr) {
        return;
    }
    why = why.empty() ? count(*tail, worker.of_tail) : why;
    if (!why.empty()) {
        decode_again(*tail, worker, why);
    } else {
        succeed(*tail, worker.of_tail);
    }
    finish(*tail);
}

void RangedDecoder::succeed(Range& range, Attempt& attempt) {
    release(range, attempt, true);
    const std::lock_guard lock(mutex_);
    range.enters = true;
    failures_ = attempt.made == Made::by_hardware ? 0 : failures_;
}

// False where this session is of no more use.
bool RangedDecoder::decode(Range& range, Worker& worker) {
    std::string why;
    {
        const std::lock_guard lock(mutex_);
        why = no_hardware_ && worker.kind == Made::by_hardware ? why_not_ : range.on_cpu;
    }
    if (why.empty()) {
        why = try_first(range, worker);
        if (why.empty()) {
            return true;
        }
        worker.first.reset();  // who knows what state it is in
    }
    finish_tail(worker, why);
    decode_again(range, worker, why);
    return true;
}

std::string RangedDecoder::try_first(Range& range, Worker& worker) {
    try {
        if (!worker.first) {
            worker.first = worker.kind == Made::by_hardware ? make_.hardware() : make_.beside();
        }
        return try_range(range, *worker.first, worker.kind, &worker);
    } catch (const Error& error) {
        if (error.code() == ExitCode::device_lost) {
            throw;
        }
        return error.what();
    }
}

// Whether the session is to go on with another range at once, which is worker.next then. Enough of that one has to be
// there to bring the last pictures of this one out: nobody may wait for packets that nobody reads on account of them.
// So it is not waited for where the receiver waits for those pictures, and not for long.
bool RangedDecoder::deal_ahead(const Range& range, const RangeSession& session, Worker& worker) {
    constexpr auto enough = static_cast<std::size_t>(RangeCutter::shortest);
    constexpr std::chrono::milliseconds patience{500};
    std::unique_lock lock(mutex_);
    if (!session.feeds_on() || (worker.kind == Made::beside_it && !wants_help())) {
        return false;
    }
    const auto is_there = [&] {
        return dealt_ < ranges_.size() && (ranges_[dealt_]->packets.size() >= enough || ranges_[dealt_]->ended);
    };
    to_do_.wait_for(lock, patience, [&] {
        return stopped_ || is_there() || (all_sent_ && dealt_ >= ranges_.size()) ||
               (receiver_waits_ && is_oldest(range));
    });
    if (stopped_ || (no_hardware_ && worker.kind == Made::by_hardware) || !is_there()) {
        return false;
    }
    Range& next = *ranges_[dealt_];
    if (next.entry != Entry::closed || !next.on_cpu.empty()) {
        return false;
    }
    ++dealt_;
    worker.next = &next;
    return true;
}

// Why the range has to be decoded again; "" if it has not, and is given as it is. With a worker its last pictures may
// still be to come: see Worker::tail.
std::string RangedDecoder::try_range(Range& range, RangeSession& session, Made made, Worker* worker) {
    session.begin(range.entry, worker != nullptr && worker->tail != nullptr);
    // HEVC's leading pictures are named as such, and left out without a word.
    const bool silent = range.entry != Entry::open || setup_.codec->codec_id == AV_CODEC_ID_HEVC;
    Attempt attempt{.made = made, .settled = silent};
    for (bool more = true; more;) {
        const PacketPtr packet = next_packet(range, true);
        more = packet != nullptr;
        {
            const std::lock_guard lock(mutex_);
            if (stopped_) {
                return "";
            }
        }
        if (!more && worker != nullptr && worker->tail == nullptr && deal_ahead(range, session, *worker)) {
            worker->tail = &range;
            worker->of_tail = std::move(attempt);
            return "";
        }
        if (packet && (packet->flags & AV_PKT_FLAG_CORRUPT) != 0) {
            return "a packet is marked as damaged";
        }
        if (packet) {
            attempt.latest_before.emplace(packet->pts, attempt.latest_sent);
            attempt.latest_sent = std::max(attempt.latest_sent, packet->pts);
        }
        session.send(packet.get());
        for (bool there = true; there;) {
            DecodedPicture next;
            there = session.receive(next);
            if (next.left_out > 0) {
                return "the decoder leaves out a part of a picture";
            }
            if (!there && !next.said().empty()) {
                if (attempt.settled) {
                    return next.said();
                }
                attempt.early = next.said();
            }
            std::string why = there ? sort(range, attempt, std::move(next), worker) : "";
            if (!why.empty()) {
                return why;
            }
        }
    }
    if (worker != nullptr) {
        finish_tail(*worker, "");
    }
    std::string why = count(range, attempt);
    if (why.empty()) {
        succeed(range, attempt);
    }
    return why;
}

// Hands on what waits, as far as nothing before it in the order of decoding is still to come. A time that no picture
// has does not make all others wait: no encoder shows more pictures before one that they lean on.
void RangedDecoder::release(Range& range, Attempt& attempt, bool all) {
    constexpr std::size_t most = 32;
    while (!attempt.held.empty()) {
        const std::int64_t pts = attempt.held.front().picture->pts;
        const auto place = attempt.latest_before.find(pts);
        const bool early = place != attempt.latest_before.end() && place->second > attempt.last;
        if (early && !all && attempt.held.size() <= most) {
            return;
        }
        attempt.latest_before.erase(attempt.latest_before.begin(), attempt.latest_before.upper_bound(pts));
        DecodedPicture next = std::move(attempt.held.front());
        attempt.held.pop_front();
        deliver(range, std::move(next), attempt.made);
    }
}

// A picture that came may still be one of the range before.
std::string RangedDecoder::sort(Range& range, Attempt& attempt, DecodedPicture next, Worker* worker) {
    if (worker == nullptr || worker->tail == nullptr) {
        return take(range, attempt, std::move(next));
    }
    if (next.picture && next.picture->pts < range.first) {
        return take(*worker->tail, worker->of_tail, std::move(next));
    }
    finish_tail(*worker, "");
    return take(range, attempt, std::move(next));
}

std::string RangedDecoder::count(const Range& range, const Attempt& attempt) {
    const std::int64_t missing = range.expected - attempt.pictures;
    if (missing == 0 || (missing > 0 && missing <= range.leading)) {
        return "";
    }
    return fmt::format("{} pictures came of {} packets", attempt.pictures, range.expected);
}

std::string RangedDecoder::take(Range& range, Attempt& attempt, DecodedPicture next) {
    const std::int64_t pts = next.picture ? next.picture->pts : AV_NOPTS_VALUE;
    switch (place_of(range, pts)) {
        case Place::before:
            return "";
        case Place::after:
            return next.doubt;  // the next range's first picture, on which the last ones of this lean
        case Place::inside:
            break;
    }
    if (!next.doubt.empty()) {
        return next.doubt;
    }
    if (attempt.settled && !next.said().empty()) {
        return next.said();
    }
    attempt.early = next.said().empty() ? attempt.early : next.said();
    if (!attempt.early.empty() && begins_whole(range)) {
        return attempt.early;
    }
    if (attempt.last != AV_NOPTS_VALUE && pts <= attempt.last) {
        return "pictures came out of order";
    }
    if (!attempt.settled) {
        next.complaints = 0;
        next.refused = 0;
        attempt.settled = true;
        attempt.early.clear();
    }
    ++attempt.pictures;
    attempt.last = pts;
    attempt.held.push_back(std::move(next));
    release(range, attempt, false);
    return "";
}

// What a decoder says of an open entry and what leads it in, before its first picture, is not about what is kept: but
// of the first range there is nothing else to say it of where nothing leads it in.
bool RangedDecoder::begins_whole(const Range& range) const {
    const std::lock_guard lock(mutex_);
    return range.from == AV_NOPTS_VALUE && range.leading == 0;
}

// Where a picture with that time belongs.
RangedDecoder::Place RangedDecoder::place_of(const Range& range, std::int64_t pts) const {
    if (pts == AV_NOPTS_VALUE) {
        return Place::inside;
    }
    if (range.from != AV_NOPTS_VALUE && pts < range.from) {
        return Place::before;
    }
    const std::lock_guard lock(mutex_);
    return range.until != AV_NOPTS_VALUE && pts >= range.until ? Place::after : Place::inside;
}

// Null when there are no more, or when all is to end. `anew`: the decoder has not seen what came before the range.
PacketPtr RangedDecoder::next_packet(Range& range, bool anew) {
    std::unique_lock lock(mutex_);
    const auto waiting = [&] {
        return range.repeatable ? static_cast<std::int64_t>(range.packets.size()) > range.read : !range.packets.empty();
    };
    to_do_.wait(lock, [&] { return stopped_ || range.ended || waiting(); });
    if (stopped_ || !waiting()) {
        return nullptr;
    }
    if (range.repeatable && range.bytes > limits_.redo_bytes) {
        range.repeatable = false;
        for (std::int64_t i = 0; i < range.read; ++i) {
            const auto size = static_cast<std::size_t>(range.packets.front()->size);
            bytes_ -= size;
            range.bytes -= size;
            range.packets.pop_front();
        }
    }
    PacketPtr packet;
    if (range.repeatable) {
        packet = reference_to(*range.packets[static_cast<std::size_t>(range.read)]);
    } else {
        packet = std::move(range.packets.front());
        range.packets.pop_front();
        bytes_ -= static_cast<std::size_t>(packet->size);
        range.bytes -= static_cast<std::size_t>(packet->size);
    }
    ++range.read;
    progress_.notify_all();
    return anew && range.read == 1 ? reference_to(*range.start) : std::move(packet);
}

void RangedDecoder::deliver(Range& range, DecodedPicture next, Made made) {
    std::unique_lock lock(mutex_);
    room_.wait(lock, [&] {
        const std::size_t room =
            limits_.pictures - (is_oldest(range) ? 0 : std::min(limits_.kept, limits_.pictures - 1));
        return stopped_ ||
               (pictures_ < room && (made != Made::beside_it || beside_ < limits_.beside || is_oldest(range)));
    });
    if (stopped_) {
        return;
    }
    next.made = made;
    beside_ += made == Made::beside_it ? 1 : 0;
    range.pictures.push_back(std::move(next));
    ++pictures_;
    if (is_oldest(range)) {
        progress_.notify_all();
    }
}

}  // namespace vfilter
