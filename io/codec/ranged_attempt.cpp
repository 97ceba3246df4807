// The first try at a range: a session gets its packets, and its pictures are sorted and handed on.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/codec/ranged_decoder.h"

namespace vfilter {

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
