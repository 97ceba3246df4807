#pragma once
// What every stage is given: the run that all share, the route of its video, and the meter on which it tells what it
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

// Capacities of the channels, in packets and pictures. With the codecs' own delays they bound the memory in flight.
inline constexpr std::size_t packets_ahead = 64;
inline constexpr std::size_t frames_ahead = 3;
/// packets_ahead, or fewer where each may be as large as a picture: of codecs that compress none by another.
std::size_t packets_ahead_of(AVCodecID codec, AVPixelFormat format, int width, int height);
/// Live, what a slow encoder may fall behind. Between decoder and filter, and to the window, it is one picture.
inline constexpr std::size_t recorded_ahead = 16;

/// Called by each stage's thread before it works on an item (a packet, a picture), with the item's number from 0. What
/// it throws is an error of that stage: this is how tests make one fail.
using StageHook = std::function<void(StageId stage, std::int64_t item)>;

/// What all stages of a run share. Thread-safe.
struct StageRun {
    Stats& stats;
    Trace* trace;    ///< or null
    StageHook hook;  ///< or empty
    bool live;       ///< nobody waits for the next picture, and the newest one counts
    DropCounters drops{};
    std::atomic<bool> cancelled{false};  ///< what is inside is thrown away
    std::function<bool()> hurried{};     ///< whether a signal waits for the end; or empty

    [[nodiscard]] bool is_cancelled() const { return cancelled.load(std::memory_order_relaxed); }
};

/// One filtered video: what its stages have to know of it, and the channels between them.
struct VideoRoute {
    /// `video` is its `number`, `of` its stream, which must outlive it, and `number_of_stream` that one's in the input.
    VideoRoute(std::size_t video, const AVStream& of, int number_of_stream, AVRational frame_rate, bool live);

    std::size_t number;  ///< 0 for the first, which the window, the latencies and the clock are about
    const AVStream& stream;
    int stream_index;                  ///< in the input
    Stamps::Clock::duration interval;  ///< between two pictures
    bool independent;                  ///< any packet may be left out
    Channel<InputPacket> packets;      ///< reader to decoder
    Channel<Frame> decoded;            ///< decoder to filter
    Channel<Frame> filtered;           ///< filter to encoder
    /// A graph of the chain has ended by itself: what was decoded still passes, and nothing more has to be.
    std::atomic<bool> chain_ended{false};
    /// All pictures of a part that has an end have been decoded, and none of them from behind Demuxer::end_part().
    std::atomic<bool> part_decoded{false};

    /// Live: until the picture after this one is due. So long a stage may be waited for without anything being lost by
    /// it: after a pause pictures come in bursts.
    [[nodiscard]] std::chrono::microseconds time_to_next(const Frame& frame) const;
};

/// Where a stage of a video tells what it does: statistics, trace, latencies, tests. Only the stage's thread calls it.
class StageMeter {
public:
    /// `video`: number of its route; 0 for what all videos have in common.
    StageMeter(const StageRun& run, StageId id, std::size_t video)
        : run_(run), id_(id), video_(video), stats_(run.stats.of(id, video)) {}
    /// Of a step of the chain, which has no part in the latencies, and of which tests hear nothing.
    StageMeter(const StageRun& run, StepStats& step)
        : run_(run), id_(StageId::filter), video_(step.video), stats_(step.stage), step_(&step) {}

    /// An item is about to be worked on. Throws what the hook throws.
    void reached(std::int64_t item) const {
        if (run_.hook && step_ == nullptr) {
            run_.hook(id_, item);
        }
    }
    void enter(Activity activity) const { stats_.enter(activity); }
    void count() const { stats_.count(); }
    [[nodiscard]] std::int64_t items() const { return stats_.items(); }
    /// A picture took so long for a leg of its route. Kept of the first video alone.
    void took(Leg leg, Stamps::Clock::duration time) const {
        if (video_ == 0 && step_ == nullptr) {
            run_.stats.latency[leg].add(time);
        }
    }
    /// A picture was worked on from `begin` until now. Traced of the first video alone.
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
