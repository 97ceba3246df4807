#pragma once
// Which picture a window shows when: of a live input each as it comes, of a file each at its time.

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
        wait,  ///< nothing is to be shown yet: look at the window and come again
        show,  ///< the picture is to be shown now
        late,  ///< it was due before, and so is the next one: leave it out
        over,  ///< no more pictures, and the last one has had its time
    };

    virtual ~Playback() = default;

    /// What is due now; waits no longer than `patience` for it. `frame` becomes the picture to be shown or left out.
    virtual Turn take(Frame& frame, std::chrono::milliseconds patience) = 0;
    virtual void pause() = 0;
    virtual void resume() = 0;
    /// The next picture is due at once, also while it is paused.
    virtual void step() = 0;
};

/// Pictures as they come. While it is paused, they are received and dropped.
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

/// Pictures at their times; those are left out whose time is over. While it is paused, nothing is received.
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
    bool ended_ = false;  // no more comes out of the channel
    std::optional<Frame> next_;
    std::optional<Frame> after_next_;
    Clock::duration at_{};  // of the last picture, within the video
    // The last picture of a file stays so long if there was no other one to tell.
    Clock::duration interval_ = std::chrono::milliseconds{40};
    bool any_taken_ = false;
    bool any_shown_ = false;
};

}  // namespace vfilter
