#pragma once
// When a window shows which picture: for a live input each picture as it arrives, for a file each at its time.

#include <chrono>
#include <optional>

#include "pipeline/channel.h"
#include "pipeline/frame.h"
#include "pipeline/live/playback_clock.h"

namespace vfilter {

/// The receiver of a channel. Not thread-safe.
class Playback {
public:
    enum class Turn {
        wait,  ///< nothing is to be shown yet: handle the window's events and call again
        show,  ///< the picture is to be shown now
        late,  ///< it and the next one are already due: skip it
        over,  ///< no more pictures, and the last one has been shown for its time
    };

    virtual ~Playback() = default;

    /// What is due now; waits for it at most for `patience`. `frame` becomes the picture to be shown or skipped.
    virtual Turn take(Frame& frame, std::chrono::milliseconds patience) = 0;
    virtual void pause() = 0;
    virtual void resume() = 0;
    /// Makes the next picture due at once, even while paused.
    virtual void step() = 0;
};

/// Pictures as they arrive. While paused, they are received and dropped.
class LivePlayback : public Playback {
public:
    /// `frames` must outlive it.
    explicit LivePlayback(Channel<Frame>& frames) : frames_(frames) {}

    Turn take(Frame& frame, std::chrono::milliseconds patience) override;
    void pause() override { paused_ = true; }
    void resume() override { paused_ = false; }
    void step() override { step_ = true; }

private:
    Channel<Frame>& frames_;
    bool paused_ = false;
    bool step_ = false;
};

/// Pictures at their times; those whose time is over are skipped. While paused, nothing is received.
class PacedPlayback : public Playback {
public:
    /// pts are in `time_base`. `frames` must outlive it.
    PacedPlayback(Channel<Frame>& frames, AVRational time_base) : frames_(frames), time_base_(time_base) {}

    Turn take(Frame& frame, std::chrono::milliseconds patience) override;
    void pause() override;
    void resume() override;
    void step() override { step_ = true; }

private:
    using Clock = Stamps::Clock;

    [[nodiscard]] Clock::duration time_of(const Frame& frame) const;
    void advance(const Frame& frame);
    [[nodiscard]] std::optional<Frame> receive(std::chrono::microseconds patience);
    [[nodiscard]] Turn wait_for_end(std::chrono::milliseconds patience);

    Channel<Frame>& frames_;
    AVRational time_base_;
    PlaybackClock clock_;
    bool paused_ = false;
    bool step_ = false;
    bool ended_ = false;  // no more pictures will come from the channel
    std::optional<Frame> next_;
    std::optional<Frame> after_next_;
    Clock::duration at_{};  // time of the last picture within the video
    // How long the last picture of a file is shown if there was no other one to determine the interval.
    Clock::duration interval_ = std::chrono::milliseconds{40};
    bool any_taken_ = false;
    bool any_shown_ = false;
};

}  // namespace vfilter
