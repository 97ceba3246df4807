#include "pipeline/report/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace vfilter {

namespace {

constexpr std::chrono::seconds plain_interval{5};

std::string duration(double seconds) {
    const std::int64_t whole = std::llround(seconds);
    return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                         : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

double seconds_left(const Outcome& so_far) {
    return so_far.fps() > 0 ? static_cast<double>(so_far.frames_expected - so_far.frames_out) / so_far.fps() : 0;
}

double speed(const Outcome& so_far) {
    return so_far.frame_rate > 0 ? so_far.fps() / so_far.frame_rate : 0;
}

}  // namespace

ProgressLine::ProgressLine(Progress kind, bool terminal)
    : kind_(kind != Progress::automatic ? kind
            : terminal                  ? Progress::bar
                                        : Progress::plain) {}

std::string ProgressLine::text(const Outcome& so_far) const {
    if (so_far.frames_expected <= 0 || so_far.frames_out > so_far.frames_expected) {
        return fmt::format("{} frames  {:.0f} fps  {:.1f}x  drop {}", so_far.frames_out, so_far.fps(), speed(so_far),
                           so_far.drops.total());
    }
    const double percent = 100.0 * static_cast<double>(so_far.frames_out) / static_cast<double>(so_far.frames_expected);
    return fmt::format("[{:5.1f}%]  {}/{} frames  {:.0f} fps  {:.1f}x  ETA {}  drop {}", percent, so_far.frames_out,
                       so_far.frames_expected, so_far.fps(), speed(so_far), duration(seconds_left(so_far)),
                       so_far.drops.total());
}

std::string ProgressLine::json(const Outcome& so_far) {
    nlohmann::ordered_json line;
    line["frames"] = so_far.frames_out;
    line["frames_expected"] = so_far.frames_expected;
    line["seconds"] = so_far.seconds;
    line["fps"] = so_far.fps();
    line["speed"] = speed(so_far);
    line["eta_seconds"] =
        so_far.frames_expected > 0 ? nlohmann::ordered_json(seconds_left(so_far)) : nlohmann::ordered_json();
    line["dropped"] = so_far.drops.total();
    return line.dump();
}

void ProgressLine::show(const Outcome& so_far) {
    switch (kind_) {
        case Progress::none:
            return;
        case Progress::bar:
            std::fputs(fmt::format("\r\033[K{}", text(so_far)).c_str(), stderr);
            std::fflush(stderr);
            shown_ = true;
            return;
        case Progress::plain:
            if (Clock::now() - last_ >= plain_interval) {
                last_ = Clock::now();
                std::fputs((text(so_far) + "\n").c_str(), stderr);
            }
            return;
        case Progress::json:
            std::fputs((json(so_far) + "\n").c_str(), stderr);
            return;
        case Progress::automatic:
            break;
    }
    throw std::logic_error("ProgressLine: kind not chosen");
}

void ProgressLine::clear() {
    if (shown_) {
        std::fputs("\r\033[K", stderr);
        std::fflush(stderr);
        shown_ = false;
    }
}

}  // namespace vfilter
