#pragma once
// When the pictures of a file that is played are due.

#include <chrono>
#include <optional>

#include "pipeline/frame.h"

namespace vfilter {

/// Turns times within a video into times of day. The first one that is asked for is due at once. Not thread-safe.
class PlaybackClock {
public:
    using Time = Stamps::Clock::time_point;
    using Duration = Stamps::Clock::duration;

    /// When a picture at `at` within the video is due. While the clock stands, as it would be if it went on `now`.
    Time due(Duration at, Time now) {
        if (!origin_) {
            origin_ = now - at;
        }
        return *origin_ + at + (paused_ ? now - *paused_ : Duration::zero());
    }
    /// Stands still until resume(): what was due so much later then still is.
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
    /// From now on `at` is what is due now: after a single step.
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
