#pragma once
// The threads: read, decode, filter, encode, write, joined by channels.

#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "io/codec/decoder.h"
#include "io/codec/encoder.h"
#include "io/formats/formats.h"
#include "io/input/demuxer.h"
#include "io/output/muxer.h"
#include "pipeline/channel.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/verifier.h"
#include "pipeline/frame.h"
#include "pipeline/report/stats.h"
#include "pipeline/report/trace.h"

namespace vfilter {

/// Called by each stage's thread before it works on an item (a packet, a picture), with the item's number from 0. What
/// it throws is an error of that stage: this is how tests make one fail.
using StageHook = std::function<void(StageId stage, std::int64_t item)>;

/// What the stages of one filtered video work with.
struct VideoParts {
    int stream;  ///< its number in the input
    Decoder& decoder;
    Converter& normaliser;  ///< to the one size and format that engine and encoder were built for
    std::unique_ptr<FilterEngine> engine;
    Encoder* encoder;    ///< null if nothing is written
    Verifier* verifier;  ///< or null
};

/// What the stages work with; all that is referred to outlives the pipeline, and each stage alone touches its own part.
struct PipelineParts {
    Demuxer& demuxer;
    std::vector<VideoParts> videos;  ///< at least one; the first is what a window shows
    FramePool& pool;
    Muxer* muxer;  ///< null if nothing is written
    Trace* trace;  ///< or null
    Stats& stats;
    bool preview;                       ///< pictures() is looked at
    std::optional<double> max_latency;  ///< milliseconds; live only
    StageHook hook;                     ///< or empty
};

/// What a live run left out, and where. Everything else counts 0.
struct Drops {
    std::int64_t undecoded = 0;   ///< packets of the video that waited for the decoder when newer ones came
    std::int64_t overtaken = 0;   ///< pictures that waited for the filter when newer ones came
    std::int64_t shed = 0;        ///< to hold --max-latency
    std::int64_t unrecorded = 0;  ///< filtered, but the encoder's queue was full
    std::int64_t unseen = 0;      ///< filtered, but the window was not ready for them

