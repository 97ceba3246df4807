#pragma once
// The threads: read, decode, filter, encode, write, joined by channels.

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "io/decoder.h"
#include "io/demuxer.h"
#include "io/encoder.h"
#include "io/formats.h"
#include "io/muxer.h"
#include "pipeline/channel.h"
#include "pipeline/filter_engine.h"
#include "pipeline/frame.h"
#include "pipeline/stats.h"
#include "pipeline/trace.h"
#include "pipeline/verifier.h"

namespace vfilter {

/// Called by each stage's thread before it works on an item (a packet, a picture), with the item's number from 0. What
/// it throws is an error of that stage: this is how tests make one fail.
using StageHook = std::function<void(StageId stage, std::int64_t item)>;

/// What the stages work with; all of it outlives the pipeline, and each stage alone touches its own part.
struct PipelineParts {
    Demuxer& demuxer;
    Decoder& decoder;
    Converter& normaliser;  ///< to the one size and format that engine and encoder were built for
    FramePool& pool;
    FilterEngine& engine;
    Encoder& encoder;
    Muxer& muxer;
    Verifier* verifier;  ///< or null
    Trace* trace;        ///< or null
    Stats& stats;
    StageHook hook;  ///< or empty
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
    /// Joins all threads, then rethrows the first error of any of them, the stage's name in front.
    void finish();
    /// Ends everything at once; what is inside is thrown away. Thread-safe.
    void cancel();
    [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

    // Frames that may lie in each channel. With the codecs' own delays this bounds the memory in flight.
    static constexpr std::size_t packets_ahead = 64;
    static constexpr std::size_t frames_ahead = 3;

private:
    void read_packets();
    void decode_packets();
    void filter_frames();
    void encode_frames();
    void write_packets();

    void reached(StageId id, std::int64_t item) const {
        if (parts_.hook) {
            parts_.hook(id, item);
        }
    }
    void launch(StageId id, void (Pipeline::*stage)(), std::function<void()> after);
    void keep_first_error(StageId id);
    bool deliver_frame(FramePtr picture, std::int64_t& index, StageStats::Clock::time_point begin);
    bool deliver_filtered(Frame frame, FramePtr original, StageStats::Clock::time_point begin);

    PipelineParts parts_;
    Channel<PacketPtr> packets_{packets_ahead};
    Channel<Frame> decoded_{frames_ahead};
    Channel<Frame> filtered_{frames_ahead};
    Channel<OutputPacket> output_{packets_ahead, 2};  // from encoder and demuxer

    std::atomic<bool> cancelled_{false};
    std::mutex mutex_;
    std::condition_variable ended_;
    int running_ = 0;
    std::exception_ptr first_error_;
    std::vector<std::thread> threads_;
};

}  // namespace vfilter
