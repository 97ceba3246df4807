// What PreviewRun draws, and what the mouse does to that.

#include <algorithm>
#include <cmath>
#include <utility>

#include "pipeline/engine/step_region.h"
#include "pipeline/live/preview_run.h"

namespace vfilter {

namespace {

constexpr BgrColour bar_ground{60, 60, 60};
constexpr BgrColour bar_past{255, 255, 255};

// Of the window, from 0 at its left or top.
int pixel_at(double part, int side) {
    return static_cast<int>(std::lround(part * (side - 1)));
}

}  // namespace

PictureTime PreviewRun::time() const {
    return picture_time(stretch_->video.clock, current_->counted(), current_->picture->pts);
}

// Seconds from the input's beginning; where the user wants to be, if that is not here yet.
double PreviewRun::place_in_video() const {
    return wanted_ || awaited_ ? target_ : time().seconds;
}

// The window is asked for its size once for each time that it is drawn: what the mouse tells is about what was drawn.
void PreviewRun::lay_out_window() {
    const ShownTurns& turns = stretch_->video.turns;
    const ShownSize filtered = shown_size(*current_->picture, turns.filtered);
    const ShownSize original = current_->original ? shown_size(*current_->original, turns.original) : filtered;
    size_ = window_.size();
    layout_ = lay_out(size_, filtered, original, view_);
}

bool PreviewRun::has_bar() const {
    return view_.numbers && !stretch_->video.live && stretch_->video.end &&
           *stretch_->video.end > stretch_->video.begin;
}

void PreviewRun::draw() {
    redraw_ = false;
    lay_out_window();
    const BgrView canvas = painter_.paint(*current_, stretch_->video.turns, layout_, size_);
    if (view_.outlines) {
        draw_outlines(window_, canvas, layout_, stretch_->video, outlines(), filters_.chosen());
    }
    if (has_bar()) {
        draw_bar(canvas);
    }
    if (const std::string text = overlay(); !text.empty()) {
        window_.write_text(canvas, text);
    }
    if (std::exchange(fresh_, false)) {
        count();
    }
    window_.show(canvas);
}

// With the region that the mouse is about to give the chosen filter.
std::vector<Outline> PreviewRun::outlines() const {
    if (editor_.region() == nullptr) {
        return outlines_of(filters_.chain(), stretch_->video, time());
    }
    std::vector<FilterSpec> chain = filters_.chain();
    chain[filters_.chosen()].region = *editor_.region();
    return outlines_of(chain, stretch_->video, time());
}

// A knob says that it can be moved.
void PreviewRun::draw_bar(const BgrView& canvas) const {
    const PreviewedVideo& video = stretch_->video;
    const Place bar = bar_in({canvas.width, canvas.height});
    const double part = std::clamp((place_in_video() - video.begin) / (*video.end - video.begin), 0.0, 1.0);
    const int past = static_cast<int>(std::lround(part * bar.width));
    fill_place(canvas, bar, bar_ground);
    fill_place(canvas, {bar.x, bar.y + 2, past, bar.height - 4}, bar_past);
    if (video.no_seeking.empty()) {
        constexpr int knob = 3;
        fill_place(canvas, {bar.x + past - knob, bar.y - knob, 2 * knob, bar.height + 2 * knob}, bar_past);
    }
}

std::string PreviewRun::overlay() {
    const auto now = Clock::now();
    const PreviewHooks& hooks = stretch_->hooks;
    std::string note = note_.text(now);
    if (const Region* const region = editor_.region()) {
        note = "region=" + to_string(region->rectangles);
    }
    return overlay_text(
        view_, {.shown = shown_.text(now),
                .time = video_time_text(place_in_video(), stretch_->video.live ? std::nullopt : stretch_->video.end),
                .dropped = hooks.dropped ? hooks.dropped() + counters_.late : counters_.late,
                .filter = filters_.text(),
                .mapped = painter_.mapped(),
                .two_places = layout_.panes.size() > 1,
                .note = std::move(note)});
}

void PreviewRun::feel(const MouseEvent& event) {
    const int x = pixel_at(event.x, size_.width);
    const int y = pixel_at(event.y, size_.height);
    if (event.kind == MouseEvent::Kind::press) {
        press(x, y, event.shift);
        return;
    }
    drag(x, y);
    if (event.kind == MouseEvent::Kind::release) {
        if (const std::optional<Region> region = editor_.end()) {
            change_region(*region);
        }
        grip_ = Grip::nothing;
    }
}

void PreviewRun::press(int x, int y, bool shift) {
    constexpr int reach = 8;  // pixels around what is taken hold of
    const auto near = [&](const Place& place) {
        return Place{place.x - reach, place.y - reach, place.width + 2 * reach, place.height + 2 * reach}.holds(x, y);
    };
    if (has_bar() && near(bar_in(size_))) {
        grip_ = Grip::bar;
        drag(x, y);
    } else if (layout_.line && near(*layout_.line)) {
        grip_ = Grip::line;
        drag(x, y);
    } else {
        begin_region(x, y, shift);
    }
}

void PreviewRun::begin_region(int x, int y, bool shift) {
    const auto pane = std::ranges::find_if(layout_.panes, [&](const Pane& one) { return one.shows(x, y); });
    const std::size_t chosen = filters_.chosen();
    if (pane == layout_.panes.end() || !view_.outlines || chosen >= stretch_->video.filters.size()) {
        return;
    }
    std::string refusal = editor_.begin(filters_.chain()[chosen], stretch_->video.filters[chosen], *pane, x, y, shift);
    if (refusal.empty()) {
        grip_ = Grip::region;
    } else {
        tell(std::move(refusal));
    }
}

void PreviewRun::drag(int x, int y) {
    const PreviewedVideo& video = stretch_->video;
    switch (grip_) {
        case Grip::nothing:
            return;
        case Grip::bar: {
            const Place bar = bar_in(size_);
            const double part = std::clamp(static_cast<double>(x - bar.x) / std::max(1, bar.width - 1), 0.0, 1.0);
            seek(video.begin + part * (*video.end - video.begin));
            break;
        }
        case Grip::line: {
            const Place place = layout_.panes.front().place;
            view_.put_line(static_cast<double>(x - place.x) / std::max(1, place.width - 1));
            break;
        }
        case Grip::region:
            editor_.drag(x, y);
            break;
    }
    redraw_ = true;
}

}  // namespace vfilter