    /// Of the pictures that were decoded, those that are in no recording.
    [[nodiscard]] std::int64_t decoded() const { return overtaken + shed + unrecorded; }
    /// Of all that was received, what was not filtered or not recorded.
    [[nodiscard]] std::int64_t total() const { return undecoded + decoded(); }
};

/// Runs once. The members are declared in the order in which they are needed, so that destruction is the shutdown: the
/// threads are cancelled and joined before the channels go.
class Pipeline {
public:
    explicit Pipeline(PipelineParts parts);
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    void start();
    /// Waits until all threads have ended, but at most so long. True if they have.
    bool wait_for(std::chrono::milliseconds time);
    /// Waits for all threads to end.
    void join();
    /// join(), then rethrows the first error of any of them, the stage's name in front.
    void finish();
    /// Ends everything at once; what is inside is thrown away. Thread-safe.
    void cancel();
    /// The same, and nothing more is written either. Thread-safe.
    void cancel_all();
    /// The same as cancel() for whoever cannot wait for a codec: what is on its way to the muxer is still written, and
    /// the file is ended, whether or not the other stages come back. Thread-safe.
    void abandon();
    /// Whether a stage's thread has ended, of all videos. Thread-safe.
    [[nodiscard]] bool has_ended(StageId id) const;
    /// Of the error that ended a stage, or null; what finish() would throw. Thread-safe.
    [[nodiscard]] std::exception_ptr first_error() const;
    [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

    /// Filtered pictures for a window, one receiver; each once, if the receiver takes them as they come: of a live
    /// input, and beside a recording, the newest alone.
    [[nodiscard]] Channel<Frame>& pictures() { return pictures_; }
    /// From the next picture of the first video on, another engine, for the same format. Thread-safe.
    void replace_engine(std::unique_ptr<FilterEngine> engine);
    /// Thread-safe.
    [[nodiscard]] Drops drops() const;
    /// Live: seconds by which pictures come later now, by their timestamps, than the first one did. Thread-safe.
    [[nodiscard]] double clock_drift() const {
        return 1e-9 * static_cast<double>(drift_.load(std::memory_order_relaxed));
    }
    /// After finish().
    [[nodiscard]] const FilterEngine& engine() const { return *videos_.front()->parts.engine; }

    // Frames that may lie in each channel. With the codecs' own delays this bounds the memory in flight.
    static constexpr std::size_t packets_ahead = 64;
    static constexpr std::size_t frames_ahead = 3;
    // The same for live input: what a slow encoder may fall behind. Between decoder and filter, and to the window, it
    // is one.
    static constexpr std::size_t recorded_ahead = 16;
    // How long a packet of a live stream may wait for the decoder.
    static constexpr std::chrono::milliseconds live_patience{500};

private:
    struct Video;

    void read_packets();
    void decode_packets(Video& video);
    void filter_frames(Video& video);
    void encode_frames(Video& video);
    void write_packets();

    void reached(StageId id, std::int64_t item) const {
        if (parts_.hook) {
            parts_.hook(id, item);
        }
    }
    [[nodiscard]] Video* video_of(int stream);
    bool send_video(Video& video, InputPacket packet);
    [[nodiscard]] bool is_stale(Video& video, const InputPacket& item);
    [[nodiscard]] std::chrono::microseconds time_to_next(const Video& video, const Frame& frame) const;
    void note_drift(Video& video, const Frame& frame);
    [[nodiscard]] bool wanted_yet(const Video& video, const Frame& frame) const;
    [[nodiscard]] bool wanted_still(const Video& video, const Frame& frame) const;
    static void tell_change(Video& video, const AVFrame& picture);
    bool deliver_frame(Video& video, Frame frame, StageStats::Clock::time_point begin, bool overtakes);
    bool send_decoded(Video& video, Frame frame, bool overtakes);
    [[nodiscard]] bool too_late(Video& video, const Frame& frame);
    bool filter_next(Video& video, Frame frame, StageStats::Clock::time_point begin);
    std::unique_ptr<FilterEngine> take_new_engine();
    bool take_filtered(Video& video, StageStats::Clock::time_point begin);
    bool deliver_filtered(Video& video, Frame frame);
    bool show(const Frame& frame);
    void note_latency(const Video& video, Leg leg, Stamps::Clock::duration time) const;
    void note_span(const Video& video, StageId id, std::int64_t frame, StageStats::Clock::time_point begin) const;
    void launch(StageId id, std::size_t number, std::function<void()> stage, std::function<void()> after);
    void keep_first_error(StageId id);

    PipelineParts parts_;
    const bool live_ = parts_.demuxer.live();
    Channel<OutputPacket> output_{packets_ahead, 1 + static_cast<int>(parts_.videos.size())};  // demuxer, encoders
    Channel<Frame> pictures_{live_ || parts_.muxer != nullptr ? 1 : frames_ahead};

    struct Counters {
        std::atomic<std::int64_t> undecoded{0};
        std::atomic<std::int64_t> overtaken{0};
        std::atomic<std::int64_t> shed{0};
        std::atomic<std::int64_t> unrecorded{0};
        std::atomic<std::int64_t> unseen{0};
    };
    Counters drops_;
    std::atomic<std::int64_t> drift_{0};  // nanoseconds

    struct PictureKind {
        AVPixelFormat format;
        int width;
        int height;
        bool operator==(const PictureKind&) const = default;
    };
    /// One filtered video: its channels, and what its stages keep for themselves.
    struct Video {
        Video(VideoParts of, std::size_t index, const Demuxer& demuxer);

        VideoParts parts;
        std::size_t number;  // 0 for the first, which the window and the clocks are about
        const AVStream& stream;
        Stamps::Clock::duration interval;  // between pictures
        bool independent;                  // any packet may be left out
        Channel<InputPacket> packets;
        Channel<Frame> decoded;
        Channel<Frame> filtered;
        bool wanted = true;               // the reader's: more packets
        bool waits_for_key = false;       // the reader's: packets are missing before the next key frame
        bool skips_to_key = false;        // the decoder's: what leans on a missing packet is left out
        std::optional<PictureKind> kind;  // the decoder's: of the last picture
        std::optional<std::int64_t>
            first_ahead;  // the decoder's: the machine's clock before the pictures', nanoseconds
        std::map<std::int64_t, FramePtr> originals;  // the filter's: of the frames inside that somebody wants to see
        Stamps::Clock::duration usual_time{};        // the filter's, for a picture
        Stamps::Clock::time_point last_passed{};
    };
    std::vector<std::unique_ptr<Video>> videos_;
    std::unique_ptr<FilterEngine> next_engine_;  // guarded by mutex_

    std::atomic<bool> cancelled_{false};
    mutable std::mutex mutex_;
    std::condition_variable ended_;
    int running_ = 0;
    std::array<int, stage_names.size()> running_stages_{};
    std::exception_ptr first_error_;
    std::vector<std::thread> threads_;
};

}  // namespace vfilter
