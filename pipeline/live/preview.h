#pragma once
// What a person sees and does while a video is filtered: the window's pictures, its keys, its clock.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "filters/filters.h"
#include "io/preview/preview_window.h"
#include "pipeline/channel.h"
#include "pipeline/frame.h"
#include "pipeline/live/previewed_video.h"
#include "pipeline/live/tuned_filters.h"

namespace vfilter {

/// What the preview asks of the run around it. All are called from the preview's thread.
struct PreviewHooks {
    /// A few times a second, for progress.
    std::function<void()> tick;
    /// From now on filter so. Throws Error if these filters cannot be made; the old ones are then kept.
    TunedFilters::Change change;
    /// The user wants to see the command line of these filters. May be empty.
    std::function<void(const std::vector<FilterSpec>&)> print;
    /// A picture is ready and is handed to the window now. May be empty.
    std::function<void(const Frame&, Stamps::Clock::time_point now)> shown;
    /// The user has seen enough: end cleanly. More pictures may still come.
    std::function<void()> stop;
    /// The display has gone away, and the window with it. Whether the run is of use without. May be empty.
    std::function<bool()> lost;
    /// Whether the run is about to end for another reason, such as a signal: then a pause ends, too. May be empty.
    std::function<bool()> ending;
    /// Pictures lost so far, for the overlay. May be empty.
    std::function<std::int64_t()> dropped;
};

class PreviewRun;

/// One thread, the program's first.
class Preview {
public:
    struct Counters {
        std::int64_t shown = 0;
        std::int64_t late = 0;  ///< of a file played at its own pace: left out, because the next one's time had come
    };

    /// Opens the window. Throws Error(usage) if that is impossible.
    Preview(const std::string& title, std::vector<FilterSpec> filters);
    Preview(std::unique_ptr<PreviewWindow> window, std::vector<FilterSpec> filters);
    ~Preview();
    Preview(const Preview&) = delete;
    Preview& operator=(const Preview&) = delete;

    /// Shows what comes until nothing more does. Paced: each picture at its time, and while it is paused nothing is
    /// received; else each at once, and while it is paused none. When the user ends it, hooks.stop is called, the
    /// window goes, and what still comes is received and dropped. Where the user wants to go on elsewhere, which
    /// happens if `video` allows it, it returns at once, with the time from the input's beginning: what still comes is
    /// of no use, and run() is called again for the pictures from there on. Empty: that was all.
    std::optional<double> run(Channel<Frame>& frames, const PreviewedVideo& video, const PreviewHooks& hooks);

    /// Other ones than were given at first, before run() is called.
    void begin_with(std::vector<FilterSpec> filters) { filters_ = TunedFilters(std::move(filters)); }
    /// As they are after the user's changes.
    [[nodiscard]] const std::vector<FilterSpec>& filters() const { return filters_.chain(); }
    [[nodiscard]] const Counters& counters() const { return counters_; }

private:
    std::unique_ptr<PreviewWindow> window_;  // null once it has gone
    TunedFilters filters_;
    Counters counters_;
    std::unique_ptr<PreviewRun> run_;
};

}  // namespace vfilter
