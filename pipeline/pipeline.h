#pragma once
// The threads: read, decode, filter, encode, write, connected by channels.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "pipeline/stages/chain.h"
#include "pipeline/stages/decode_stage.h"
#include "pipeline/stages/encode_stage.h"
#include "pipeline/stages/first_error.h"
#include "pipeline/stages/read_stage.h"
#include "pipeline/stages/sound_stage.h"
#include "pipeline/stages/write_stage.h"

namespace vfilter {

/// What the stages of one filtered video use.
struct VideoParts {
    int stream;  ///< its number in the input
    FrameSource& decoder;
    Converter& normaliser;               ///< to the single size and format that engine and encoder expect
    std::vector<SegmentParts> segments;  ///< at least one, in the order of the chain
    Encoder* encoder;                    ///< null if nothing is written
};

/// What the stages use; everything referred to outlives the pipeline, and each stage is the only one to use its own
/// part.
struct PipelineParts {
    Demuxer& demuxer;
    std::vector<VideoParts> videos;       ///< at least one; the first is what a window shows
    std::vector<SoundConverter*> sounds;  ///< audio streams that are re-encoded
    FramePool& pool;
    Muxer* muxer;  ///< null if nothing is written
    Trace* trace;  ///< or null
    Stats& stats;
    bool preview;                       ///< pictures() has a receiver
    std::optional<double> max_latency;  ///< milliseconds; live only
    StageHook hook;                     ///< or empty
    std::function<bool()> hurried{};    ///< whether a signal waits for the end; may be empty
};

/// Runs once. The members are declared in the order in which they are needed, so that destruction is the shutdown: the
/// threads are cancelled and joined before the stages and their channels are destroyed.
class Pipeline {
public:
    explicit Pipeline(PipelineParts parts);
    ~Pipeline();
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    void start();
    /// Waits until all threads have ended, but at most for that long. True if they have.
    bool wait_for(std::chrono::milliseconds time);
    /// Waits for all threads to end.
    void join();
    /// join(), then rethrows the first error of any of them, prefixed with the stage's name.
    void finish();
    /// Ends everything at once; pictures inside are discarded. Thread-safe.
    void cancel();
    /// The same, and nothing more is written either. Thread-safe.
    void cancel_all();
    /// The same as cancel() for a caller that cannot wait for a codec: what is on its way to the muxer is still
    /// written, and the file is finished, whether or not the other stages return. Thread-safe.
    void abandon();
    /// Whether the writing thread has ended. Thread-safe.
    [[nodiscard]] bool has_written() const { return has_written_; }
    /// The error that ended a stage, or null; what finish() would throw. Thread-safe.
    [[nodiscard]] std::exception_ptr first_error() const { return first_error_.get(); }
    [[nodiscard]] bool cancelled() const { return run_.is_cancelled(); }

    /// Filtered pictures for a window, one receiver; each of them, if the receiver keeps up. For a live input, and
    /// during a recording, only the newest.
    [[nodiscard]] Channel<Frame>& pictures() { return pictures_; }
    /// From the next picture of the first video on, use another engine for a segment of the chain that has filters, for
    /// the same format. Thread-safe.
    void replace_engine(std::size_t segment, std::unique_ptr<FilterEngine> engine) {
        videos_.front()->chain.replace_engine(segment, std::move(engine));
    }
    /// Thread-safe.
    [[nodiscard]] Drops drops() const { return run_.drops.so_far(); }
    /// Live: by how many seconds pictures of the first video now arrive later, relative to their timestamps, than its
    /// first one did. Thread-safe.
    [[nodiscard]] double clock_drift() const { return videos_.front()->decode.clock_drift(); }
    /// For each filter, in all videos. After finish().
    [[nodiscard]] std::vector<StepCount> step_counts() const;
    /// Whether all pictures of a part of the input came from within it. After finish().
    [[nodiscard]] bool part_is_decoded() const {
        return std::ranges::all_of(
            videos_, [](const auto& video) { return video->route.part_decoded.load(std::memory_order_relaxed); });
    }
    /// After finish().
    [[nodiscard]] const FilterEngine& engine() const { return videos_.front()->chain.engine(); }

private:
    // One filtered video: its route, and the stages that belong to it.
    struct Video {
        Video(std::size_t number, VideoParts video, const PipelineParts& parts, StageRun& run,
              Channel<OutputPacket>& output, Channel<Frame>& pictures, HeldPackets* held);

        VideoRoute route;
        DecodeStage decode;
        Chain chain;
        std::optional<EncodeStage> encode;
    };

    // One audio stream that is re-encoded.
    struct Sound {
        Sound(std::size_t number, SoundConverter& converter, StageRun& run, Channel<OutputPacket>& output)
            : route(number, converter), stage(run, route, output) {}

        SoundRoute route;
        SoundStage stage;
    };

    void start_video(Video& video);
    void start_reading();
    void launch(StageId id, std::size_t number, std::function<void()> stage, std::function<void()> after);
    void launch(const std::string& thread, const std::string& name, StageStats& stats, std::function<void()> stage,
                std::function<void()> after);

    StageRun run_;
    Channel<OutputPacket> output_;  // from the reader and the encoders
    Channel<Frame> pictures_;
    std::optional<HeldPackets> held_;  // if the first video's decoder reads ahead
    std::vector<std::unique_ptr<Video>> videos_;
    std::vector<std::unique_ptr<Sound>> sounds_;
    std::optional<ReadStage> read_;
    std::optional<WriteStage> write_;

    FirstError first_error_;
    mutable std::mutex mutex_;
    std::condition_variable ended_;
    int running_ = 0;
    std::atomic<bool> has_written_{false};
    std::vector<std::thread> threads_;
};

}  // namespace vfilter
