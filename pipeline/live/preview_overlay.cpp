#include "pipeline/live/preview_overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pipeline/live/preview_keys.h"

namespace vfilter {

std::string ShownPictures::text(Time now) {
    std::string text = fmt::format("{:.1f} fps", shows_.rate(now));
    const std::optional<double> p50 = latencies_.percentile(now, 50);
    const std::optional<double> p99 = latencies_.percentile(now, 99);
    if (p50 && p99) {
        text += fmt::format(", latency {:.1f} ms (p50) {:.1f} ms (p99)", *p50, *p99);
    }
    return text;
}

std::string video_time_text(double at, std::optional<double> end) {
    const auto one = [](double value) {
        constexpr int minute = 60 * 100;
        constexpr int hour = 60 * minute;
        const auto hundredths = std::max<std::int64_t>(0, std::llround(value * 100));
        const std::int64_t hours = hundredths / hour;
        const std::int64_t minutes = hundredths % hour / minute;
        const double seconds = static_cast<double>(hundredths % minute) / 100;
        return hours > 0 ? fmt::format("{}:{:02}:{:05.2f}", hours, minutes, seconds)
                         : fmt::format("{}:{:05.2f}", minutes, seconds);
    };
    return end ? fmt::format("{} of {}", one(at), one(*end)) : one(at);
}

std::string overlay_text(const PreviewView& view, const OverlayFacts& facts) {
    std::string text;
    const auto add = [&](const std::string& line) { text += line.empty() ? "" : line + "\n"; };
    if (view.numbers) {
        add(fmt::format("{}, {} dropped", facts.shown, facts.dropped));
        add(facts.time + (view.loop && !facts.time.empty() ? ", begins again at its end" : ""));
        add(facts.filter);
        add(facts.two_places || view.has_line() ? "left: original, right: filtered"
            : view.split >= 1                   ? "original"
                                                : "");
        add(facts.mapped ? "HDR, tone-mapped for this window" : "");
        add(view.paused ? "paused" : "");
    }
    add(facts.note);
    add(view.help ? preview_help() : "");
    return text;
}

}  // namespace vfilter
