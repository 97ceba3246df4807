#pragma once
// An opened input: its streams, the one to filter, and its packets in file order.

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/damage.h"
#include "io/input/opened_input.h"

namespace vfilter {

/// Reads one input. One thread at a time; `interrupted` is called from it and from FFmpeg's own I/O, and its true ends
/// a blocking read as if the input had ended there. What format(), video() and the rest tell stays as it was when the
/// input was opened, and where, also when a live input is lost and opened again.
class Demuxer {
public:
    /// Opens the input and finds the videos to filter: the best real one, or those that --video-stream names; of a live
    /// input it waits for the first key frame. Throws Error(input), or Error(usage) where the options contradict the
    /// kind of input.
    Demuxer(InputOptions options, std::function<bool()> interrupted);
    ~Demuxer();
    Demuxer(const Demuxer&) = delete;
    Demuxer& operator=(const Demuxer&) = delete;

    /// The next packet of any stream; null at the end. With --start the first ones may lie before it. With --live on an
    /// input that is none, a packet of the video comes no earlier than its time, counted from the first one after the
    /// last unread().
    PacketPtr read();
    /// The next packet of a stream among those that were put back, or null.
    [[nodiscard]] const AVPacket* peek(int stream) const;
    /// Puts packets back, to be read again in the same order.
    void unread(std::deque<PacketPtr> packets);

    [[nodiscard]] const AVFormatContext& format() const { return *format_; }
    [[nodiscard]] const AVStream& video() const { return *format_->streams[video_]; }
    [[nodiscard]] int video_index() const { return video_; }
    /// All videos that are filtered, the first of them video_index().
    [[nodiscard]] const std::vector<int>& videos() const { return videos_; }
    [[nodiscard]] bool is_filtered(int stream) const;
    /// Average frames per second, or 25 where the input does not tell; of a stream, or of the first video.
    [[nodiscard]] AVRational frame_rate() const { return frame_rate_; }
    [[nodiscard]] AVRational frame_rate(int stream) const { return frame_rates_.at(static_cast<std::size_t>(stream)); }
    /// The wanted part, in AV_TIME_BASE units of the input's clock; empty where there is no limit. The end is an
    /// estimate where the user gave a number of frames.
    [[nodiscard]] std::optional<std::int64_t> start() const { return start_; }
    [[nodiscard]] std::optional<std::int64_t> end() const { return end_; }
    [[nodiscard]] std::optional<std::int64_t> max_frames() const { return options_.frames; }
    /// What to subtract from every timestamp: with --start, and of a live input, the output begins at 0.
    [[nodiscard]] std::int64_t shift() const { return shift_; }
    /// Whether pictures come when they come, and the newest is the one that counts: a camera, a network, --live.
    [[nodiscard]] bool live() const { return live_; }
    /// How often a lost input came back. Any thread.
    [[nodiscard]] int reconnects() const { return reconnects_.load(std::memory_order_relaxed); }
    /// Frames to expect of a video, 0 if nobody knows.
    [[nodiscard]] std::int64_t expected_frames(int stream) const;
    [[nodiscard]] const Damage& damage() const { return damage_; }
    /// After the end: packets of a stream that the container has and the demuxer did not give, as they are empty: a
    /// picture that repeats the one before it. Such a picture leaves a hole, and is not missing.
    [[nodiscard]] std::int64_t empty_packets(int stream) const;
    /// Whether the other side of the input may be silent for long: a pipe, a camera, an address.
    [[nodiscard]] bool waits() const { return waits_; }
    [[nodiscard]] std::int64_t max_pixels() const { return options_.max_pixels; }
    /// Whether the first damage is to end the run.
    [[nodiscard]] bool strict() const { return options_.strict; }

private:
    struct FreeContext {
        void operator()(AVFormatContext* context) const { avformat_free_context(context); }
    };
    using SteadyClock = std::chrono::steady_clock;

    void choose_videos();
    void tell_choice() const;
    void describe();
    void choose_part();
    void begin_live();
    void seek(std::int64_t wanted);
    [[nodiscard]] PacketPtr read_new();
    [[nodiscard]] bool take_live(AVPacket& packet);
    void bridge_loss(AVPacket& packet);
    [[nodiscard]] bool reopen(int error);
    [[nodiscard]] std::string why_lost(int error) const;
    [[nodiscard]] bool map_streams();
    [[nodiscard]] bool wait_until(SteadyClock::time_point time) const;
    void pace(const AVPacket& packet);
    void bridge_jump(AVPacket& packet);
    void note_end(int error);
    void note_complaint(const AVPacket* packet);
    void judge_structure(const ContainerScan& scan);
    void judge_corrupt_packets(const ContainerScan* scan);
    void judge_streams(const ContainerScan* scan);
    void tell_early_end() const;
    void judge_stream(int index, const TrackEvidence* track);
    [[nodiscard]] std::int64_t told_end() const;

    InputOptions options_;
    std::function<bool()> interrupted_;
    bool live_;
    bool paced_;                          // its pictures would come at once, and are given at their time
    std::unique_ptr<OpenedInput> input_;  // null once it is lost for good
    std::unique_ptr<AVFormatContext, FreeContext> description_;
    const AVFormatContext* format_ = nullptr;  // the input's own, or the description of one that may be opened again
    int video_ = -1;
    std::vector<int> videos_;
    AVRational frame_rate_{25, 1};
    std::vector<AVRational> frame_rates_;  // by stream
    bool waits_ = false;
    std::int64_t first_ = 0;          // when the input begins, AV_TIME_BASE units
    std::int64_t first_picture_ = 0;  // when its video does
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
    /// What came of a stream.
    struct Tally {
        std::int64_t packets = 0;
        std::int64_t end = AV_NOPTS_VALUE;  // in the stream's clock
        std::int64_t last_duration = 0;
        bool last_corrupt = false;
        std::int64_t empty = 0;
    };
    std::vector<Tally> tallies_;   // by stream
    bool from_beginning_ = true;   // nothing was sought: what came can be held against what is promised
    std::int64_t complaints_ = 0;  // of the demuxer, as far as they are told
    std::int64_t corrupt_ = 0;     // packets that it has marked
    Damage damage_;
    bool ended_ = false;

    // Live inputs.
    unsigned known_streams_ = 0;          // those of the beginning: the ones that others know
    bool headless_ = false;               // no key frame since it was opened
    int skipped_ = 0;                     // pictures that were left out for that
    std::vector<int> streams_;            // by stream of an input opened again: its number before, -1 for a new one
    std::vector<AVRational> time_bases_;  // by stream of an input opened again
    std::atomic<int> reconnects_{0};
    int failures_ = 0;                             // losses and failed openings since the last picture
    std::optional<SteadyClock::time_point> lost_;  // when the last packet came, while its successor is awaited
    SteadyClock::time_point heard_;
    std::int64_t offset_ = 0;                   // what to add after the last loss, AV_TIME_BASE units
    std::int64_t live_stamp_ = AV_NOPTS_VALUE;  // the latest of the packets given, AV_TIME_BASE units, with that added
    std::int64_t live_end_ = AV_NOPTS_VALUE;    // where the latest of them ends
    struct Pace {
        SteadyClock::time_point begin;
        std::int64_t first = 0;  // AV_TIME_BASE units
        std::int64_t last = 0;
    };
    std::optional<Pace> pace_;
};

}  // namespace vfilter
