#pragma once
// What each stage did and when, in Chrome's trace format, which chrome://tracing and Perfetto open.

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "io/output/output_file.h"
#include "pipeline/report/stats.h"

namespace vfilter {

/// Streams events to a file, so that memory does not grow with the video. An existing file of that name stays until the
/// trace is complete. Thread-safe.
class Trace {
public:
    using Clock = StageStats::Clock;

    /// Throws Error(output) if the file cannot be written. `given_up` is OutputFile's.
    explicit Trace(const std::string& path, std::function<bool()> given_up = {});
    ~Trace() { close(); }
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;

    /// A stage worked on a frame from `begin` until now. Arrows connect the spans of one frame.
    void span(StageId stage, std::int64_t frame, Clock::time_point begin);
    /// A separate row, below the stages, for spans that do not belong to a stage.
    int lane(const std::string& name);
    /// Something happened to a frame in a lane.
    void span(int lane, std::string_view what, std::int64_t frame, Clock::time_point begin, Clock::time_point end);
    /// Ends the file. Throws Error(output) if any write failed.
    void finish();
    /// The same for a run that has failed: further errors are only messages. For a run that never began, nothing is
    /// kept.
    void close(bool keep = true);

private:
    [[nodiscard]] double microseconds(Clock::time_point at) const {
        return std::chrono::duration<double, std::micro>(at - start_).count();
    }

    [[nodiscard]] std::string span_text(int lane, std::string_view what, std::int64_t frame, Clock::time_point begin,
                                        Clock::time_point end) const;
    void put(const std::string& text);
    void end();

    Clock::time_point start_ = Clock::now();
    std::mutex mutex_;
    int lanes_ = 0;
    OutputFile file_;
    bool ended_ = false;
};

}  // namespace vfilter
