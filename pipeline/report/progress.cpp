#include "pipeline/report/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace vfilter {

namespace {

constexpr std::chrono::seconds plain_interval{5};

// Steps of --vf may make more than the input promises; how many, nobody knows.
bool expects(const RunCounts& counts) {
    return counts.frames_expected > 0 && counts.frames_out <= counts.frames_expected;
}

double seconds_left(const RunCounts& counts) {
    return counts.fps() > 0 ? static_cast<double>(counts.frames_expected - counts.frames_out) / counts.fps() : 0;
}

// As a multiple of the video's own.
double speed(const RunCounts& counts) {
    return counts.frame_rate > 0 ? counts.fps() / counts.frame_rate : 0;
}

}  // namespace

std::string clock_text(double seconds) {
    const std::int64_t whole = std::llround(seconds);
    return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                         : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

ProgressLine::ProgressLine(Progress kind, bool terminal)
    : kind_(kind != Progress::automatic ? kind
            : terminal                  ? Progress::bar
                                        : Progress::plain) {}

std::string progress_text(const Outcome& so_far) {
    const RunCounts& counts = so_far.counts;
    const std::int64_t dropped = so_far.live.drops.total();
    if (!expects(counts)) {
        return fmt::format("{} frames  {:.0f} fps  {:.1f}x  drop {}", counts.frames_out, counts.fps(), speed(counts),
                           dropped);
    }
    const double percent = 100.0 * static_cast<double>(counts.frames_out) / static_cast<double>(counts.frames_expected);
    return fmt::format("[{:5.1f}%]  {}/{} frames  {:.0f} fps  {:.1f}x  ETA {}  drop {}", percent, counts.frames_out,
                       counts.frames_expected, counts.fps(), speed(counts), clock_text(seconds_left(counts)), dropped);
}

static nlohmann::ordered_json progress_object(const Outcome& so_far) {
    const RunCounts& counts = so_far.counts;
    nlohmann::ordered_json line;
    line["frames"] = counts.frames_out;
    line["frames_expected"] = expects(counts) ? counts.frames_expected : 0;
    line["seconds"] = counts.seconds;
    line["fps"] = counts.fps();
    line["speed"] = speed(counts);
    line["eta_seconds"] = expects(counts) ? nlohmann::ordered_json(seconds_left(counts)) : nlohmann::ordered_json();
    line["dropped"] = so_far.live.drops.total();
    return line;
}

std::string progress_json(const Outcome& so_far) {
    return progress_object(so_far).dump();
}

std::string progress_end(const Outcome& outcome) {
    nlohmann::ordered_json line = progress_object(outcome);
    line["eta_seconds"] = 0;
    line["exit_code"] = static_cast<int>(outcome.end.code);
    return line.dump();
}

void ProgressLine::show(const std::string& text, const std::string& json) {
    switch (kind_) {
        case Progress::none:
            return;
        case Progress::bar:
            std::fputs(fmt::format("\r\033[K{}", text).c_str(), stderr);
            std::fflush(stderr);
            shown_ = true;
            return;
        case Progress::plain:
            if (Clock::now() - last_ >= plain_interval) {
                last_ = Clock::now();
                std::fputs((text + "\n").c_str(), stderr);
            }
            return;
        case Progress::json:
            std::fputs((json.empty() ? "" : json + "\n").c_str(), stderr);
            return;
        case Progress::automatic:
            break;
    }
    throw std::logic_error("ProgressLine: kind not chosen");
}

void ProgressLine::end(const std::string& json) const {
    if (kind_ == Progress::json) {
        std::fputs((json + "\n").c_str(), stderr);
    }
}

void ProgressLine::clear() {
    if (shown_) {
        std::fputs("\r\033[K", stderr);
        std::fflush(stderr);
        shown_ = false;
    }
}

}  // namespace vfilter
