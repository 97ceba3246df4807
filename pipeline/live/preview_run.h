#pragma once
// The running preview window: what keys and mouse do, and what is drawn.

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "pipeline/live/playback.h"
#include "pipeline/live/preview.h"
#include "pipeline/live/preview_keys.h"
#include "pipeline/live/preview_overlay.h"
#include "pipeline/live/preview_picture.h"
#include "pipeline/live/preview_view.h"
#include "pipeline/live/region_editor.h"

namespace vfilter {

/// Calls a run's tick function a few times a second.
class Ticker {
public:
    explicit Ticker(const std::function<void()>& tick) : tick_(tick) {}

    /// True if it was due and has been called.
    bool look();

    static constexpr std::chrono::milliseconds interval{250};

private:
    const std::function<void()>& tick_;
    Stamps::Clock::time_point last_ = Stamps::never;
};

/// Everything that exists as long as the window. One thread.
class PreviewRun {
public:
    enum class End { over, quit, elsewhere };

    /// What is needed to show pictures until the user moves to another position.
    struct Stretch {
        const PreviewedVideo& video;
        const PreviewHooks& hooks;
        Playback& playback;
        Ticker& ticker;
    };

    /// All must outlive it.
    PreviewRun(PreviewWindow& window, TunedFilters& filters, Preview::Counters& counters)
        : window_(window), filters_(filters), counters_(counters) {}

    /// Runs until no more pictures come, the run ends for another reason (over), the user ends it (quit) or wants to
    /// continue at wanted().
    End show_stretch(const Stretch& stretch);
    /// Seconds from the input's beginning.
    [[nodiscard]] double wanted() const { return target_; }

private:
    using Clock = Stamps::Clock;

    End take_pictures();
    bool go_elsewhere_at_end();

    void look();
    void obey(const PreviewKey& row, int key);
    void pause(bool on);
    void step_back();
    void seek(double to);
    void seek_by(double seconds);
    void toggle_loop();
    void change_strength(StrengthStep step);
    void change_region(const Region& region);
    void tell_change(std::string refusal);
    void take_screenshots();
    void tell(std::string text);

    void feel(const MouseEvent& event);
    void press(int x, int y, bool shift);
    void drag(int x, int y);
    void begin_region(int x, int y, bool shift);
    [[nodiscard]] bool has_bar() const;

    void show(Frame frame);
    void draw();
    void draw_bar(const BgrView& canvas) const;
    [[nodiscard]] std::vector<Outline> outlines() const;
    void count();
    [[nodiscard]] std::string overlay();
    void lay_out_window();
    [[nodiscard]] PictureTime time() const;
    [[nodiscard]] double place_in_video() const;

    PreviewWindow& window_;
    TunedFilters& filters_;
    Preview::Counters& counters_;
    const Stretch* stretch_ = nullptr;

    PreviewView view_;
    ShownPictures shown_;
    PassingNote note_;
    WindowPainter painter_;
    RegionEditor editor_;
    WindowSize size_{1, 1};                                                // of the window when it was last drawn
    WindowLayout layout_;                                                  // and its layout then
    enum class Grip { nothing, bar, line, region } grip_ = Grip::nothing;  // what the mouse is dragging
    std::optional<Frame> current_;                                         // what the window shows
    double interval_ = 0;  // seconds from the picture before the current one, if that was shown, else 0
    bool fitted_ = false;  // the window has been fitted to the first picture
    bool redraw_ = false;
    bool fresh_ = false;  // the current picture has not been drawn yet
    bool quit_ = false;

    // Where the user wants to continue. Not changed again until a picture from the previous position has arrived.
    double target_ = 0;
    bool wanted_ = false;
    bool awaited_ = false;  // no picture has arrived since
    double retreat_ = 1;    // seconds to go back if none arrives at all
};

}  // namespace vfilter
