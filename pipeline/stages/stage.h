#pragma once
// What every stage is given: the run that all share, the route of its video, and the meter to which it reports what it
// does.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "io/handles.h"
#include "pipeline/channel.h"
#include "pipeline/frame.h"
#include "pipeline/report/drops.h"
#include "pipeline/report/stats.h"
#include "pipeline/report/trace.h"

namespace vfilter {

// Capacities of the channels, in packets and pictures. Together with the codecs' own delays they bound the memory in
// flight.
inline constexpr std::size_t packets_ahead = 64;
inline constexpr std::size_t frames_ahead = 3;
/// packets_ahead, or fewer if each packet may be as large as a picture: with codecs that compress every picture by
/// itself.
std::size_t packets_ahead_of(AVCodecID codec, AVPixelFormat format, int width, int height);
/// Live: how far a slow encoder may fall behind. Between decoder and filter, and to the window, it is one picture.
inline constexpr std::size_t recorded_ahead = 16;

/// Called by each stage's thread before it works on an item (a packet, a picture), with the item's number from 0. What
/// it throws is an error of that stage: this is how tests make a stage fail.
using StageHook = std::function<void(StageId stage, std::int64_t item)>;

/// What all stages of a run share. Thread-safe.
struct StageRun {
    Stats& stats;
    Trace* trace;    ///< or null
    StageHook hook;  ///< or empty
    bool live;       ///< the next picture is not waited for, and the newest one counts
    DropCounters drops{};
    std::atomic<bool> cancelled{false};  ///< what is inside is discarded
    std::function<bool()> hurried{};     ///< whether a signal waits for the end; may be empty

    [[nodiscard]] bool is_cancelled() const { return cancelled.load(std::memory_order_relaxed); }
};

/// One filtered video: what its stages need to know about it, and the channels between them.
struct VideoRoute {
    /// `video` is its `number`, `of` its stream, which must outlive it, and `number_of_stream` the stream's number in
    /// the input.
    VideoRoute(std::size_t video, const AVStream& of, int number_of_stream, AVRational frame_rate, bool live);

    std::size_t number;  ///< 0 for the first, to which the window, the latencies and the clock refer
    const AVStream& stream;
    int stream_index;                  ///< in the input
    Stamps::Clock::duration interval;  ///< between two pictures
    bool independent;                  ///< any packet may be dropped
    Channel<InputPacket> packets;      ///< reader to decoder
    Channel<Frame> decoded;            ///< decoder to filter
    Channel<Frame> filtered;           ///< filter to encoder
    /// A graph of the chain has ended by itself: what has been decoded still passes, but no more needs to.
    std::atomic<bool> chain_ended{false};
    /// All pictures of a part that has an end have been decoded, and none of them is from after Demuxer::end_part().
    std::atomic<bool> part_decoded{false};

    /// Live: the time until the picture after this one is due. A stage may be waited for this long without causing any
    /// loss: after a pause, pictures arrive in bursts.
    [[nodiscard]] std::chrono::microseconds time_to_next(const Frame& frame) const;
};

/// Where a stage of a video reports what it does: statistics, trace, latencies, tests. Called only by the stage's
/// thread.
class StageMeter {
public:
    /// `video`: number of its route; 0 for what all videos have in common.
    StageMeter(const StageRun& run, StageId id, std::size_t video)
        : run_(run), id_(id), video_(video), stats_(run.stats.of(id, video)) {}
    /// For a step of the chain, which does not contribute to the latencies, and which tests are not told about.
    StageMeter(const StageRun& run, StepStats& step)
        : run_(run), id_(StageId::filter), video_(step.video), stats_(step.stage), step_(&step) {}

    /// Work on an item is about to begin. Throws what the hook throws.
    void reached(std::int64_t item) const {
        if (run_.hook && step_ == nullptr) {
            run_.hook(id_, item);
        }
    }
    void enter(Activity activity) const { stats_.enter(activity); }
    void count() const { stats_.count(); }
    [[nodiscard]] std::int64_t items() const { return stats_.items(); }
    /// A picture took this long for a leg of its route. Recorded only for the first video.
    void took(Leg leg, Stamps::Clock::duration time) const {
        if (video_ == 0 && step_ == nullptr) {
            run_.stats.latency[leg].add(time);
        }
    }
    /// A picture was worked on from `begin` until now. Traced only for the first video.
    void worked(std::int64_t frame, StageStats::Clock::time_point begin) const {
        if (run_.trace == nullptr || video_ != 0) {
            return;
        }
        if (step_ != nullptr) {
            run_.trace->span(step_->lane, step_->name, frame, begin, StageStats::Clock::now());
        } else {
            run_.trace->span(id_, frame, begin);
        }
    }

private:
    const StageRun& run_;
    StageId id_;
    std::size_t video_;
    StageStats& stats_;
    StepStats* step_ = nullptr;
};

}  // namespace vfilter
