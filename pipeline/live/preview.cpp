#include "pipeline/live/preview.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "config/error.h"
#include "io/formats/bgr_picture.h"
#include "pipeline/live/playback.h"
#include "pipeline/live/preview_keys.h"
#include "pipeline/live/preview_overlay.h"
#include "pipeline/live/preview_picture.h"
#include "pipeline/live/preview_screenshots.h"
#include "pipeline/live/preview_view.h"

namespace vfilter {

namespace {

using Clock = Stamps::Clock;

// Between two looks at the window. Short, as a key should do its thing at once.
constexpr std::chrono::milliseconds look_interval{5};
constexpr std::chrono::milliseconds tick_interval{250};
constexpr double line_step = 0.02;  // of the picture's width

// Calls the run's tick a few times a second.
class Ticker {
public:
    explicit Ticker(const std::function<void()>& tick) : tick_(tick) {}

    /// True if it was time.
    bool look() {
        const auto now = Clock::now();
        if (now - last_ < tick_interval) {
            return false;
        }
        last_ = now;
        if (tick_) {
            tick_();
        }
        return true;
    }

private:
    const std::function<void()>& tick_;
    Clock::time_point last_ = Stamps::never;
};

// The window while pictures are shown in it.
class PreviewRun {
public:
    PreviewRun(PreviewWindow& window, TunedFilters& filters, Preview::Counters& counters, Playback& playback, bool live,
               const PreviewHooks& hooks, Ticker& ticker)
        : window_(window),
          filters_(filters),
          counters_(counters),
          playback_(playback),
          live_(live),
          hooks_(hooks),
          ticker_(ticker) {}

    /// Until nothing more comes, the user has seen enough, or the run ends for another reason.
    void run();
    [[nodiscard]] bool quit() const { return quit_; }

private:
    void look();
    void obey(const PreviewKey& row, int key);
    void pause(bool on);
    void put_line(double at);
    void change_strength(bool stronger);
    void take_screenshots();
    void tell(std::string text);

    void show(Frame frame);
    void draw();
    void count();
    [[nodiscard]] std::string overlay();

    PreviewWindow& window_;
    TunedFilters& filters_;
    Preview::Counters& counters_;
    Playback& playback_;
    bool live_;
    const PreviewHooks& hooks_;
    Ticker& ticker_;

