// What one should take home of the ladders, and what is promised of them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "study/plan.h"
#include "study/section.h"

namespace vfilter::study {

namespace {

using Passes = std::function<bool(const Climb&)>;

// The fastest of those that pass; null if none was measured.
const Climb* fastest(const Run& run, const Passes& passes) {
    const Climb* best = nullptr;
    for (const Climb& climb : run.climbs) {
        if (climb.measured() && passes(climb) &&
            (best == nullptr || climb.microseconds.median < best->microseconds.median)) {
            best = &climb;
        }
    }
    return best;
}
const Climb* named(const Run& run, std::string_view name) {
    return fastest(run, [&](const Climb& climb) { return climb.rung.name == name; });
}
const Climb* ours_of(const Run& run, bool gpu) {
    return fastest(run, [&](const Climb& climb) { return climb.rung.ours && climb.gpu == gpu; });
}
const Climb* library_of(const Run& run) {
    return fastest(run, [](const Climb& climb) { return climb.rung.library; });
}

// "3,400", "12", "3.4".
std::string times_text(double value) {
    if (value < 10) {
        return fmt::format("{:.1f}", value);
    }
    const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
    return number_text(std::round(value / unit) * unit, 2);
}

std::string time_text(double microseconds) {
    return microseconds < 1e3   ? fmt::format("{:.3g} us", microseconds)
           : microseconds < 1e6 ? fmt::format("{:.3g} ms", microseconds / 1e3)
                                : fmt::format("{:.3g} s", microseconds / 1e6);
}

// "ours 17 us, 3,400 times as fast as the naive kernel (58 ms), 13 times as fast as the best library, NPP (221 us)"
std::string compared(const Climb& ours, std::initializer_list<std::pair<std::string, const Climb*>> others) {
    std::string text = "ours " + time_text(ours.microseconds.median);
    for (const auto& [what, other] : others) {
        if (other != nullptr) {
            text += fmt::format(", {} times as fast as {} ({})", times_text(times_faster(ours, *other)), what,
                                time_text(other->microseconds.median));
        }
    }
    return text;
}

// The largest picture and radius come first; of videos' sizes, and of some radii.
void tell_filters(Section& section, const Runs& runs) {
    // NOLINTNEXTLINE(modernize-loop-convert): clang 14 has no reversed views
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        const int radius = run->filter.radius;
        if (!run->filter.picture.ends_with('p') || (radius != 2 && radius != 8 && radius != 15)) {
            continue;
        }
        const Climb* const loop = named(*run, "CPU loop");
        if (const Climb* const ours = ours_of(*run, true)) {
            const Climb* const library = library_of(*run);
            section.sentences.push_back(fmt::format(
                "{}: {}.", run->name,
                compared(*ours, {{"the CPU loop", loop},
                                 {"the naive kernel", named(*run, "naive")},
                                 {fmt::format("the best library, {}", library != nullptr ? library->rung.name : ""),
                                  library}})));
        } else if (const Climb* const on_cpu = ours_of(*run, false)) {
            section.sentences.push_back(fmt::format(
                "{} on the CPU: {}.", run->name,
                compared(*on_cpu,
                         {{"the loop", loop}, {"OpenCV's GaussianBlur", named(*run, "OpenCV GaussianBlur")}})));
        }
    }
}

void tell_layers(Section& section, const Runs& runs) {
    for (const Run& run : runs) {
        const Climb* const first = named(run, "direct");
        const Climb* const best = fastest(run, [](const Climb&) { return true; });
        if (first != nullptr && best != nullptr) {
            section.sentences.push_back(fmt::format("Layer {}: {} is the fastest, {}, {} times the direct loop.",
                                                    run.name, best->rung.name, time_text(best->microseconds.median),
                                                    times_text(times_faster(*best, *first))));
        }
    }
}

// Rungs out of history's order, and why: `place` names a run of those.
void explain_order(Section& section, std::string_view where, const Runs& runs,
                   const std::function<std::string(const Run&)>& place) {
    for (const Reason& reason : reasons) {
        std::vector<std::string> places;
        for (const Run& run : runs) {
            const Climb* const rung = named(run, reason.rung);
            const Climb* const than = named(run, reason.than);
            if (rung != nullptr && than != nullptr && times_faster(*rung, *than) < 1) {
                places.push_back(place(run));
            }
        }
        if (!places.empty()) {
            section.sentences.push_back(fmt::format("{}{}: \"{}\" is slower than \"{}\": {}.", where,
                                                    fmt::join(places, ", "), reason.rung, reason.than, reason.why));
        }
    }
}

void promise_margins(Section& section, const Runs& runs) {
    for (const Run& run : runs) {
        const Climb* const ours = ours_of(run, true);
        const Climb* const library = library_of(run);
        for (const Margin& margin : margins) {
            if (run.filter.picture == margin.picture && run.filter.radius == margin.radius && ours != nullptr &&
                library != nullptr) {
                section.promises.push_back({run.name + ": times as fast as the best library",
                                            times_faster(*ours, *library), margin.times, true});
            }
        }
    }
}

// A plain copy is no rung.
void promise_first(Section& section, const Runs& runs) {
    for (const Picture& picture : pictures) {
        std::vector<std::string> faster;
        bool any = false;
        for (const Run& run : runs) {
            const Climb* const ours = run.filter.picture == picture.name ? ours_of(run, true) : nullptr;
            any = any || ours != nullptr;
            for (const Climb& climb : run.climbs) {
                if (ours != nullptr && climb.gpu && climb.measured() && !climb.rung.floor && !climb.rung.ours &&
                    times_faster(climb, *ours) > 1) {
                    faster.push_back(row_name(run, climb.rung));
                }
            }
        }
        if (!faster.empty()) {
            section.sentences.push_back(fmt::format("Faster than ours: {}.", fmt::join(faster, "; ")));
        }
        if (any) {
            section.promises.push_back({fmt::format("{}: rungs faster than ours, at any radius", picture.name),
                                        static_cast<double>(faster.size()), 0});
        }
    }
}

// What a library gets wrong is named among what is left out.
std::ptrdiff_t count_wrong(const Runs& runs) {
    std::ptrdiff_t count = 0;
    for (const Run& run : runs) {
        count +=
            std::ranges::count_if(run.climbs, [](const Climb& climb) { return climb.wrong && !climb.rung.library; });
    }
    return count;
}

}  // namespace

void add_sentences(Section& section, const Runs& filters, const Runs& layers) {
    tell_filters(section, filters);
    tell_layers(section, layers);
    const std::string_view picture = filters.back().filter.picture;
    Runs largest;
    std::ranges::copy_if(filters, std::back_inserter(largest),
                         [&](const Run& run) { return run.filter.picture == picture; });
    explain_order(section, fmt::format("{}, radius ", picture), largest,
                  [](const Run& run) { return std::to_string(run.filter.radius); });
    explain_order(section, "Layer ", layers, [](const Run& run) { return run.name; });
    promise_margins(section, filters);
    promise_first(section, filters);
    section.promises.push_back({"rungs of this repository that gave wrong results",
                                static_cast<double>(count_wrong(filters) + count_wrong(layers)), 0});
}

}  // namespace vfilter::study
