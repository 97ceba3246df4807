#pragma once
// Moves samples from one pixel format to another without arithmetic except for a change of depth. FFmpeg's swscale
// computes even if bits only have to change places (16-bit RGB goes through YUV's tables, gray is stretched from one
// range to the other); this does not.

#include "io/formats/format_facts.h"
#include "io/handles.h"

namespace vfilter {

/// How much the layout of `to` differs from that of `from`, if it can hold all its samples with all their bits: 0 for
/// itself, more for more depth or an alpha that `from` does not have. -1 if it cannot, and for formats that cannot be
/// written: less than 8 bits, palettes.
int distance(AVPixelFormat from, AVPixelFormat to);

/// Whether pictures of `from` can be converted to `to` without loss: every sample is there, has the same meaning, and
/// can be recovered.
bool holds(AVPixelFormat to, AVPixelFormat from);

/// Whether `rearrange` converts this picture to `to` with the nearest possible samples if the depth is reduced, or
/// alpha or chroma is dropped: RGB to RGB, gray to gray or to anything that represents gray, and YUV to gray, which is
/// its luma in its own range. Other YUV is dithered by swscale.
bool rounds_to(AVPixelFormat to, const AVFrame& picture);

/// Fills `to`, of the same size, with the samples of `from`. Samples of another depth get the value of the same
/// brightness: wider ones have the narrow one as their highest bits, narrower ones are rounded. Alpha that did not
/// exist becomes opaque, and gray's chroma neutral. From pictures whose planes are copies of one gray, gray takes the
/// first.
void rearrange(const AVFrame& from, AVFrame& to);

/// Fills only the alpha of `to`, of the same size. Swscale makes opaque samples of another depth slightly transparent.
/// Does nothing if `to` has no alpha, or one of 8 bits like that of `from`.
void rearrange_alpha(const AVFrame& from, AVFrame& to);

}  // namespace vfilter
