#pragma once
// What is asked of pixel formats, from FFmpeg's descriptions of them. All are false for AV_PIX_FMT_NONE.

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace vfilter {

/// What the samples of a format measure.
enum class Colours { gray, yuv, rgb, xyz };

/// A palette's colours are RGB.
Colours colours_of(const AVPixFmtDescriptor& descriptor);
bool is_rgb(AVPixelFormat format);
bool is_yuv(AVPixelFormat format);
bool is_gray(AVPixelFormat format);

bool has_alpha(AVPixelFormat format);
/// Whether samples are floating-point numbers.
bool has_floats(AVPixelFormat format);
/// Whether pictures are another machine's memory, a GPU's for example.
bool is_hardware_format(AVPixelFormat format);

/// Whether black is 0, and white the largest value, in pictures with this tag. YUV without a tag is limited, gray full;
/// RGB and XYZ are full whatever the tag says.
bool is_full_range(AVPixelFormat format, AVColorRange tagged);

}  // namespace vfilter
