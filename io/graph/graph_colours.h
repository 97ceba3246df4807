#pragma once
// What a libavfilter graph does to the colours of its pictures, if the pictures do not say it.

#include "io/graph/filter_library.h"

namespace vfilter {

/// The matrix of the YUV that a graph outputs. For graphs whose pictures do not come from their input, or with filters
/// of unknown effect, it is assumed to be named.
struct GraphMatrix {
    AVColorSpace made =
        AVCOL_SPC_UNSPECIFIED;  ///< by which it was made of RGB, or of YUV; unspecified where it was not
    bool guesses = false;       ///< YUV without a matrix was converted to RGB with that of BT.601
    bool named = false;         ///< a filter specifies or changes it
};

/// For a graph that is set up, along the first inputs of its filters.
GraphMatrix matrix_before(const AVFilterContext& sink);

/// Whether a filter on the same path converts pictures with loss. If chroma or anything else was created within the
/// graph, dropping it does not count as a loss.
bool converts_with_loss(const AVFilterContext& sink);

/// Keeps the range tag true along the same path, for pictures of that range. FFmpeg's scale does not convert between
/// limited and full range when it changes the depth of gray at the same size, but tags the result as if it had. For a
/// graph that is set up, before its first picture.
void keep_gray_ranges(const AVFilterContext& sink, AVColorRange range);

}  // namespace vfilter
