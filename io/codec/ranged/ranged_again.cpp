// What RangedDecoder does where a range is not whole, or hardware is not used for it: the CPU, in one thread.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "io/codec/cpu_decoding.h"
#include "io/codec/ranged/cpu_session.h"
#include "io/codec/ranged/ranged_decoder.h"

namespace vfilter {

// After the first try, if there was one, has failed.
void RangedDecoder::decode_again(Range& range, Worker& worker, const std::string& why) {
    const bool gone = is_gone(range);
    if (!gone) {
        take_back(range, worker.kind);
    }
    note_failure(range, worker.kind, why);
    if (gone) {
        decode_on(range);
    } else if (!decode_alone(range, worker)) {
        take_back(range, Made::again);
        decode_as_one(range);
    }
}

// What a try has made goes; what was received stays.
void RangedDecoder::take_back(Range& range, Made made) {
    const std::lock_guard lock(mutex_);
    pictures_ -= range.pictures.size();
    beside_ -= made == Made::beside_it ? range.pictures.size() : 0;
    range.pictures.clear();
    room_.notify_all();
}

void RangedDecoder::note_failure(const Range& range, Made made, const std::string& why) {
    const std::lock_guard lock(mutex_);
    const bool from_start = range.read == 0;
    if (facts_.on_cpu == 0) {
        facts_.why_on_cpu = why;
        spdlog::info("a part of the video is decoded on the CPU: {}", why);
    } else {
        spdlog::debug("range decoded on the CPU: {}", why);
    }
    ++facts_.on_cpu;
    const bool failed = !from_start && made == Made::by_hardware;
    if (failed && ++failures_ >= limits_.failures && !no_hardware_) {
        no_hardware_ = true;
        why_not_ = why;
        spdlog::info("the rest of the video is decoded on the CPU, as hardware failed {} times in a row", failures_);
    }
}

// Whether a range that nobody has tried is whole, and is given by that. It waits for no other one, so that several are
// decoded at once where hardware is not used any more.
bool RangedDecoder::decode_alone(Range& range, Worker& worker) {
    {
        const std::lock_guard lock(mutex_);
        if (range.read > 0 || !range.on_cpu.empty() || !range.ended || range.bytes > limits_.redo_bytes) {
            return false;
        }
    }
    if (!worker.alone) {
        worker.alone = std::make_unique<CpuSession>(setup_, pool_, 1);
    }
    return try_range(range, *worker.alone, Made::again, nullptr).empty();
}

// As Decoder has it.
void RangedDecoder::decode_as_one(Range& range) {
    const std::deque<PacketPtr> before = packets_before(range);
    const std::int64_t given = [&] {
        const std::lock_guard lock(mutex_);
        range.read = 0;
        return range.last_given;
    }();
    decode_behind(range, before, given);
}

// What is left of a range whose packets are gone, behind its first picture, as that is all there is to lean on.
void RangedDecoder::decode_on(Range& range) {
    std::deque<PacketPtr> before;
    std::int64_t given = AV_NOPTS_VALUE;
    {
        const std::lock_guard lock(mutex_);
        before.push_back(reference_to(*range.start));
        given = range.last_given;
        for (const DecodedPicture& waiting : range.pictures) {
            given = waiting.picture ? std::max(given, waiting.picture->pts) : given;
        }
    }
    decode_behind(range, before, given);
}

// From the next packet of the range on, of which nothing is given up to the picture of that time.
void RangedDecoder::decode_behind(Range& range, const std::deque<PacketPtr>& before, std::int64_t given) {
    // So many packets of the decoder's are none of the range's, or, below 0, so many of the range's it has not seen.
    const std::int64_t others = static_cast<std::int64_t>(before.size()) - [&] {
        const std::lock_guard lock(mutex_);
        return range.read;
    }();
    CpuDecoding decoding(setup_, pool_, 1, static_cast<std::int64_t>(before.size()));
    decoding.look_on([this](bool /*gets_on*/) {
        const std::lock_guard lock(mutex_);
        ++steps_;
        return !stopped_;
    });
    // Times of what was given rise; after the last one they may be anything.
    bool goes_on = given == AV_NOPTS_VALUE;
    const auto was_given = [&](std::int64_t pts) {
        const bool was = !goes_on && pts != AV_NOPTS_VALUE && pts <= given;
        goes_on = goes_on || (pts != AV_NOPTS_VALUE && pts >= given);
        return was;
    };
    // What is said without a picture that is kept is told by itself, as Decoder does: what it counts for depends on how
    // much was decoded then. Not what is said of packets of which another range tells.
    const auto hand_on = [&](DecodedPicture next, bool told) {
        next.refused = told ? next.refused : 0;
        next.complaints = told ? next.complaints : 0;
        next.known = decoding.known() - others;
        if (next.picture || next.refused > 0 || next.complaints > 0) {
            deliver(range, std::move(next), Made::again);
        }
    };
    const auto decode = [&](const AVPacket* packet, bool told) {
        decoding.send(packet);
        DecodedPicture next;
        while (decoding.receive(next)) {
            const std::int64_t pts = next.picture->pts;
            const bool of_range = next.number >= static_cast<std::int64_t>(before.size());
            // Nothing was said with those that were given: a try ends where something is.
            if (!of_range || !keeps(range, next.number - others) || was_given(pts)) {
                next.picture = nullptr;
            }
            hand_on(std::move(next), told);
        }
        hand_on(std::move(next), told);
    };
    for (const PacketPtr& packet : before) {
        decode(packet.get(), true);
    }
    for (bool more = true; more;) {
        const PacketPtr packet = next_packet(range, before.empty());
        more = packet != nullptr;
        const bool told = packet == nullptr || tells(range);
        if (!told) {
            hand_on(decoding.said(), true);
        }
        decode(packet.get(), told);
        if (!told) {
            static_cast<void>(decoding.said());
        }
    }
    const std::lock_guard lock(mutex_);
    range.enters = decoding.enters_whole();
}

// Whether the picture of that packet, counted from the range's first one, is the range's. By times it cannot be told
// where they go back.
bool RangedDecoder::keeps(const Range& range, std::int64_t packet) const {
    const std::lock_guard lock(mutex_);
    return packet < range.own ? packet == 0 || packet > range.led_in : packet > range.own;
}

// Whether it tells what is said of the packet that was read last: of what leads an entry in the range before does,
// which has the entry for that alone.
bool RangedDecoder::tells(const Range& range) const {
    const std::lock_guard lock(mutex_);
    const std::int64_t packet = range.read - 1;
    return packet != range.own && (packet == 0 || packet > range.led_in);
}

// What one decoder of all would have had before a range that is damaged: what is missing is made up from that. From the
// last range on that can be entered, and as far as packets are kept. Waits until the one before is done.
std::deque<PacketPtr> RangedDecoder::packets_before(const Range& range) {
    std::unique_lock lock(mutex_);
    const auto place = [&] {
        return std::ranges::find_if(ranges_, [&](const auto& each) { return each.get() == &range; });
    };
    progress_.wait(lock, [&] {
        const auto at = place();
        return stopped_ || at == ranges_.begin() || (*std::prev(at))->done;
    });
    std::deque<PacketPtr> before;
    std::size_t ranges = 0;
    bool more = true;
    const AVPacket* start = nullptr;
    const auto put_before = [&](const auto& each, std::size_t own) {
        for (std::size_t i = std::min(each.packets.size(), own); i-- > 0;) {
            before.push_front(reference_to(*each.packets[i]));
        }
        start = each.start.get();
        more = !each.enters && ++ranges < most_before;
    };
    for (auto at = place(); more && at != ranges_.begin();) {
        const Range& each = **--at;
        more = each.repeatable;
        if (more) {
            put_before(each, static_cast<std::size_t>(each.own));
        }
    }
    for (auto at = gone_.rbegin(); more && at != gone_.rend(); ++at) {
        put_before(*at, at->packets.size());
    }
    if (!before.empty()) {
        before.front() = reference_to(*start);
    }
    return before;
}

}  // namespace vfilter
