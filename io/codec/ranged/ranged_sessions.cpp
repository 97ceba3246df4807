// The threads of RangedDecoder's sessions: which range each takes, and for how long it waits for others.

#include "io/codec/ranged/ranged_decoder.h"

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
    if (why.empty() || lets_pass(*tail, worker.of_tail, why)) {
        succeed(*tail, worker.of_tail);
    } else {
        decode_again(*tail, worker, why);
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
        if (std::exchange(worker.laden, false) && range.bare) {
            worker.first.reset();  // a flush does not take messages away
        }
        why = try_first(range, worker);
        {
            const std::lock_guard lock(mutex_);
            worker.laden = range.laden;
        }
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
    if (next.entry != Entry::closed || !next.on_cpu.empty() || (next.bare && range.laden)) {
        return false;
    }
    ++dealt_;
    worker.next = &next;
    return true;
}

}  // namespace vfilter
