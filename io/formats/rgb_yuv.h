#pragma once
// Luma and chroma made of red, green and blue, and the other way. FFmpeg's swscale makes luma that is almost half a
// level of 8 bits too bright, and has some 10 bits of what is deeper.

#include <optional>

#include "io/handles.h"

namespace vfilter {

/// What the samples of YUV mean.
struct YuvMeaning {
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;  ///< unspecified is BT.601's
    bool full_range = false;
};

/// Whether it is one that `to_rgb` and `to_yuv` reckon with.
bool is_known_matrix(AVColorSpace matrix);

/// The format in between where RGB becomes YUV of subsampled chroma or the other way: the same YUV without it.
/// AV_PIX_FMT_NONE if it needs none, or there is none.
AVPixelFormat between_rgb_and_yuv(AVPixelFormat from, AVPixelFormat to);

/// Fills `to`, of the same size, and says whether it could: one is RGB, the other YUV with chroma for each sample, or
/// gray made of RGB. By ITU-T H.273, 8.3, each sample is rounded half up from the exact number, of which the
/// coefficients may be off by less than 0.01 of a level; alpha that was not there is opaque. Any depths of 8 to 16
/// bits.
bool convert_colours(const AVFrame& from, AVFrame& to, const YuvMeaning& yuv);

/// Fills `to`, of the same size and of floating-point samples, and says whether it could: black is 0 and white is 1 of
/// RGB and of gray, whose range the picture says.
bool convert_to_floats(const AVFrame& from, AVFrame& to);

/// The other way, to RGB of RGB and to gray of gray in the full range: the nearest sample, halves up, of 0 to 1; what
/// is below or no number is black, and what is above is white.
bool convert_from_floats(const AVFrame& from, AVFrame& to);

}  // namespace vfilter
