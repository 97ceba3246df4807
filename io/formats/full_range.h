#pragma once
// Converts values between full and limited range, for files that cannot say which one they have.

#include "io/formats/frame_pool.h"
#include "io/handles.h"

namespace vfilter {

/// Whether it is a YUV format, whose range a file has to specify. Grey and RGB are always full range.
bool has_range(AVPixelFormat format);

/// The picture in limited range, with all other properties. Format: any YUV or gray format whose samples can be
/// written, or the planes of RGB that all hold the same gray. Luma v becomes 16 s + 219 s v / m, chroma 128 s + 224 s
/// (v - 128 s) / m, each rounded to nearest, where m is the largest value and s = 2^(depth - 8) (ITU-T H.273, 8.3:
/// equations for VideoFullRangeFlag); alpha stays. Throws std::bad_alloc. Thread-safe.
FramePtr to_limited_range(const AVFrame& full, FramePool& pool);

/// The reverse, by the inverse of these equations: values outside limited range become the nearest ones in full range.
FramePtr to_full_range(const AVFrame& limited, FramePool& pool);

}  // namespace vfilter
