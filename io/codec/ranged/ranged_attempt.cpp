// The first try at a range: a session gets its packets, and its pictures are sorted and handed on.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "io/codec/ranged/ranged_decoder.h"

namespace vfilter {

namespace {

constexpr const char* hole = "the decoder leaves out a part of a picture";

}  // namespace

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
        if (is_stopped()) {
            return "";
        }
        if (!more && worker != nullptr && worker->tail == nullptr && deal_ahead(range, session, *worker)) {
            worker->tail = &range;
            worker->of_tail = std::move(attempt);
            return "";
        }
        if (packet && (packet->flags & AV_PKT_FLAG_CORRUPT) != 0) {
            std::string why = "a packet is marked as damaged";
            if (!lets_pass(range, attempt, why)) {
                return why;
            }
        }
        if (packet) {
            attempt.latest_before.emplace(packet->pts, attempt.latest_sent);
            attempt.latest_sent = std::max(attempt.latest_sent, packet->pts);
        }
        session.send(packet.get());
        for (bool there = true; there;) {
            DecodedPicture next;
            there = session.receive(next);
            std::string why =
                there ? sort(range, attempt, std::move(next), worker) : hear(range, attempt, std::move(next));
            if (!why.empty()) {
                return why;
            }
        }
    }
    if (worker != nullptr) {
        finish_tail(*worker, "");
    }
    std::string why = count(range, attempt);
    if (why.empty() || lets_pass(range, attempt, why)) {
        succeed(range, attempt);
        return "";
    }
    return why;
}

bool RangedDecoder::is_stopped() {
    const std::lock_guard lock(mutex_);
    return stopped_;
}

// Whether packets that its session has had are gone: nothing more comes of them than has come.
bool RangedDecoder::is_gone(const Range& range) const {
    const std::lock_guard lock(mutex_);
    return range.read > 0 && !range.repeatable;
}

// Whether a fault is taken as it comes.
bool RangedDecoder::lets_pass(const Range& range, Attempt& attempt, const std::string& why) {
    if (!attempt.as_it_comes && is_gone(range)) {
        attempt.as_it_comes = true;
        spdlog::info("a part of the video is too long to be decoded again; its damage stays as it comes: {}", why);
    }
    return attempt.as_it_comes;
}

// What is said without a picture.
std::string RangedDecoder::hear(Range& range, Attempt& attempt, DecodedPicture next) {
    std::string why = next.left_out > 0 ? hole : next.said();
    if (why.empty()) {
        return "";
    }
    if (!attempt.settled && next.left_out == 0) {
        attempt.early = std::move(why);
        return "";
    }
    if (!lets_pass(range, attempt, why)) {
        return why;
    }
    next.complaints += next.left_out;
    next.complaint = next.complaint.empty() ? hole : next.complaint;
    deliver(range, std::move(next), attempt.made);
    return "";
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

// Why a picture may not be what it should be.
std::string RangedDecoder::doubt_of(const DecodedPicture& next, Place place) {
    return next.left_out > 0 ? hole : place == Place::before ? "" : next.doubt;
}

// The same of one of the range, together with all that is said.
std::string RangedDecoder::fault_of(const Range& range, Attempt& attempt, const DecodedPicture& next) const {
    if (std::string doubt = doubt_of(next, Place::inside); !doubt.empty()) {
        return doubt;
    }
    if (attempt.settled && !next.said().empty()) {
        return next.said();
    }
    attempt.early = next.said().empty() ? attempt.early : next.said();
    if (!attempt.early.empty() && begins_whole(range)) {
        return attempt.early;
    }
    return attempt.last != AV_NOPTS_VALUE && next.picture->pts <= attempt.last ? "pictures came out of order" : "";
}

std::string RangedDecoder::take(Range& range, Attempt& attempt, DecodedPicture next) {
    const std::int64_t pts = next.picture->pts;
    const Place place = place_of(range, pts);
    // The next range's first picture is one on which the last ones of this lean.
    std::string why = place == Place::inside ? fault_of(range, attempt, next) : doubt_of(next, place);
    const bool usable = place != Place::inside || next.doubt.empty() || next.damaged;
    if (!why.empty() && (!usable || !lets_pass(range, attempt, why))) {
        if (is_gone(range)) {
            release(range, attempt, true);
        }
        return why;
    }
    if (place != Place::inside) {
        return "";
    }
    if (!next.doubt.empty() || next.left_out > 0) {
        next.picture->flags |= AV_FRAME_FLAG_CORRUPT;
    }
    if (!attempt.settled) {
        next.complaints = 0;
        next.refused = 0;
        attempt.settled = true;
        attempt.early.clear();
    }
    ++attempt.pictures;
    attempt.last = std::max(attempt.last, pts);
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
    ++steps_;
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
    ++steps_;
    if (is_oldest(range)) {
        progress_.notify_all();
    }
}

}  // namespace vfilter
