#pragma once
// Converts HDR and wide-gamut pictures for display on an ordinary screen.

#include <cstdint>
#include <memory>
#include <string>

#include "io/graph/filter_graph.h"
#include "io/handles.h"

namespace vfilter {

/// Whether a picture says that its light or its colours exceed those of BT.709: PQ, HLG, BT.2020, P3.
bool is_beyond_sdr(const AVFrame& picture);

/// Scales such pictures and maps them to BT.709, with libavfilter's zscale and tonemap. Not thread-safe.
class ToneMapper {
public:
    /// The picture in this size, as planar 8-bit RGB, valid until the next call. Null if libavfilter cannot do it.
    /// Which of the two is the case is reported to the user once.
    const AVFrame* map(const AVFrame& picture, int width, int height);

private:
    /// Everything on which the graph depends.
    struct Kind {
        int width = 0;
        int height = 0;
        int format = AV_PIX_FMT_NONE;
        int to_width = 0;
        int to_height = 0;
        int curve = 0;
        int primaries = 0;
        int matrix = 0;
        bool full_range = false;

        bool operator==(const Kind&) const = default;
    };

    void prepare(const Kind& kind, const AVFrame& picture);
    void give_up(const std::string& why);

    Kind kind_;
    std::unique_ptr<FilterGraph> graph_;
    std::int64_t next_ = 0;  // number of the next picture
    FramePtr made_;
    bool told_ = false;
    bool given_up_ = false;
};

}  // namespace vfilter
