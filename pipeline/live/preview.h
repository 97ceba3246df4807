#pragma once
// What the user sees and does while a video is filtered: the window's pictures, its keys, its clock.

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

/// The preview's requests to the surrounding run. All are called from the preview's thread.
struct PreviewHooks {
    /// A few times a second, for progress.
    std::function<void()> tick;
    /// Use these filters from now on. Throws Error if they cannot be created; the old ones are then kept.
    TunedFilters::Change change;
    /// The user wants to see the command line of these filters. May be empty.
    std::function<void(const std::vector<FilterSpec>&)> print;
    /// A picture is ready and is handed to the window now. May be empty.
    std::function<void(const Frame&, Stamps::Clock::time_point now)> shown;
    /// The user wants to end: end cleanly. More pictures may still come.
    std::function<void()> stop;
    /// The display has gone, and the window with it. Returns whether the run is still useful without it. May be empty.
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
        std::int64_t late = 0;  ///< for a file played at its own pace: skipped because the next one was due
    };

    /// Opens the window. Throws Error(usage) if that is impossible.
    Preview(const std::string& title, std::vector<FilterSpec> filters);
    Preview(std::unique_ptr<PreviewWindow> window, std::vector<FilterSpec> filters);
    ~Preview();
    Preview(const Preview&) = delete;
    Preview& operator=(const Preview&) = delete;

    /// Shows pictures until no more come. Paced: each picture at its time, and while paused nothing is received. Not
    /// paced: each picture at once, and while paused none. When the user ends it, hooks.stop is called, the window
    /// closes, and further pictures are received and dropped. If the user wants to continue at another position, which
    /// `video` must allow, it returns at once, with the time from the input's beginning: pictures still to come are no
    /// longer needed, and run() is called again for the pictures from there on. Empty: everything has been shown.
    std::optional<double> run(Channel<Frame>& frames, const PreviewedVideo& video, const PreviewHooks& hooks);

    /// Replaces the initial filters; before run() is called.
    void begin_with(std::vector<FilterSpec> filters) { filters_ = TunedFilters(std::move(filters)); }
    /// The filters with the user's changes.
    [[nodiscard]] const std::vector<FilterSpec>& filters() const { return filters_.chain(); }
    [[nodiscard]] const Counters& counters() const { return counters_; }

private:
    std::unique_ptr<PreviewWindow> window_;  // null once it has been closed
    TunedFilters filters_;
    Counters counters_;
    std::unique_ptr<PreviewRun> run_;
};

}  // namespace vfilter
