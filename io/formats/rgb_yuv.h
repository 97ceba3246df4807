#pragma once
// Conversion of red, green and blue to luma and chroma, and back. FFmpeg's swscale computes luma that is almost half a
// level of 8 bits too bright, and keeps about 10 bits of deeper samples.

#include <optional>

#include "io/handles.h"

namespace vfilter {

/// How YUV samples are to be interpreted.
struct YuvMeaning {
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;  ///< unspecified is BT.601's
    bool full_range = false;
};

/// Whether `to_rgb` and `to_yuv` support it.
bool is_known_matrix(AVColorSpace matrix);

/// The intermediate format for conversions between RGB and YUV with subsampled chroma: the same YUV without
/// subsampling. AV_PIX_FMT_NONE if it is not needed, or if there is none.
AVPixelFormat between_rgb_and_yuv(AVPixelFormat from, AVPixelFormat to);

/// Fills `to`, of the same size, and returns whether it could: one must be RGB and the other YUV with chroma for each
/// sample, or gray made from RGB. According to ITU-T H.273, 8.3, each sample is rounded half up from the exact number;
/// inexact coefficients may change that by less than 0.01 of a level. Alpha that did not exist becomes opaque. Any
/// depths of 8 to 16 bits.
bool convert_colours(const AVFrame& from, AVFrame& to, const YuvMeaning& yuv);

/// Fills `to`, of the same size with floating-point samples, and returns whether it could: black is 0 and white is 1,
/// for RGB and for gray, whose range the picture specifies.
bool convert_to_floats(const AVFrame& from, AVFrame& to);

/// The reverse, from RGB to RGB and from gray to full-range gray: the nearest sample, halves up, for 0 to 1; values
/// below and NaN become black, values above become white.
bool convert_from_floats(const AVFrame& from, AVFrame& to);

}  // namespace vfilter