    PreviewView view_;
    ShownPictures shown_;
    PassingNote note_;
    WindowPainter painter_;
    std::optional<Frame> current_;  // what the window shows
    bool fitted_ = false;           // the window to the first picture
    bool redraw_ = false;
    bool fresh_ = false;  // the current picture has not been drawn yet
    bool quit_ = false;
};

void PreviewRun::run() {
    while (!quit_ && !(hooks_.ending && hooks_.ending())) {
        look();
        Frame frame;
        switch (playback_.take(frame, look_interval)) {
            case Playback::Turn::wait:
                break;
            case Playback::Turn::show:
                show(std::move(frame));
                break;
            case Playback::Turn::late:
                ++counters_.late;
                break;
            case Playback::Turn::over:
                return;
        }
    }
}

void PreviewRun::look() {
    if (ticker_.look()) {
        redraw_ = redraw_ || view_.paused;  // the window may have another size
    }
    const int key = window_.poll_key();
    if (window_.closed()) {
        quit_ = true;
        return;
    }
    if (const std::optional<double> at = window_.poll_drag(); at && current_) {
        put_line(*at);
    }
    if (const PreviewKey* const row = find_preview_key(key)) {
        obey(*row, key);
    }
    if (redraw_ && current_) {
        draw();
    }
}

void PreviewRun::obey(const PreviewKey& row, int key) {
    redraw_ = true;
    switch (row.action) {
        case PreviewAction::quit:
            quit_ = true;
            return;
        case PreviewAction::pause:
            pause(!view_.paused);
            return;
        case PreviewAction::step:
            pause(true);
            playback_.step();
            return;
        case PreviewAction::screenshot:
            take_screenshots();
            return;
        case PreviewAction::original:
            view_.toggle_original();
            return;
        case PreviewAction::split_left:
            view_.move_line(-line_step);
            return;
        case PreviewAction::split_right:
            view_.move_line(line_step);
            return;
        case PreviewAction::weaker:
            change_strength(false);
            return;
        case PreviewAction::stronger:
            change_strength(true);
            return;
        case PreviewAction::choose:
            filters_.choose(static_cast<std::size_t>(key - row.first));
            return;
        case PreviewAction::full_screen:
            view_.full_screen = !view_.full_screen;
            window_.set_full_screen(view_.full_screen);
            return;
        case PreviewAction::overlay:
            view_.numbers = !view_.numbers;
            return;
        case PreviewAction::help:
            view_.help = !view_.help;
            return;
    }
    throw std::logic_error("preview: not an action");
}

void PreviewRun::pause(bool on) {
    view_.paused = on;
    if (on) {
        playback_.pause();
    } else {
        playback_.resume();
    }
}

// `at`: 0 at the window's left to 1 at its right.
void PreviewRun::put_line(double at) {
    const AVFrame& picture = *current_->picture;
    const WindowSize size = window_.size();
    const Place place = place_in(size, picture.width, picture.height, sample_aspect_of(picture));
    view_.put_line((at * (size.width - 1) - place.x) / std::max(1, place.width - 1));
    redraw_ = true;
}

void PreviewRun::change_strength(bool stronger) {
    if (std::string refusal = filters_.change_strength(stronger, hooks_.change); !refusal.empty()) {
        tell(std::move(refusal));
    }
}

void PreviewRun::take_screenshots() {
    if (!current_) {
        return;
    }
    try {
        tell("saved " + save_screenshots(*current_, view_) + "-*.png");
    } catch (const Error& error) {
        // A full disk is no reason to end what else is going on.
        spdlog::warn("no screenshot: {}", error.what());
        tell("no screenshot could be saved");
    }
}

void PreviewRun::tell(std::string text) {
    note_.set(std::move(text), Clock::now());
    redraw_ = true;
}

void PreviewRun::show(Frame frame) {
    current_ = std::move(frame);
    const AVFrame& picture = *current_->picture;
    if (!fitted_) {
        window_.fit(std::max(1, static_cast<int>(std::lround(picture.width * sample_aspect_of(picture)))),
                    picture.height);
        fitted_ = true;
    }
    fresh_ = true;
    draw();
}

void PreviewRun::draw() {
    redraw_ = false;
    const BgrView view = painter_.paint(*current_, view_.split, window_.size());
    if (const std::string text = overlay(); !text.empty()) {
        window_.write_text(view, text);
    }
    if (std::exchange(fresh_, false)) {
        count();
    }
    window_.show(view);
}

void PreviewRun::count() {
    const auto now = Clock::now();
    const auto captured = current_->stamps.captured;
    shown_.add(now);
    if (live_ && captured != Stamps::never) {
        shown_.add_latency(now, now - captured);
    }
    if (hooks_.shown) {
        hooks_.shown(*current_, now);
    }
    ++counters_.shown;
}

std::string PreviewRun::overlay() {
    const auto now = Clock::now();
    return overlay_text(view_, {.shown = shown_.text(now),
                                .dropped = hooks_.dropped ? hooks_.dropped() : counters_.late,
                                .filter = filters_.text(),
                                .note = note_.text(now)});
}

}  // namespace

Preview::Preview(const std::string& title, std::vector<FilterSpec> filters)
    : Preview(open_preview_window(title), std::move(filters)) {}

void Preview::run(Channel<Frame>& frames, AVRational time_base, bool paced, const PreviewHooks& hooks) {
    Ticker ticker(hooks.tick);
    {
        LivePlayback as_they_come(frames);
        PacedPlayback at_their_times(frames, time_base);
        Playback& playback = paced ? static_cast<Playback&>(at_their_times) : as_they_come;
        PreviewRun run(*window_, filters_, counters_, playback, !paced, hooks, ticker);
        run.run();
        if (run.quit() && hooks.stop) {
            hooks.stop();
        }
    }
    window_.reset();
    for (bool ended = false; !ended;) {
        static_cast<void>(frames.receive_for(tick_interval, ended));
        ticker.look();
    }
}

}  // namespace vfilter
