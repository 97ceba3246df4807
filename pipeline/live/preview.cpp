#include "pipeline/live/preview.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "config/error.h"
#include "io/formats/bgr_picture.h"
#include "pipeline/live/playback_clock.h"
#include "pipeline/live/preview_keys.h"
#include "pipeline/live/preview_picture.h"
#include "pipeline/live/recent_values.h"

namespace vfilter {

namespace {

using Clock = Stamps::Clock;
using Time = Clock::time_point;

// Between two looks at the window. Short, as a key should do its thing at once.
constexpr std::chrono::milliseconds look_interval{5};
constexpr std::chrono::milliseconds tick_interval{250};
constexpr std::chrono::seconds numbers_span{3};
constexpr std::chrono::seconds note_time{4};
constexpr double split_step = 0.02;
// The last picture of a file stays so long if there was no other one to tell.
constexpr std::chrono::milliseconds usual_duration{40};

std::string described(const FilterSpec& filter) {
    const std::string arguments = to_string(filter);
    return std::string(filter.def->name) + (arguments.empty() ? "" : " ") + arguments;
}

// The beginning of a name that none of the three files has yet.
std::string free_name(const std::vector<std::string>& endings) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    const std::string stem = fmt::format("vfilter-{:%Y%m%d-%H%M%S}", local);
    for (int number = 1;; ++number) {
        std::string name = number == 1 ? stem : fmt::format("{}-{}", stem, number);
        if (std::ranges::none_of(endings, [&](const std::string& ending) {
                std::error_code error;
                return std::filesystem::exists(name + ending, error);
            })) {
            return name;
        }
    }
}

}  // namespace

struct Preview::State {
    State(const std::string& title, std::vector<FilterSpec> chain)
        : window(open_preview_window(title)), filters(std::move(chain)) {}

    std::unique_ptr<PreviewWindow> window;
    std::vector<FilterSpec> filters;
    std::size_t chosen = 0;
    Counters counters;

    bool fitted = false;
    bool paused = false;
    bool step = false;  // the next picture is shown although the rest waits
    bool quit = false;
    bool numbers = true;
    bool help = false;
    bool full_screen = false;
    bool redraw = false;
    bool fresh = false;  // the current picture has not been drawn yet
    bool timed = false;  // its latency says something
    double split = 0;    // the original is left of it: 0 is the filtered picture alone, 1 the original
    std::string note;
    Time note_end = Stamps::never;
    Time last_tick = Stamps::never;

    std::optional<Frame> current;  // what the window shows
    PlaybackClock clock;
    RecentValues latencies{numbers_span};
    RecentValues shows{numbers_span};
    BgrConverter filtered;
    BgrConverter original;
    BgrCanvas canvas;

    void tick(const PreviewHooks& hooks);
    void look(const PreviewHooks& hooks);
    void obey(const PreviewKey& row, int key, const PreviewHooks& hooks);
    void set_paused(bool on);
    void move_split(double by);
    void change_strength(bool stronger, const PreviewHooks& hooks);
    void take_screenshots();
    void tell(std::string text);

    void show(Frame frame, bool live, const PreviewHooks& hooks);
    void draw(const PreviewHooks& hooks);
    void count(const PreviewHooks& hooks);
    std::string overlay_text(Time now, const PreviewHooks& hooks);

    [[nodiscard]] bool over(const PreviewHooks& hooks) const { return quit || (hooks.ending && hooks.ending()); }
    void run_live(Channel<Frame>& frames, const PreviewHooks& hooks);
    void run_paced(Channel<Frame>& frames, AVRational time_base, const PreviewHooks& hooks);
};

// ------------------------------------------------------------------------------------------------------------ keys

void Preview::State::tell(std::string text) {
    note = std::move(text);
    note_end = Clock::now() + note_time;
    redraw = true;
}

void Preview::State::tick(const PreviewHooks& hooks) {
    const Time now = Clock::now();
    if (now - last_tick < tick_interval) {
        return;
    }
    last_tick = now;
    redraw = redraw || paused;  // the window may have another size
    if (hooks.tick) {
        hooks.tick();
    }
}

void Preview::State::look(const PreviewHooks& hooks) {
    tick(hooks);
    const int key = window->poll_key();
    if (window->closed()) {
        quit = true;
        return;
    }
    if (const std::optional<double> at = window->poll_drag(); at && current) {
        const AVFrame& picture = *current->picture;
        const WindowSize size = window->size();
        const Place place = place_in(size, picture.width, picture.height, sample_aspect_of(picture));
        split = std::clamp((*at * (size.width - 1) - place.x) / std::max(1, place.width - 1), 0.0, 1.0);
        redraw = true;
    }
    if (const PreviewKey* const row = find_preview_key(key)) {
        obey(*row, key, hooks);
    }
    if (redraw && current) {
        draw(hooks);
    }
}

