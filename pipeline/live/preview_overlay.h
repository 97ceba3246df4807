#pragma once
// The text over the preview's picture.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "pipeline/live/preview_view.h"
#include "pipeline/live/recent_values.h"

namespace vfilter {

/// What was shown during the last few seconds. Not thread-safe.
class ShownPictures {
public:
    using Time = RecentValues::Time;

    void add(Time now) { shows_.add(now, 0); }
    void add_latency(Time now, std::chrono::duration<double, std::milli> latency) {
        latencies_.add(now, latency.count());
    }
    /// "25.0 fps", with the latencies if there are any.
    std::string text(Time now);

private:
    static constexpr std::chrono::seconds span{3};

    RecentValues shows_{span};
    RecentValues latencies_{span};  // milliseconds
};

/// A message to the user that disappears by itself. Not thread-safe.
class PassingNote {
public:
    using Time = RecentValues::Time;

    void set(std::string text, Time now) {
        text_ = std::move(text);
        end_ = now + duration;
    }
    /// "" once its time is over.
    [[nodiscard]] std::string text(Time now) const { return now < end_ ? text_ : ""; }

private:
    static constexpr std::chrono::seconds duration{4};

    std::string text_;
    Time end_{};
};

/// What the overlay says about the run.
struct OverlayFacts {
    std::string shown;         ///< see ShownPictures::text
    std::string time;          ///< see video_time_text
    std::int64_t dropped = 0;  ///< pictures
    std::string filter;        ///< see TunedFilters::text
    bool mapped = false;       ///< what is shown is tone-mapped
    bool two_places = false;   ///< original and filtered picture are side by side
    std::string note;          ///< "" if there is none
};

/// Seconds as "1:02.50" or "1:00:02.50"; with the end, if known, as "1:02.50 of 3:20.00".
std::string video_time_text(double at, std::optional<double> end);

/// Lines, each with its line end; "" if the user wants none and there is no note.
std::string overlay_text(const PreviewView& view, const OverlayFacts& facts);

}  // namespace vfilter
