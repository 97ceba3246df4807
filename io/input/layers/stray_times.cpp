#include "io/input/layers/stray_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "io/demuxers.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

constexpr std::int64_t far_back = AV_TIME_BASE / 10;
constexpr std::int64_t far_ahead = AV_TIME_BASE / 2;
// No PES packet of sound is longer; one of pictures holds one or two.
constexpr std::int64_t longest_run = AV_TIME_BASE;
constexpr std::size_t most_pictures = 2;
// What is read ahead at most, in packets and bytes.
constexpr std::size_t most_ahead = 500;
constexpr std::int64_t most_bytes_ahead = 16 << 20;

}  // namespace

int StrayTimes::seek(int stream, std::int64_t latest, int flags) {
    due_.clear();
    unsteady_.clear();
    ahead_.clear();
    end_ = 0;
    damage_ = {};
    return PacketLayer::seek(stream, latest, flags);
}

Damage StrayTimes::take_damage() {
    Damage damage = PacketLayer::take_damage();
    damage += std::exchange(damage_, {});
    return damage;
}

std::int64_t StrayTimes::time_of(const AVPacket& packet) const {
    return microseconds(packet.dts, format().streams[packet.stream_index]->time_base);
}

std::int64_t StrayTimes::end_of(const AVPacket& packet) const {
    return microseconds(av_sat_add64(packet.dts, packet.duration), format().streams[packet.stream_index]->time_base);
}

// What an edit list hides has a time of its own. Of pictures other containers tell no decoding times, and FFmpeg's
// guess is wrong for some where files were joined.
bool StrayTimes::is_far(const AVPacket& packet) const {
    const AVMediaType type = format().streams[packet.stream_index]->codecpar->codec_type;
    const bool told =
        type == AVMEDIA_TYPE_AUDIO || (type == AVMEDIA_TYPE_VIDEO && is_transport_stream(*format().iformat));
    const std::int64_t due = due_[static_cast<std::size_t>(packet.stream_index)];
    if (!told || packet.dts == AV_NOPTS_VALUE || due == AV_NOPTS_VALUE || (packet.flags & AV_PKT_FLAG_DISCARD) != 0) {
        return false;
    }
    const std::int64_t time = time_of(packet);
    return time < av_sat_sub64(due, far_back_of(packet.stream_index)) || time > av_sat_add64(due, far_ahead);
}

// Of ASF an encoder's clock may have given them, and of others a writer that rounds: where steps differ, one that is
// smaller is none of its own.
std::int64_t StrayTimes::far_back_of(int stream) const {
    const bool loose = demuxer_facts(*format().iformat).has(input_fact::loose_times);
    return std::max(loose ? far_ahead : far_back, 2 * unsteady_[static_cast<std::size_t>(stream)]);
}

// How far from its time a packet came, of which less remains with each that follows. A step of the clock is none.
void StrayTimes::note_steadiness(const AVPacket& packet) {
    constexpr std::int64_t remembered = 16;  // packets
    const auto stream = static_cast<std::size_t>(packet.stream_index);
    if (due_[stream] == AV_NOPTS_VALUE || (packet.flags & AV_PKT_FLAG_DISCARD) != 0) {
        return;
    }
    const std::int64_t off = std::abs(av_sat_sub64(time_of(packet), due_[stream]));
    unsteady_[stream] -= unsteady_[stream] / remembered;
    unsteady_[stream] = std::max(unsteady_[stream], off > far_ahead ? 0 : off);
}

// Null where there is none, or where nobody looks that far.
const AVPacket* StrayTimes::ahead(std::size_t place) {
    if (place < ahead_.size()) {
        return ahead_[place].get();
    }
    std::int64_t bytes = 0;
    for (const PacketPtr& packet : ahead_) {
        bytes += packet->size;
    }
    if (end_ < 0 || place >= most_ahead || bytes >= most_bytes_ahead) {
        return nullptr;
    }
    PacketPtr packet = make_packet();
    end_ = inner().read(*packet);
    if (end_ < 0) {
        return nullptr;
    }
    ahead_.push_back(std::move(packet));
    return ahead_.back().get();
}

// How many of those that were read ahead come before the one with which the stream is back where it was, or 0 where
// it goes on from `first`. Whichever of the two is nearer.
std::size_t StrayTimes::find_stray(const AVPacket& first) {
    const int stream = first.stream_index;
    const bool pictures = format().streams[stream]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    const std::int64_t due = due_[static_cast<std::size_t>(stream)];
    const std::int64_t begin = time_of(first);
    std::int64_t latest = begin;
    std::int64_t end = end_of(first);
    std::size_t run = 1;
    for (std::size_t i = 0;; ++i) {
        const AVPacket* const next = ahead(i);
        if (next == nullptr) {
            return 0;
        }
        if (next->stream_index != stream || next->dts == AV_NOPTS_VALUE) {
            continue;
        }
        const std::int64_t time = time_of(*next);
        const std::int64_t back = av_sat_add64(due, av_sat_sub64(end, begin));
        const bool returns = begin > due ? time < latest : time > av_sat_sub64(due, far_back);
        if (returns && std::abs(av_sat_sub64(time, back)) < std::abs(av_sat_sub64(time, end))) {
            return i + 1;
        }
        latest = time;
        end = end_of(*next);
        if (std::abs(av_sat_sub64(end, begin)) > longest_run || (pictures && ++run > most_pictures)) {
            return 0;
        }
    }
}

void StrayTimes::mend(AVPacket& first, std::size_t behind) {
    const int stream = first.stream_index;
    const std::int64_t by = av_sat_sub64(due_[static_cast<std::size_t>(stream)], time_of(first));
    const std::int64_t ticks = av_rescale_q(by, microseconds_base, format().streams[stream]->time_base);
    const std::string what = fmt::format(
        "stream {}: a packet that is due at {:.3f} s is stamped {:.3f} s {}, unlike those after it", stream,
        seconds_of(due_[static_cast<std::size_t>(stream)]), std::abs(seconds_of(by)), by < 0 ? "later" : "earlier");
    if (strict_) {
        throw Error(ExitCode::damaged, what + "; --strict was given");
    }
    damage_.note(what);
    ++damage_.packets;
    move_times(first, ticks);
    for (std::size_t i = 0; i + 1 < behind; ++i) {
        if (ahead_[i]->stream_index == stream) {
            ++damage_.packets;
            move_times(*ahead_[i], ticks);
        }
    }
}

int StrayTimes::read(AVPacket& packet) {
    if (!ahead_.empty()) {
        av_packet_move_ref(&packet, ahead_.front().get());
        ahead_.pop_front();
    } else if (const int got = end_ < 0 ? std::exchange(end_, 0) : inner().read(packet); got < 0) {
        return got;
    }
    due_.resize(std::max<std::size_t>(due_.size(), format().nb_streams), AV_NOPTS_VALUE);
    unsteady_.resize(due_.size(), 0);
    if (is_far(packet)) {
        if (const std::size_t behind = find_stray(packet); behind > 0) {
            mend(packet, behind);
        }
    }
    if (packet.dts != AV_NOPTS_VALUE) {
        note_steadiness(packet);
        due_[static_cast<std::size_t>(packet.stream_index)] = end_of(packet);
    }
    return 0;
}

}  // namespace vfilter
