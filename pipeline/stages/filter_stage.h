#pragma once
// Passes pictures of one video through the engine, to the encoder and to the window.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "pipeline/engine/filter_engine.h"
#include "pipeline/engine/verifier.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// Where filtered pictures go.
struct FilterOutputs {
    bool encoder = false;              ///< through the route's channel
    Channel<Frame>* window = nullptr;  ///< null if no window shows this video
    bool window_paces = false;         ///< a file is only played: the window's clock paces the whole run
};

/// Where a stage is in a chain that contains libavfilter graphs.
struct FilterPlace {
    Channel<Frame>& from;          ///< the graph before it, or the decoder
    Channel<Frame>* to = nullptr;  ///< the graph after it; null: FilterOutputs
    StepStats* step = nullptr;     ///< null if no graph follows
    bool keeps_originals = false;  ///< the picture before the chain is needed at its end
};

/// One thread calls run(), once; replace_engine() is thread-safe.
class FilterStage {
public:
    /// `verifier` may be null; `max_latency` is in milliseconds, for live input only. Everything referred to must
    /// outlive the stage.
    FilterStage(StageRun& run, VideoRoute& route, std::unique_ptr<FilterEngine> engine, Verifier* verifier,
                FilterOutputs outputs, std::optional<double> max_latency, FilterPlace place);

    /// Runs until no more pictures come or none are wanted. Throws Error.
    void run();

    /// Uses another engine for the same format from the next picture on: the pictures in the old one come out first.
    void replace_engine(std::unique_ptr<FilterEngine> engine);
    /// After run().
    [[nodiscard]] const FilterEngine& engine() const { return *engine_; }

private:
    using Time = StageStats::Clock::time_point;

    [[nodiscard]] bool is_too_late(const Frame& frame);
    bool filter(Frame frame, Time begin);
    [[nodiscard]] std::unique_ptr<FilterEngine> take_new_engine();
    bool pass_on_oldest(Time begin);
    void note_times(Frame& frame, Time begin);
    bool deliver(Frame frame);
    bool show(const Frame& frame);

    StageRun& run_;
    VideoRoute& route_;
    StageMeter meter_;
    std::unique_ptr<FilterEngine> engine_;
    Verifier* verifier_;
    FilterOutputs outputs_;
    FilterPlace place_;
    Channel<Frame>& from_;
    std::optional<double> max_latency_;

    std::map<std::int64_t, FramePtr> originals_;  // of the frames inside that verifier or window need
    Stamps::Clock::duration usual_time_{};        // per picture
    Stamps::Clock::time_point last_passed_{};     // when --max-latency last let a picture through
    std::mutex mutex_;
    std::unique_ptr<FilterEngine> next_engine_;  // guarded by mutex_
};

}  // namespace vfilter
