#include "io/codec/ranged/range_worker.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <utility>

#include "config/error.h"
#include "io/codec/ranged/cpu_session.h"
#include "io/codec/ranged/range_again.h"

namespace vfilter {

void RangeWorker::run() {
    pthread_setname_np(pthread_self(), "decode range");
    if (kind_ == Made::beside_it) {
        // What feeds hardware comes first, and encoders do. Threads that are made here have the same priority.
        constexpr int low_priority = 10;
        setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), low_priority);
    }
    try {
        if (kind_ == Made::by_hardware && !begin()) {
            return;
        }
        while (PacketRange* const range = next_range()) {
            decode(*range);
            if (!tail_ || &tail_->range() != range) {
                queue_.finish(*range);
            }
        }
        // Who gives its decoder back holds the driver up for as long as it takes to make one, and all that are at work
        // with it.
        queue_.wait_for_others();
    } catch (...) {
        queue_.fail(std::current_exception());
    }
}

// Before a range is dealt, which others would have to wait for: hardware's decoders are made one after the other, and
// who has one goes first, or the CPU's session. False if there is no room for one more session.
bool RangeWorker::begin() {
    std::string why;
    try {
        // The driver asks what each decoder can do before it makes it, and takes such calls in any order: without this,
        // the first decoder would be made when all have been asked about.
        const std::lock_guard one_by_one(work_.making);
        if (queue_.is_over()) {
            return false;
        }
        first_ = work_.make.hardware();
        if (work_.closed_entry) {
            first_->warm_up(*work_.closed_entry);
        }
    } catch (const Error& error) {
        if (error.code() == ExitCode::device_lost) {
            throw;
        }
        why = error.what();
    }
    --work_.starting;
    if (first_) {
        work_.hardware.made();
        return true;
    }
    return work_.hardware.not_made(why);
}

// Null at the end.
PacketRange* RangeWorker::next_range() {
    PacketRange* const ahead = std::exchange(ahead_, nullptr);
    if (ahead == nullptr) {
        return queue_.deal(kind_);
    }
    return queue_.is_stopped() ? nullptr : ahead;
}

void RangeWorker::decode(PacketRange& range) {
    const std::optional<std::string> given_up = kind_ == Made::by_hardware ? work_.hardware.given_up() : std::nullopt;
    std::string why = given_up ? *given_up : queue_.on_cpu(range);
    if (why.empty()) {
        if (std::exchange(laden_, false) && range.start().bare) {
            first_.reset();  // a flush does not take messages away
        }
        why = try_first(range);
        laden_ = queue_.state(range).laden;
        if (why.empty()) {
            return;
        }
        first_.reset();  // who knows what state it is in
    }
    finish_tail(why);
    decode_again(range, why);
}

// Why the range has to be decoded again, as below.
std::string RangeWorker::try_first(PacketRange& range) {
    try {
        if (!first_) {
            first_ = kind_ == Made::by_hardware ? work_.make.hardware() : work_.make.beside();
        }
        return try_range(range, *first_, kind_);
    } catch (const Error& error) {
        if (error.code() == ExitCode::device_lost) {
            throw;
        }
        return error.what();
    }
}

// Why the range has to be decoded again; "" if it has not, and is given as it is. Its last pictures may still be to
// come: see tail_.
std::string RangeWorker::try_range(PacketRange& range, RangeSession& session, Made made) {
    session.begin(range.start().entry, tail_.has_value());
    RangeAttempt attempt(queue_, range, made, work_.setup.codec->codec_id);
    for (bool more = true; more;) {
        const PacketPtr packet = queue_.next_packet(range, true);
        more = packet != nullptr;
        if (queue_.is_stopped()) {
            return "";
        }
        if (!more && made != Made::again && !tail_ && session.feeds_on()) {
            ahead_ = queue_.deal_ahead(range, made);
            if (ahead_ != nullptr) {
                tail_.emplace(std::move(attempt));
                return "";
            }
        }
        if (std::string why = packet ? attempt.sends(*packet) : ""; !why.empty()) {
            return why;
        }
        session.send(packet.get());
        for (bool there = true; there;) {
            DecodedPicture next;
            there = session.receive(next);
            std::string why = there ? sort(attempt, std::move(next)) : attempt.hear(std::move(next));
            if (!why.empty()) {
                return why;
            }
        }
    }
    finish_tail("");
    return end(attempt, "");
}

// A picture that came may still be one of the range before.
std::string RangeWorker::sort(RangeAttempt& attempt, DecodedPicture next) {
    if (tail_ && next.picture && next.picture->pts < attempt.range().start().first) {
        return tail_->take(std::move(next));
    }
    finish_tail("");
    return attempt.take(std::move(next));
}

// Why the range has to be decoded again after all.
std::string RangeWorker::end(RangeAttempt& attempt, const std::string& why) {
    std::string again = attempt.end(why);
    if (again.empty() && attempt.made() == Made::by_hardware) {
        work_.hardware.succeeded();
    }
    return again;
}

// The range before has all that comes of it from the session, or fails for that reason.
void RangeWorker::finish_tail(const std::string& why) {
    if (!tail_) {
        return;
    }
    RangeAttempt tail = std::move(*tail_);
    tail_.reset();
    if (const std::string again = end(tail, why); !again.empty()) {
        decode_again(tail.range(), again);
    }
    queue_.finish(tail.range());
}

// On the CPU, in one thread, after the first try, if there was one, has failed.
void RangeWorker::decode_again(PacketRange& range, const std::string& why) {
    const RangeState state = queue_.state(range);
    if (!state.is_gone()) {
        queue_.take_back(range);
    }
    work_.hardware.left_to_cpu(why, kind_ == Made::by_hardware && state.read > 0);
    if (state.is_gone()) {
        decode_on(queue_, range, work_.setup, work_.pool);
    } else if (!decode_alone(range)) {
        queue_.take_back(range);
        decode_as_one(queue_, range, work_.setup, work_.pool);
    }
}

// Whether a range that nobody has tried is whole, and is given by that. It waits for no other one, so that several are
// decoded at once where hardware is not used any more.
bool RangeWorker::decode_alone(PacketRange& range) {
    if (!queue_.is_untouched(range)) {
        return false;
    }
    if (!alone_) {
        alone_ = std::make_unique<CpuSession>(work_.setup, work_.pool, 1);
    }
    return try_range(range, *alone_, Made::again).empty();
}

}  // namespace vfilter
