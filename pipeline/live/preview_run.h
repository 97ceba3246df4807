#pragma once
// The preview's window at work: what keys and mouse do, and what is drawn.

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

/// Calls a run's tick a few times a second.
class Ticker {
public:
    explicit Ticker(const std::function<void()>& tick) : tick_(tick) {}

    /// True if it was time.
    bool look();

    static constexpr std::chrono::milliseconds interval{250};

private:
    const std::function<void()>& tick_;
    Stamps::Clock::time_point last_ = Stamps::never;
};

/// All that lasts while the window does. One thread.
class PreviewRun {
public:
    enum class End { over, quit, elsewhere };

    /// What pictures are shown with, until the user goes elsewhere.
    struct Stretch {
        const PreviewedVideo& video;
        const PreviewHooks& hooks;
        Playback& playback;
        Ticker& ticker;
    };

    /// All must outlive it.
    PreviewRun(PreviewWindow& window, TunedFilters& filters, Preview::Counters& counters)
        : window_(window), filters_(filters), counters_(counters) {}

    /// Until nothing more comes, the run ends for another reason (over), the user has seen enough (quit) or wants to go
    /// on at wanted().
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
    WindowSize size_{1, 1};                                                // of the window when it was drawn last
    WindowLayout layout_;                                                  // and what was where
    enum class Grip { nothing, bar, line, region } grip_ = Grip::nothing;  // what the mouse has hold of
    std::optional<Frame> current_;                                         // what the window shows
    double interval_ = 0;  // seconds from the picture before the current one, if that was shown, else 0
    bool fitted_ = false;  // the window to the first picture
    bool redraw_ = false;
    bool fresh_ = false;  // the current picture has not been drawn yet
    bool quit_ = false;

    // Where the user wants to go on. A second time only when a picture of the first one is there.
    double target_ = 0;
    bool wanted_ = false;
    bool awaited_ = false;  // no picture has come since
    double retreat_ = 1;    // seconds, where none comes at all
};

}  // namespace vfilter
