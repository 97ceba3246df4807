#pragma once
// When the pictures of a file being played are due.

#include <chrono>
#include <optional>

#include "pipeline/frame.h"

namespace vfilter {

/// Converts times within a video to times of day. The first time requested is due at once. Not thread-safe.
class PlaybackClock {
public:
    using Time = Stamps::Clock::time_point;
    using Duration = Stamps::Clock::duration;

    /// When a picture at `at` within the video is due. While the clock is paused, when it would be due if the clock
    /// resumed `now`.
    Time due(Duration at, Time now) {
        if (!origin_) {
            origin_ = now - at;
        }
        return *origin_ + at + (paused_ ? now - *paused_ : Duration::zero());
    }
    /// Pauses until resume(): everything is then due that much later.
    void pause(Time now) {
        if (!paused_) {
            paused_ = now;
        }
    }
    void resume(Time now) {
        if (paused_ && origin_) {
            *origin_ += now - *paused_;
        }
        paused_.reset();
    }
    /// Makes `at` due now: after a single step.
    void set(Duration at, Time now) {
        origin_ = now - at;
        if (paused_) {
            paused_ = now;
        }
    }

private:
    std::optional<Time> origin_;  // when 0 within the video was due
    std::optional<Time> paused_;
};

}  // namespace vfilter
