#include "io/input/layers/clock_jumps.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "io/packet_times.h"

namespace vfilter {

namespace {

constexpr std::int64_t min_jump = AV_TIME_BASE / 10;
constexpr std::int64_t min_jump_forward = AV_TIME_BASE / 2;
// A segment that is missing takes seconds; those of HLS and DASH have two to ten.
constexpr std::int64_t longest_part = 30 * std::int64_t{AV_TIME_BASE};

}  // namespace

bool ClockJumps::occur_in(const AVFormatContext& format, bool sends_live) {
    const std::string_view name = format.iformat->name;
    return (format.iformat->flags & AVFMT_TS_DISCONT) != 0 || (sends_live && (name == "flv" || name == "live_flv"));
}

int ClockJumps::seek(int stream, std::int64_t latest, int flags) {
    clocks_.clear();
    offsets_ = {0};
    longest_step_ = forward_ = 0;
    holes_ = inner().holes();
    return PacketLayer::seek(stream, latest, flags);
}

std::int64_t ClockJumps::latest_due() const {
    const auto latest = std::ranges::max_element(clocks_, {}, &Clock::due);
    return latest == clocks_.end() ? AV_NOPTS_VALUE : latest->due;
}

void ClockJumps::jump(const AVPacket& packet, std::int64_t by) {
    offsets_.push_back(av_sat_sub64(offsets_.back(), by));
    spdlog::debug("stream {}: the clock jumps by {:.3f} s", packet.stream_index, seconds_of(by));
}

// One wrong time, as demuxers that cannot seek make up: the packet behind it goes on where the one before it was, and
// no other stream has jumped.
bool ClockJumps::was_stray(const Clock& clock, std::int64_t dts) const {
    if (clock.before == AV_NOPTS_VALUE || clock.jump + 1 != offsets_.size() ||
        std::ranges::count(clocks_, clock.jump, &Clock::jump) != 1) {
        return false;
    }
    const std::int64_t unmoved = av_sat_add64(dts, av_sat_sub64(offsets_[clock.jump - 1], offsets_[clock.jump]));
    const std::int64_t distance = std::abs(av_sat_sub64(unmoved, clock.before));
    return distance < min_jump && distance < std::abs(av_sat_sub64(dts, clock.due));
}

// A recorder that paused, or files put together: nothing says which.
void ClockJumps::tell_hole(std::int64_t from, std::int64_t step) {
    constexpr std::int64_t told_from = 60 * std::int64_t{AV_TIME_BASE};
    if (step < told_from || std::exchange(told_hole_, true)) {
        return;
    }
    spdlog::warn(
        "at {:.3f} s the input's clock jumps forward by {:.1f} s in all streams, and the output's "
        "timestamps jump with it",
        account_.told(from), seconds_of(step));
}

// Each stream meets the jump at a place of its own; the first one to do so says by how much all are moved. `dts` is
// the packet's in the clock that its stream has had so far, which has told when it is due.
void ClockJumps::go_on(Clock& clock, const AVPacket& packet, std::int64_t dts) {
    if (was_stray(clock, dts)) {
        dts = av_sat_add64(dts, av_sat_sub64(offsets_[clock.jump - 1], offsets_[clock.jump]));
        --clock.jump;
        clock.due = clock.before;
        offsets_.pop_back();
    }
    clock.before = AV_NOPTS_VALUE;
    const bool last = clock.jump + 1 == offsets_.size();
    const std::int64_t latest = latest_due();
    if (dts < av_sat_sub64(clock.due, min_jump)) {
        if (++clock.jump == offsets_.size()) {
            clock.before = clock.due;
            jump(packet, av_sat_sub64(dts, latest));
        }
    } else if (!last) {
        const std::int64_t next = av_sat_add64(dts, av_sat_sub64(offsets_[clock.jump + 1], offsets_[clock.jump]));
        clock.jump += std::abs(av_sat_sub64(next, clock.due)) < av_sat_sub64(dts, clock.due) ? 1 : 0;
    } else if (dts > latest) {
        // A picture that stands still leaves a hole as well, while other streams go on; alone it seldom does so.
        const std::int64_t step = av_sat_sub64(dts, latest);
        const bool far = step > std::max(min_jump_forward, av_sat_add64(longest_step_, longest_step_));
        const std::int64_t missing = far ? inner().holes() - std::exchange(holes_, inner().holes()) : 0;
        // What was missing leaves its hole; no hole is longer than what was.
        const bool joint = far && forward_ < inner().joints() && step > missing * longest_part;
        if (const std::int64_t by = joint ? step : excess(dts, step); by > min_jump_forward) {
            forward_ += joint ? 1 : 0;
            ++clock.jump;
            jump(packet, by);
        } else {
            longest_step_ = std::max(longest_step_, step);
            tell_hole(latest, step);
        }
    }
}

std::int64_t ClockJumps::lead(std::int64_t time) const {
    const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(WallClock::now() - *asked_);
    return av_sat_sub64(av_sat_sub64(time, first_time_), passed.count());
}

// How much of a step forward cannot have passed, as nothing comes before it has happened. What comes late, and after it
// faster than time passes, is not ahead of what came before; nor is what comes after a hole.
std::int64_t ClockJumps::excess(std::int64_t dts, std::int64_t step) const {
    return asked_ && first_time_ != AV_NOPTS_VALUE ? std::min(step, av_sat_sub64(lead(dts), longest_lead_)) : 0;
}

void ClockJumps::note_lead(std::int64_t time) {
    if (asked_) {
        first_time_ = first_time_ == AV_NOPTS_VALUE ? time : first_time_;
        longest_lead_ = std::max(longest_lead_, lead(time));
    }
}

int ClockJumps::read(AVPacket& packet) {
    const int got = inner().read(packet);
    if (got < 0) {
        return got;
    }
    clocks_.resize(std::max<std::size_t>(clocks_.size(), format().nb_streams));
    Clock& clock = clocks_[static_cast<std::size_t>(packet.stream_index)];
    const AVRational base = format().streams[packet.stream_index]->time_base;
    if (packet.dts != AV_NOPTS_VALUE && clock.due != AV_NOPTS_VALUE) {
        go_on(clock, packet, av_sat_add64(microseconds(packet.dts, base), offsets_[clock.jump]));
    }
    move_times(packet, av_rescale_q(offsets_[clock.jump], microseconds_base, base));
    if (packet.dts != AV_NOPTS_VALUE) {
        note_lead(microseconds(packet.dts, base));
        clock.due = microseconds(av_sat_add64(packet.dts, packet.duration), base);
    }
    return got;
}

}  // namespace vfilter
