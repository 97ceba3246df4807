#pragma once
// A running libavfilter graph: pictures in, pictures out.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/formats/orientation.h"
#include "io/graph/graph_colours.h"
#include "io/graph/graph_ends.h"

namespace vfilter {

/// What all pictures that go into a graph, or come out of it, have in common.
struct GraphPictures {
    AVPixelFormat format = AV_PIX_FMT_NONE;
    int width = 0;
    int height = 0;
    AVRational time_base{0, 1};
    AVRational frame_rate{0, 1};     ///< 0 if there is none: only the times count
    AVRational sample_aspect{0, 1};  ///< 0 if unknown
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
};

/// The arguments that describe them to libavfilter's picture source, `buffer`.
std::string source_arguments(const GraphPictures& of);

/// How a graph is embedded in a chain.
struct GraphPlace {
    GraphPictures pictures;              ///< the incoming ones
    DisplayTurn turn{};                  ///< applied before the graph's own filters
    std::vector<AVPixelFormat> taken{};  ///< formats allowed at its output, whatever the graph makes; empty for any
    int threads = 0;                     ///< for all filters together, 0 for one per core
};

/// One thread; libavfilter's threads for parts of a picture are inside.
class FilterGraph {
public:
    /// Throws Error(usage) if the graph cannot be set up for these pictures, and as parse_graph does.
    FilterGraph(const std::string& text, const GraphPlace& place);

    /// Describes the output pictures; no colours.
    [[nodiscard]] const GraphPictures& made() const { return made_; }
    [[nodiscard]] const std::string& text() const { return flow_->text(); }

    /// Sends a picture, in place.pictures.time_base; null for the end. After each call, take every picture with
    /// receive(). Throws Error with the filter's name and libavfilter's message.
    void send(FramePtr picture);
    /// The next picture, in made().time_base, or null when another one is needed or all are out.
    FramePtr receive();
    /// Whether no more pictures come, whatever is sent: the input has ended, or the graph itself.
    [[nodiscard]] bool ended() const { return flow_->ended(); }
    /// Whether it repeats pictures for ever, and nothing in it ends that.
    [[nodiscard]] bool is_endless() const;
    [[nodiscard]] GraphMatrix matrix() const { return matrix_before(flow_->sink()); }
    [[nodiscard]] bool converts_with_loss() const { return vfilter::converts_with_loss(flow_->sink()); }
    /// See GraphFlow::tell_results().
    void tell_results() { flow_->tell_results(); }
    /// Nothing is reported about what happens to the captions within the pictures.
    void keep_quiet() { quiet_ = true; }

private:
    void look_for_captions(AVFrame& made);
    void tell_captions() const;
    [[nodiscard]] bool cuts() const;

    GraphPictures made_;
    std::optional<GraphFlow> flow_;    // always set once this is constructed
    std::int64_t usual_duration_ = 0;  // of an incoming picture, in its time base
    std::int64_t end_ = 0;             // of the latest one
    bool quiet_ = false;
    std::int64_t pictures_made_ = 0;
    // Caption parts, of which each picture has one. Those made from the same picture are distinguished by what the
    // caller has tagged it with.
    std::int64_t parts_given_ = 0;
    std::int64_t parts_made_ = 0;
    std::set<std::intptr_t> latest_parts_;
};

/// What a graph makes of pictures like `first`, determined by running it on a few black ones: a picture without
/// samples, with the colours, side data and field order of its results. If so few produce no result, these are those of
/// `first`.
FramePtr try_graph(const std::string& text, const GraphPlace& place, const AVFrame& first);

}  // namespace vfilter
