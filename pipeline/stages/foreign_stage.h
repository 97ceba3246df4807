#pragma once
// Passes pictures of one video through a libavfilter graph.

#include <cstdint>
#include <optional>

#include "io/formats/frame_pool.h"
#include "io/graph/filter_graph.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// What a foreign stage needs to know besides its graph.
struct ForeignPlace {
    AVRational time_base{};        ///< of the incoming pictures
    std::int64_t begin = 0;        ///< where the graph's time begins, microseconds on the input's clock
    std::int64_t told_from = 0;    ///< Demuxer::told_from()
    AVRational frame_rate{};       ///< of the incoming pictures
    AVRational sample_aspect{};    ///< that pictures are given before the graph sees them
    bool retimed = false;          ///< a filter of the graph sets times arbitrarily
    bool turned = false;           ///< the graph begins with the display matrix's transformation
    bool keeps_originals = false;  ///< the picture before the chain is needed later on
    bool upright = false;          ///< an engine follows: rows of pictures must be stored from top to bottom
    FramePool* pool = nullptr;     ///< for pictures whose rows are not
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;   ///< of pictures that do not specify theirs
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;  ///< of incoming pictures that do not specify theirs
};

/// Time base of the pictures that a foreign stage outputs: that of its graph, or a finer one if `begin` is between two
/// of its ticks.
AVRational time_base_after(const ForeignPlace& place, AVRational of_graph);

/// One thread calls run(), once.
class ForeignStage {
public:
    /// Everything referred to must outlive the stage.
    ForeignStage(StageRun& run, VideoRoute& route, StepStats& step, FilterGraph& graph, const ForeignPlace& place,
                 Channel<Frame>& from, Channel<Frame>& to);

    /// Runs until no more pictures come and the graph has returned everything, or none are wanted. If the graph ends
    /// before its input, the rest is received and discarded. Throws Error, also if almost none of the graph's first
    /// pictures is later than the one before.
    void run();

private:
    struct Source;

    void send(std::optional<Frame> frame);
    bool pass_on(FramePtr picture, StageStats::Clock::time_point begin);
    [[nodiscard]] std::int64_t duration_of(const AVFrame& picture, const Source& source) const;
    void date(AVFrame& picture, const Source& source);
    void tell_order(std::int64_t pts);
    void put_upright(FramePtr& picture) const;
    void look_at_aspect(const AVFrame& picture);

    StageRun& run_;
    VideoRoute& route_;
    StepStats& step_;
    StageMeter meter_;
    FilterGraph& graph_;
    ForeignPlace place_;
    AVRational given_base_;  // of the pictures that come out
    Channel<Frame>& from_;
    Channel<Frame>& to_;

    std::int64_t next_in_ = 0;
    std::int64_t next_out_ = 0;
    BufferPtr latest_;                       // of the input pictures
    std::optional<std::int64_t> last_time_;  // of the output pictures, as the graph set it
    std::optional<std::int64_t> last_pts_;   // and as it was passed on
    std::optional<AVRational> aspect_;       // of the first input picture, according to the input
    bool told_aspect_ = false;
    std::int64_t moved_ = 0;  // pictures whose times did not increase
    bool given_hdr_ = false;
};

}  // namespace vfilter
