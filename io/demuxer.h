#pragma once
// An opened input: its streams, the one to filter, and its packets in file order.

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// Damage that was met and survived. Plain counts; whoever counts owns it.
struct Damage {
    std::int64_t packets = 0;    ///< marked corrupt by the container, or refused by decoder or muxer
    std::int64_t frames = 0;     ///< decoded with errors
    double missing_seconds = 0;  ///< by which the input ended before the duration in its header
    [[nodiscard]] bool any() const { return packets > 0 || frames > 0 || missing_seconds > 0; }
};

/// Reads one input. One thread at a time; `interrupted` is called from it and from FFmpeg's own I/O, and its true ends
/// a blocking read as if the input had ended there.
class Demuxer {
public:
    /// Opens the input and finds its best real video stream. Throws Error(input).
    Demuxer(InputOptions options, std::function<bool()> interrupted);
    ~Demuxer();
    Demuxer(const Demuxer&) = delete;
    Demuxer& operator=(const Demuxer&) = delete;

    /// The next packet of any stream; null at the end. With --start the first ones may lie before it.
    PacketPtr read();
    /// The next packet of a stream among those that were put back, or null.
    [[nodiscard]] const AVPacket* peek(int stream) const;
    /// Puts packets back, to be read again in the same order.
    void unread(std::deque<PacketPtr> packets);

    [[nodiscard]] const AVFormatContext& format() const { return *format_; }
    [[nodiscard]] const AVStream& video() const { return *format_->streams[video_]; }
    [[nodiscard]] int video_index() const { return video_; }
    /// Average frames per second, or 25 where the input does not tell.
    [[nodiscard]] AVRational frame_rate() const;
    /// The wanted part, in AV_TIME_BASE units of the input's clock; empty where there is no limit. The end is an
    /// estimate where the user gave a number of frames.
    [[nodiscard]] std::optional<std::int64_t> start() const { return start_; }
    [[nodiscard]] std::optional<std::int64_t> end() const { return end_; }
    [[nodiscard]] std::optional<std::int64_t> max_frames() const { return options_.frames; }
    /// What to subtract from every timestamp: with --start the output begins at 0.
    [[nodiscard]] std::int64_t shift() const { return shift_; }
    /// Frames to expect, 0 if nobody knows.
    [[nodiscard]] std::int64_t expected_frames() const;
    [[nodiscard]] const Damage& damage() const { return damage_; }
    /// Whether the first damage is to end the run.
    [[nodiscard]] bool strict() const { return options_.strict; }

private:
    struct Stdin;

    void open();
    void choose_video();
    void choose_part();
    void seek(std::int64_t wanted);
    void bridge_jump(AVPacket& packet);
    void note_end(int error);
    [[nodiscard]] std::int64_t told_end() const;

    InputOptions options_;
    std::function<bool()> interrupted_;
    std::unique_ptr<Stdin> stdin_;
    AVFormatContext* format_ = nullptr;
    int video_ = -1;
    std::int64_t first_ = 0;  // when the input begins, AV_TIME_BASE units
    std::optional<std::int64_t> start_;
    std::optional<std::int64_t> end_;
    std::int64_t shift_ = 0;
    std::deque<PacketPtr> unread_;
    std::int64_t last_end_ = AV_NOPTS_VALUE;  // AV_TIME_BASE units, of any stream
    struct Clock {
        std::int64_t due = AV_NOPTS_VALUE;  // when the stream's next packet is, AV_TIME_BASE units
        std::size_t jump = 0;               // the last jump that the stream has met
    };
    std::vector<Clock> clocks_;              // by stream
    std::vector<std::int64_t> jumps_ = {0};  // what to add after each jump of the clock, AV_TIME_BASE units
    Damage damage_;
    bool ended_ = false;
};

}  // namespace vfilter
