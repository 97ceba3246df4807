#pragma once
// Samples of pictures in any pixel format, as raw files hold them: rows without padding, planes one after another. Read
// and written as FFmpeg's descriptions say, without a conversion: swscale itself loses bits of many.

#include <string>

#include "io/handles.h"

namespace vfilter::test {

/// Every sample takes any value of its depth. Bits that belong to no sample are zeros, but any in packed RGB, where
/// programs leave what they like. Formats that FFmpeg does not describe sample by sample get random bytes.
std::string random_pictures(AVPixelFormat format, int width, int height, int count);

/// Whether every sample of `in` is found in `out`: with all its bits, in the highest ones where `out` has more of them.
/// White stays white; alpha that `in` has not is opaque, and chroma that it has not is neutral.
bool holds_samples(const std::string& out, AVPixelFormat out_format, const std::string& in, AVPixelFormat in_format,
                   int width, int height);

}  // namespace vfilter::test
