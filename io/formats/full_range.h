#pragma once
// Values of the full range turned into values of the limited one and back, for files that cannot say which they hold.

#include "io/formats/frame_pool.h"
#include "io/handles.h"

namespace vfilter {

/// Whether it is one of YUV, whose range a file has to tell. Grey and RGB are full by themselves.
bool has_range(AVPixelFormat format);

/// The picture in the limited range, with all else that it says. Format: any of YUV or gray whose samples can be
/// written, or the planes of RGB that carry one gray. Luma v becomes 16 s + 219 s v / m, chroma 128 s + 224 s (v - 128
/// s) / m, each rounded to nearest, where m is the largest value and s = 2^(depth - 8) (ITU-T H.273, 8.3: equations for
/// VideoFullRangeFlag); alpha stays. Throws std::bad_alloc. Thread-safe.
FramePtr to_limited_range(const AVFrame& full, FramePool& pool);

/// The other way, by the inverse of these equations: values outside the limited range become the nearest of the full
/// one.
FramePtr to_full_range(const AVFrame& limited, FramePool& pool);

}  // namespace vfilter
