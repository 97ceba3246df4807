#include "pipeline/batch/batch_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace vfilter {

namespace {

std::string clock_text(double seconds) {
    const std::int64_t whole = std::llround(seconds);
    return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                         : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string batch_progress_text(const BatchSoFar& so_far) {
    const double part = so_far.all > 0 ? so_far.share / so_far.all : 1;
    return fmt::format("[{:5.1f}%]  {}/{} files  {} frames  {:.0f} fps  ETA {}", 100 * part, so_far.done, so_far.files,
                       so_far.frames, so_far.seconds > 0 ? static_cast<double>(so_far.frames) / so_far.seconds : 0,
                       part > 0 ? clock_text(so_far.seconds * (1 - part) / part) : "-");
}

BatchProgressLine::BatchProgressLine(Progress kind)
    : kind_(kind != Progress::automatic  ? kind
            : isatty(STDERR_FILENO) != 0 ? Progress::bar
                                         : Progress::plain) {}

void BatchProgressLine::show(const BatchSoFar& so_far) {
    constexpr std::chrono::seconds plain_interval{5};
    if (kind_ == Progress::bar) {
        std::fputs(fmt::format("\r\033[K{}", batch_progress_text(so_far)).c_str(), stderr);
        std::fflush(stderr);
        shown_ = true;
    } else if (kind_ == Progress::plain && Clock::now() - last_ >= plain_interval) {
        last_ = Clock::now();
        std::fputs((batch_progress_text(so_far) + "\n").c_str(), stderr);
    }
}

void BatchProgressLine::clear() {
    if (shown_) {
        std::fputs("\r\033[K", stderr);
        std::fflush(stderr);
        shown_ = false;
    }
}

}  // namespace vfilter