void Preview::State::obey(const PreviewKey& row, int key, const PreviewHooks& hooks) {
    redraw = true;
    switch (row.action) {
        case PreviewAction::quit:
            quit = true;
            return;
        case PreviewAction::pause:
            set_paused(!paused);
            return;
        case PreviewAction::step:
            set_paused(true);
            step = true;
            return;
        case PreviewAction::screenshot:
            take_screenshots();
            return;
        case PreviewAction::original:
            split = split > 0 ? 0 : 1;
            return;
        case PreviewAction::split_left:
            move_split(-split_step);
            return;
        case PreviewAction::split_right:
            move_split(split_step);
            return;
        case PreviewAction::weaker:
            change_strength(false, hooks);
            return;
        case PreviewAction::stronger:
            change_strength(true, hooks);
            return;
        case PreviewAction::choose:
            if (const auto number = static_cast<std::size_t>(key - row.first); number < filters.size()) {
                chosen = number;
            }
            return;
        case PreviewAction::full_screen:
            full_screen = !full_screen;
            window->set_full_screen(full_screen);
            return;
        case PreviewAction::overlay:
            numbers = !numbers;
            return;
        case PreviewAction::help:
            help = !help;
            return;
    }
    throw std::logic_error("preview: not an action");
}

void Preview::State::set_paused(bool on) {
    paused = on;
    if (on) {
        clock.pause(Clock::now());
    } else {
        clock.resume(Clock::now());
    }
}

// Where there is no line yet, the first step puts it into the middle.
void Preview::State::move_split(double by) {
    const bool line = split > 0 && split < 1;
    split = line ? std::clamp(split + by, 0.0, 1.0) : 0.5;
}

void Preview::State::change_strength(bool stronger, const PreviewHooks& hooks) {
    if (chosen >= filters.size()) {
        tell("there is no filter");
        return;
    }
    const std::optional<FilterSpec> made = stepped(filters[chosen], stronger);
    if (!made) {
        tell(fmt::format("{} cannot be {}", filters[chosen].def->name, stronger ? "stronger" : "weaker"));
        return;
    }
    std::vector<FilterSpec> changed = filters;
    changed[chosen] = *made;
    try {
        hooks.change(changed);
        filters = std::move(changed);
    } catch (const Error& error) {
        spdlog::warn("{} stays as it is: {}", described(filters[chosen]), error.what());
        tell(fmt::format("{} cannot be {}", filters[chosen].def->name, stronger ? "stronger" : "weaker"));
    }
}

void Preview::State::take_screenshots() {
    if (!current) {
        return;
    }
    const std::vector<std::string> endings{"-filtered.png", "-original.png", "-split.png"};
    try {
        const AVFrame& after = *current->picture;
        const AVFrame& before = current->original ? *current->original : after;
        BgrConverter smooth_after(BgrConverter::Chroma::smooth);
        BgrConverter smooth_before(BgrConverter::Chroma::smooth);
        const BgrView after_view = smooth_after.convert(after, after.width, after.height);
        const BgrView before_view = smooth_before.convert(before, after.width, after.height);
        BgrCanvas split_picture;
        split_picture.resize({after.width, after.height});
        const bool line = split > 0 && split < 1;
        draw_split(after_view, before_view, line ? split : 0.5, split_picture.view(), 0, 0);

        const std::string name = free_name(endings);
        const BgrView pictures[] = {after_view, before_view, split_picture.view()};
        for (std::size_t i = 0; i < endings.size(); ++i) {
            save_png(pictures[i], after.sample_aspect_ratio, name + endings[i]);
        }
        spdlog::info("saved {0}{1}, {0}{2} and {0}{3}", name, endings[0], endings[1], endings[2]);
        tell("saved " + name + "-*.png");
    } catch (const Error& error) {
        // A full disk is no reason to end what else is going on.
        spdlog::warn("no screenshot: {}", error.what());
        tell("no screenshot could be saved");
    }
}

// ----------------------------------------------------------------------------------------------------------- pictures

void Preview::State::show(Frame frame, bool live, const PreviewHooks& hooks) {
    current = std::move(frame);
    const AVFrame& picture = *current->picture;
    if (!fitted) {
        window->fit(std::max(1, static_cast<int>(std::lround(picture.width * sample_aspect_of(picture)))),
                    picture.height);
        fitted = true;
    }
    fresh = true;
    timed = live && current->stamps.captured != Stamps::never;
    draw(hooks);
}

void Preview::State::count(const PreviewHooks& hooks) {
    const Time now = Clock::now();
    shows.add(now, 0);
    if (timed) {
        latencies.add(now, std::chrono::duration<double, std::milli>(now - current->stamps.captured).count());
    }
    if (hooks.shown) {
        hooks.shown(*current, now);
    }
    ++counters.shown;
}

