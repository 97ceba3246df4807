#include "pipeline/live/preview_overlay.h"

#include <fmt/format.h>

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

std::string overlay_text(const PreviewView& view, const OverlayFacts& facts) {
    std::string text;
    const auto add = [&](const std::string& line) { text += line.empty() ? "" : line + "\n"; };
    if (view.numbers) {
        add(fmt::format("{}, {} dropped", facts.shown, facts.dropped));
        add(facts.filter);
        add(view.has_line() ? "left: original, right: filtered" : view.split >= 1 ? "original" : "");
        add(view.paused ? "paused" : "");
    }
    add(facts.note);
    add(view.help ? preview_help() : "");
    return text;
}

}  // namespace vfilter
