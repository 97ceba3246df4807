#include "pipeline/live/playback.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace vfilter {

Playback::Turn LivePlayback::take(Frame& frame, std::chrono::milliseconds patience) {
    auto [next, ended] = frames_.receive_for(patience);
    if (!next || (paused_ && !step_)) {
        return ended ? Turn::over : Turn::wait;
    }
    step_ = false;
    frame = *std::move(next);
    return Turn::show;
}

void PacedPlayback::pause() {
    paused_ = true;
    clock_.pause(Clock::now());
}

void PacedPlayback::resume() {
    paused_ = false;
    clock_.resume(Clock::now());
}

// Without a time it comes when it comes.
PacedPlayback::Clock::duration PacedPlayback::time_of(const Frame& frame) const {
    return frame.picture->pts == AV_NOPTS_VALUE ? at_
                                                : Clock::duration(std::chrono::nanoseconds(
                                                      av_rescale_q(frame.picture->pts, time_base_, {1, 1000000000})));
}

void PacedPlayback::advance(const Frame& frame) {
    const Clock::duration before = std::exchange(at_, time_of(frame));
    if (any_taken_ && at_ > before) {
        interval_ = at_ - before;
    }
    any_taken_ = true;
}

// The last picture has its time, too.
Playback::Turn PacedPlayback::wait_for_end(std::chrono::milliseconds patience) {
    if (!ended_) {
        return Turn::wait;
    }
    if (!any_shown_ || clock_.due(at_ + interval_, Clock::now()) <= Clock::now()) {
        return Turn::over;
    }
    std::this_thread::sleep_for(patience);
    return Turn::wait;
}

std::optional<Frame> PacedPlayback::receive(std::chrono::microseconds patience) {
    Channel<Frame>::Received received = frames_.receive_for(patience);
    ended_ = received.ended;
    return std::move(received.item);
}

Playback::Turn PacedPlayback::take(Frame& frame, std::chrono::milliseconds patience) {
    if (paused_ && !step_) {
        std::this_thread::sleep_for(patience);
        return Turn::wait;
    }
    if (!next_) {
        next_ = after_next_ ? std::exchange(after_next_, std::nullopt) : receive(patience);
    }
    if (!next_) {
        return wait_for_end(patience);
    }
    const auto now = Clock::now();
    if (std::exchange(step_, false)) {
        clock_.set(time_of(*next_), now);
    }
    if (const auto wait = clock_.due(time_of(*next_), now) - now; wait > Clock::duration::zero()) {
        std::this_thread::sleep_for(std::min<Clock::duration>(wait, patience));
        return Turn::wait;
    }
    if (!after_next_ && !ended_) {
        after_next_ = receive(std::chrono::microseconds(0));
    }
    advance(*next_);
    const bool late = after_next_ && any_shown_ && !paused_ && clock_.due(time_of(*after_next_), now) <= now;
    frame = *std::exchange(next_, std::nullopt);
    any_shown_ = any_shown_ || !late;
    return late ? Turn::late : Turn::show;
}

}  // namespace vfilter
