#pragma once
// A graph of libavfilter's at work: pictures in, pictures out.

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
    AVRational frame_rate{0, 1};     ///< 0 if there is none: the times say it all
    AVRational sample_aspect{0, 1};  ///< 0 if unknown
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
};

/// What libavfilter's source of pictures, `buffer`, is told of them.
std::string source_arguments(const GraphPictures& of);

/// How a graph is set into a chain.
struct GraphPlace {
    GraphPictures pictures;              ///< that go in
    DisplayTurn turn{};                  ///< done before the graph's own filters
    std::vector<AVPixelFormat> taken{};  ///< formats that may come out, whatever the graph makes; empty for any
    int threads = 0;                     ///< of all filters together, 0 for one per core
};

/// One thread; libavfilter's threads for parts of a picture are inside.
class FilterGraph {
public:
    /// Throws Error(usage) where the graph cannot be set up for these pictures, and as parse_graph does.
    FilterGraph(const std::string& text, const GraphPlace& place);

    /// Of the pictures that come out; no colours.
    [[nodiscard]] const GraphPictures& made() const { return made_; }
    [[nodiscard]] const std::string& text() const { return flow_->text(); }

    /// Gives a picture, in place.pictures.time_base; null for the end. After each call, take every picture with
    /// receive(). Throws Error with the filter's name and libavfilter's words.
    void send(FramePtr picture);
    /// The next picture, in made().time_base, or null when another one is needed or all are out.
    FramePtr receive();
    /// Whether no more comes, whatever is sent: the input has ended, or the graph itself.
    [[nodiscard]] bool ended() const { return flow_->ended(); }
    /// Whether it repeats pictures for ever, and nothing in it ends that.
    [[nodiscard]] bool is_endless() const;
    [[nodiscard]] GraphMatrix matrix() const { return matrix_before(flow_->sink()); }
    [[nodiscard]] bool converts_with_loss() const { return vfilter::converts_with_loss(flow_->sink()); }
    /// See GraphFlow::tell_results().
    void tell_results() { flow_->tell_results(); }
    /// What becomes of the captions within the pictures is not told.
    void keep_quiet() { quiet_ = true; }

private:
    void look_for_captions(AVFrame& made);
    void tell_captions() const;
    [[nodiscard]] bool cuts() const;

    GraphPictures made_;
    std::optional<GraphFlow> flow_;    // always there once it is made
    std::int64_t usual_duration_ = 0;  // of a picture that goes in, in its time base
    std::int64_t end_ = 0;             // of the latest one
    bool quiet_ = false;
    std::int64_t pictures_made_ = 0;
    // Parts of captions, of which each picture has one. Those made of one picture are told apart by what the caller has
    // tagged it with.
    std::int64_t parts_given_ = 0;
    std::int64_t parts_made_ = 0;
    std::set<std::intptr_t> latest_parts_;
};

/// What a graph makes of pictures like `first`, found out by letting it work on a few black ones: a picture without
/// samples, with the colours, side data and field order of its results. Where none comes out of so few, they are those
/// of `first`.
FramePtr try_graph(const std::string& text, const GraphPlace& place, const AVFrame& first);

}  // namespace vfilter
