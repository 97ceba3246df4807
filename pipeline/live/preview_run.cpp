#include "pipeline/live/preview_run.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "config/error.h"
#include "pipeline/live/preview_screenshots.h"

namespace vfilter {

namespace {

// Between two looks at the window. Short, as a key should do its thing at once.
constexpr std::chrono::milliseconds look_interval{5};
constexpr double line_step = 0.02;  // of the picture's width
constexpr double near_seconds = 5;  // by which keys go back and on
constexpr double far_seconds = 60;

}  // namespace

bool Ticker::look() {
    const auto now = Stamps::Clock::now();
    if (now - last_ < interval) {
        return false;
    }
    last_ = now;
    if (tick_) {
        tick_();
    }
    return true;
}

PreviewRun::End PreviewRun::show_stretch(const Stretch& stretch) {
    stretch_ = &stretch;
    wanted_ = false;
    if (view_.paused) {
        stretch.playback.pause();
        stretch.playback.step();
    }
    for (;;) {
        const End end = take_pictures();
        if (end != End::over || !go_elsewhere_at_end()) {
            awaited_ = end == End::elsewhere;
            return end;
        }
    }
}

// The file is over. Whether something else is to be shown.
bool PreviewRun::go_elsewhere_at_end() {
    const PreviewedVideo& video = stretch_->video;
    if (!video.no_seeking.empty() || (stretch_->hooks.ending && stretch_->hooks.ending())) {
        return false;
    }
    if (awaited_ && target_ > video.begin) {
        // After the last picture, whatever the header says of the video's length.
        target_ = std::max(video.begin, target_ - retreat_);
        retreat_ *= 2;
        awaited_ = false;
        wanted_ = true;
    } else if (view_.loop && !awaited_) {
        target_ = video.begin;
        wanted_ = true;
    }
    return wanted_;
}

PreviewRun::End PreviewRun::take_pictures() {
    while (!(stretch_->hooks.ending && stretch_->hooks.ending())) {
        if (quit_) {
            return End::quit;
        }
        if (wanted_ && !awaited_) {
            return End::elsewhere;
        }
        look();
        Frame frame;
        switch (stretch_->playback.take(frame, look_interval)) {
            case Playback::Turn::wait:
                break;
            case Playback::Turn::show:
                show(std::move(frame));
                break;
            case Playback::Turn::late:
                ++counters_.late;
                break;
            case Playback::Turn::over:
                return quit_ ? End::quit : End::over;
        }
    }
    return quit_ ? End::quit : End::over;
}

void PreviewRun::look() {
    if (stretch_->ticker.look()) {
        redraw_ = redraw_ || view_.paused;  // the window may have another size
    }
    const int key = window_.poll_key();
    if (window_.closed()) {
        quit_ = true;
        return;
    }
    while (const std::optional<MouseEvent> event = window_.poll_mouse()) {
        if (current_) {
            feel(*event);
        }
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
        case PreviewAction::none:
            return;
        case PreviewAction::quit:
            quit_ = true;
            return;
        case PreviewAction::pause:
            pause(!view_.paused);
            return;
        case PreviewAction::step:
            pause(true);
            stretch_->playback.step();
            return;
        case PreviewAction::step_back:
            step_back();
            return;
        case PreviewAction::back:
            seek_by(-near_seconds);
            return;
        case PreviewAction::on:
            seek_by(near_seconds);
            return;
        case PreviewAction::far_back:
            seek_by(-far_seconds);
            return;
        case PreviewAction::far_on:
            seek_by(far_seconds);
            return;
        case PreviewAction::loop:
            toggle_loop();
            return;
        case PreviewAction::screenshot:
            take_screenshots();
            return;
        case PreviewAction::original:
            view_.toggle_original();
            return;
        case PreviewAction::beside:
            view_.beside = !view_.beside;
            return;
        case PreviewAction::split_left:
            view_.move_line(-line_step);
            return;
        case PreviewAction::split_right:
            view_.move_line(line_step);
            return;
        case PreviewAction::weaker:
            change_strength(StrengthStep::weaker);
            return;
        case PreviewAction::stronger:
            change_strength(StrengthStep::stronger);
            return;
        case PreviewAction::choose:
            filters_.choose(static_cast<std::size_t>(key - row.first));
            return;
        case PreviewAction::everywhere:
            change_region({});
            return;
        case PreviewAction::outlines:
            view_.outlines = !view_.outlines;
            return;
        case PreviewAction::command_line:
            if (stretch_->hooks.print) {
                stretch_->hooks.print(filters_.chain());
                tell("the command line is printed");
            }
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
        stretch_->playback.pause();
    } else {
        stretch_->playback.resume();
    }
}

void PreviewRun::step_back() {
    if (!current_) {
        return;
    }
    if (stretch_->video.no_seeking.empty()) {
        pause(true);
    }
    const double rate = stretch_->video.clock.rate > 0 ? stretch_->video.clock.rate : 25;
    seek_by(-(interval_ > 0 ? interval_ : 1 / rate));
}

void PreviewRun::seek_by(double seconds) {
    if (current_) {
        seek(place_in_video() + seconds);
    }
}

void PreviewRun::seek(double to) {
    const PreviewedVideo& video = stretch_->video;
    if (!video.no_seeking.empty()) {
        tell("no seeking: " + video.no_seeking);
        return;
    }
    target_ = std::max(to, video.begin);
    if (video.end) {
        // On the last picture, and not behind it.
        target_ = std::clamp(target_, video.begin, std::max(video.begin, *video.end - 1 / video.clock.rate));
    }
    wanted_ = true;
    retreat_ = 1;
    redraw_ = true;
}

void PreviewRun::toggle_loop() {
    if (const std::string& why = stretch_->video.no_seeking; !why.empty()) {
        tell("no loop: " + why);
        return;
    }
    view_.loop = !view_.loop;
}

void PreviewRun::change_strength(StrengthStep step) {
    tell_change(filters_.change_strength(step, stretch_->hooks.change));
}

void PreviewRun::change_region(const Region& region) {
    tell_change(filters_.change_region(region, stretch_->hooks.change));
}

// `refusal` is "" where the filters have changed. What stands still is filtered again, if it can be had again.
void PreviewRun::tell_change(std::string refusal) {
    if (!refusal.empty()) {
        tell(std::move(refusal));
    } else if (view_.paused && current_ && stretch_->video.no_seeking.empty()) {
        seek(place_in_video());
    }
}

void PreviewRun::take_screenshots() {
    if (!current_) {
        return;
    }
    try {
        tell("saved " + save_screenshots(*current_, stretch_->video.turns, view_) + "-*.png");
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
    const double before = current_ ? time().seconds : 0;
    const bool next = current_ && frame.index == current_->index + 1 && !awaited_;
    current_ = std::move(frame);
    interval_ = next ? time().seconds - before : 0;
    awaited_ = false;
    retreat_ = 1;
    if (!fitted_) {
        const ShownSize size = shown_size(*current_->picture, stretch_->video.turns.filtered);
        window_.fit(std::max(1, static_cast<int>(std::lround(size.width * size.sample_aspect))), size.height);
        fitted_ = true;
    }
    fresh_ = true;
    draw();
}

void PreviewRun::count() {
    const auto now = Clock::now();
    const auto captured = current_->stamps.captured;
    shown_.add(now);
    if (!stretch_->video.paced && captured != Stamps::never) {
        shown_.add_latency(now, now - captured);
    }
    if (stretch_->hooks.shown) {
        stretch_->hooks.shown(*current_, now);
    }
    ++counters_.shown;
}

}  // namespace vfilter
