#pragma once
// The stream whose pictures are encoded: the input's own, or what a step of the chain has made of it.

#include "io/graph/filter_graph.h"
#include "io/handles.h"
#include "io/input/demuxer.h"

namespace vfilter {

/// What graphs have done to the pictures on their way to the encoder.
struct GraphedFormats {
    AVPixelFormat before = AV_PIX_FMT_NONE;   ///< in front of them; NONE where there are none, or one names theirs
    AVPixelFormat unbound = AV_PIX_FMT_NONE;  ///< that they would give an encoder of all formats, if it has more in it
    bool new_matrix = false;                  ///< the first picture has a tag that none had before them
    AVColorSpace named_matrix = AVCOL_SPC_UNSPECIFIED;  ///< of the YUV that is made of their RGB, where one names it
    bool guessed_rgb = false;  ///< they made RGB, by BT.601, of YUV that players take for another one's
};

/// What an encoder and a header are told besides the pictures themselves. `stream`, which has clock, rates, sample
/// aspect, tags and side data, must outlive it.
struct PictureStream {
    /// The video `number` of an input.
    PictureStream(const Demuxer& input, int number)
        : stream(input.format().streams[number]),
          frame_rate(input.frame_rate(number)),
          live(input.live()),
          told_from(input.told_from()) {}
    /// What a video became through its graphs.
    PictureStream(const AVStream& of, AVRational rate, bool is_live, GraphedFormats by_graphs, std::int64_t told = 0)
        : stream(&of), frame_rate(rate), live(is_live), told_from(told), graphed(by_graphs) {}

    const AVStream* stream;
    AVRational frame_rate;  ///< average; never 0
    bool live;
    std::int64_t told_from;  ///< Demuxer::told_from()
    GraphedFormats graphed{};
};

/// A description of the stream that a graph makes from another one: `from` with the clock, rate, size and sample aspect
/// of `made`. Its one stream is streams[0]. `even`: its times lie on the grid of its rate. `turned`: the graph's
/// pictures are as displayed, so that no display matrix remains. `tone_mapped`: HDR's static data no longer apply.
/// Throws std::bad_alloc.
struct MadeStream {
    GraphPictures made;
    bool even = false;
    bool turned = false;
    bool tone_mapped = false;
    bool progressive = false;  ///< known to be progressive
};
DescriptionPtr describe_made_stream(const AVStream& from, const MadeStream& as);

}  // namespace vfilter
