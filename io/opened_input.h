#pragma once
// One opening of an input: file, standard input, camera, address. A Demuxer has one, and another after each loss.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// Owns FFmpeg's context and whatever it reads from. One thread at a time. Nothing waits for longer than a fraction of
/// a second once `interrupted` is true.
class OpenedInput {
public:
    /// Opens the input and finds its streams. `options` and `interrupted` must outlive it. Throws Error(input), or
    /// Error(usage) for settings that FFmpeg does not know.
    OpenedInput(const InputOptions& options, const std::function<bool()>& interrupted);
    ~OpenedInput();
    OpenedInput(const OpenedInput&) = delete;
    OpenedInput& operator=(const OpenedInput&) = delete;

    [[nodiscard]] AVFormatContext& format() const { return *format_; }
    /// The next packet, which stays valid when the input is closed. Returns 0 or an error of FFmpeg's:
    /// AVERROR(ETIMEDOUT) if nothing came for the time that the options allow.
    int read(AVPacket& packet);

private:
    struct Pipe;
    using Clock = std::chrono::steady_clock;

    void open();
    void choose_camera_mode(Dictionary& settings) const;
    [[nodiscard]] bool stop();
    [[nodiscard]] std::string why_not_opened(int error) const;
    void wait_for_camera(std::chrono::milliseconds longest) const;

    const InputOptions& options_;
    const std::function<bool()>& interrupted_;
    Clock::duration patience_{};  // 0 for ever
    Clock::time_point heard_ = Clock::now();
    std::int64_t heard_bytes_ = 0;
    bool timed_out_ = false;
    bool opening_ = true;
    bool lends_buffers_ = false;  // packets are a driver's buffers
    int camera_ = -1;             // its descriptor, FFmpeg's own
    std::unique_ptr<Pipe> pipe_;
    AVFormatContext* format_ = nullptr;
};

}  // namespace vfilter
