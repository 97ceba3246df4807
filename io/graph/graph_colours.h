#pragma once
// What a graph of libavfilter's does on its way with the colours of its pictures, where these do not say it.

#include "io/graph/filter_library.h"

namespace vfilter {

/// The matrix of the YUV that a graph gives. Of graphs whose pictures do not come from their input, or whose filters do
/// what nobody knows, it is taken for named.
struct GraphMatrix {
    AVColorSpace made =
        AVCOL_SPC_UNSPECIFIED;  ///< by which it was made of RGB, or of YUV; unspecified where it was not
    bool guesses = false;       ///< YUV without a matrix was made RGB by that of BT.601
    bool named = false;         ///< a filter says or changes it
};

/// Of a graph that is set up, along the first inputs of its filters.
GraphMatrix matrix_before(const AVFilterContext& sink);

/// Whether a filter on the same way converts pictures with loss. Those whose chroma, or whatever it is, was made in the
/// graph lose nothing that was there.
bool converts_with_loss(const AVFilterContext& sink);

/// Has the tag of a range stay true on the same way, of pictures of that range. FFmpeg's scale makes no full range of
/// limited gray, nor the other way, where it makes gray of another depth and of the same size, and says that it does.
/// Of a graph that is set up, before its first picture.
void keep_gray_ranges(const AVFilterContext& sink, AVColorRange range);

}  // namespace vfilter
