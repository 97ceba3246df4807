#pragma once
// Pictures of one video through a graph of libavfilter's.

#include <cstdint>
#include <optional>

#include "io/formats/frame_pool.h"
#include "io/graph/filter_graph.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// What a foreign stage has to know besides its graph.
struct ForeignPlace {
    AVRational time_base{};        ///< of the pictures that come
    std::int64_t begin = 0;        ///< where time begins for the graph, microseconds on the input's clock
    AVRational frame_rate{};       ///< of the pictures that come
    AVRational sample_aspect{};    ///< that pictures get before the graph sees them
    bool retimed = false;          ///< a filter of the graph sets times as the user likes
    bool turned = false;           ///< the graph begins with what the display matrix asks for
    bool keeps_originals = false;  ///< the picture before the chain is wanted further on
    bool upright = false;          ///< an engine follows: rows of pictures lie from top to bottom
    FramePool* pool = nullptr;     ///< for pictures whose rows do not
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;   ///< of pictures that do not say theirs
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;  ///< of those that come and do not say theirs
};

/// Time base of the pictures that a foreign stage gives: that of its graph, or a finer one where `begin` is between two
/// of its ticks.
AVRational time_base_after(const ForeignPlace& place, AVRational of_graph);

/// One thread calls run(), once.
class ForeignStage {
public:
    /// All that is referred to must outlive the stage.
    ForeignStage(StageRun& run, VideoRoute& route, StepStats& step, FilterGraph& graph, const ForeignPlace& place,
                 Channel<Frame>& from, Channel<Frame>& to);

    /// Until no more pictures come and the graph has given all, or none are wanted. Where the graph ends before its
    /// input, the rest is received and left out. Throws Error, also where nearly none of the graph's first pictures is
    /// after the one before.
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
    BufferPtr latest_;                       // of what went in
    std::optional<std::int64_t> last_time_;  // of what came out, as the graph gave it
    std::optional<std::int64_t> last_pts_;   // and as it went on
    std::optional<AVRational> aspect_;       // of the first that went in, as the input says it
    bool told_aspect_ = false;
    std::int64_t moved_ = 0;  // pictures whose times did not rise
    bool given_hdr_ = false;
};

}  // namespace vfilter