void Preview::State::draw(const PreviewHooks& hooks) {
    redraw = false;
    const AVFrame& after = *current->picture;
    const AVFrame& before = current->original ? *current->original : after;
    const WindowSize size = window->size();
    const Place place = place_in(size, after.width, after.height, sample_aspect_of(after));
    canvas.resize(size);
    const BgrView view = canvas.view();
    if (place.width < size.width || place.height < size.height) {
        canvas.clear();  // text may stand where there is no picture
    }
    const BgrView filtered_view = split < 1 ? filtered.convert(after, place.width, place.height) : BgrView{};
    const BgrView original_view = split > 0 ? original.convert(before, place.width, place.height) : filtered_view;
    draw_split(split < 1 ? filtered_view : original_view, original_view, split, view, place.x, place.y);
    if (const std::string text = overlay_text(Clock::now(), hooks); !text.empty()) {
        window->write_text(view, text);
    }
    if (std::exchange(fresh, false)) {
        count(hooks);
    }
    window->show(view);
}

std::string Preview::State::overlay_text(Time now, const PreviewHooks& hooks) {
    std::string text;
    if (numbers) {
        text = fmt::format("{:.1f} fps", shows.rate(now));
        const std::optional<double> p50 = latencies.percentile(now, 50);
        const std::optional<double> p99 = latencies.percentile(now, 99);
        if (p50 && p99) {
            text += fmt::format(", latency {:.1f} ms (p50) {:.1f} ms (p99)", *p50, *p99);
        }
        text += fmt::format(", {} dropped\n", hooks.dropped ? hooks.dropped() : counters.late);
        if (chosen < filters.size()) {
            text += filters.size() > 1 ? fmt::format("filter {} of {}: ", chosen + 1, filters.size()) : "filter: ";
            text += described(filters[chosen]) + "\n";
        }
        text += split >= 1 ? "original\n" : split > 0 ? "left: original, right: filtered\n" : "";
        text += paused ? "paused\n" : "";
    }
    if (now < note_end) {
        text += note + "\n";
    }
    if (help) {
        text += preview_help() + "\n";
    }
    return text;
}

// --------------------------------------------------------------------------------------------------------------- time

void Preview::State::run_live(Channel<Frame>& frames, const PreviewHooks& hooks) {
    for (bool ended = false; !ended && !over(hooks);) {
        look(hooks);
        std::optional<Frame> frame = frames.receive_for(look_interval, ended);
        if (frame && (!paused || std::exchange(step, false))) {
            show(std::move(*frame), true, hooks);
        }
    }
}

void Preview::State::run_paced(Channel<Frame>& frames, AVRational time_base, const PreviewHooks& hooks) {
    std::optional<Frame> next;
    std::optional<Frame> after_next;
    Clock::duration duration = usual_duration;
    Clock::duration at{};
    bool ended = false;
    const auto time_of = [&](const Frame& frame) {
        // Without a time it comes when it comes.
        return frame.picture->pts == AV_NOPTS_VALUE ? at
                                                    : Clock::duration(std::chrono::nanoseconds(av_rescale_q(
                                                          frame.picture->pts, time_base, {1, 1000000000})));
    };
    const auto advance = [&](const Frame& frame) {
        const Clock::duration before = std::exchange(at, time_of(frame));
        if (counters.shown + counters.late > 0 && at > before) {
            duration = at - before;
        }
    };
    while (!over(hooks)) {
        look(hooks);
        if (paused && !step) {
            std::this_thread::sleep_for(look_interval);
            continue;
        }
        if (!next) {
            next = after_next ? std::exchange(after_next, std::nullopt) : frames.receive_for(look_interval, ended);
        }
        if (!next) {
            // The last picture has its time, too.
            if (ended && (!current || clock.due(at + duration, Clock::now()) <= Clock::now())) {
                return;
            }
            if (ended) {
                std::this_thread::sleep_for(look_interval);
            }
            continue;
        }
        const Time now = Clock::now();
        if (std::exchange(step, false)) {
            clock.set(time_of(*next), now);
        }
        if (const auto wait = clock.due(time_of(*next), now) - now; wait > Clock::duration::zero()) {
            std::this_thread::sleep_for(std::min<Clock::duration>(wait, look_interval));
            continue;
        }
        if (!after_next && !ended) {
            after_next = frames.receive_for(std::chrono::microseconds(0), ended);
        }
        advance(*next);
        if (after_next && current && !paused && clock.due(time_of(*after_next), now) <= now) {
            ++counters.late;
        } else {
            show(std::move(*next), false, hooks);
        }
        next.reset();
    }
}

Preview::Preview(const std::string& title, std::vector<FilterSpec> filters)
    : state_(std::make_unique<State>(title, std::move(filters))) {}

Preview::~Preview() = default;

void Preview::run(Channel<Frame>& frames, AVRational time_base, bool paced, const PreviewHooks& hooks) {
    if (paced) {
        state_->run_paced(frames, time_base, hooks);
    } else {
        state_->run_live(frames, hooks);
    }
    if (state_->quit && hooks.stop) {
        hooks.stop();
    }
    state_->window.reset();
    state_->current.reset();
    for (bool ended = false; !ended;) {
        static_cast<void>(frames.receive_for(tick_interval, ended));
        state_->tick(hooks);
    }
}

const std::vector<FilterSpec>& Preview::filters() const {
    return state_->filters;
}

Preview::Counters Preview::counters() const {
    return state_->counters;
}

}  // namespace vfilter
