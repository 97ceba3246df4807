#pragma once
// Samples moved from one pixel format to another without arithmetic but that of another depth. FFmpeg's swscale
// computes even where only bits have to change places (16-bit RGB goes through YUV's tables, gray is stretched from one
// range to the other); this does not.

#include "io/formats/format_facts.h"
#include "io/handles.h"

namespace vfilter {

/// How far `to` is from being laid out like `from`, if it can hold all its samples with all their bits: 0 for itself,
/// more for more depth or an alpha that `from` has not. -1 if it cannot, and for what cannot be written: formats of
/// less than 8 bits, palettes.
int distance(AVPixelFormat from, AVPixelFormat to);

/// Whether pictures of `from` can be those of `to` without loss: every sample is there, means the same, and can be had
/// back.
bool holds(AVPixelFormat to, AVPixelFormat from);

/// Whether `rearrange` makes pictures of `to` of this one whose samples are the nearest that there are, where the depth
/// becomes less, or alpha or chroma is left out: RGB of RGB, gray of gray or whatever shows gray, and gray of YUV,
/// which is its luma in the range that it has. Other YUV is dithered by swscale.
bool rounds_to(AVPixelFormat to, const AVFrame& picture);

/// Fills `to`, of the same size, with the samples of `from`. Samples of another depth get the value of the same
/// brightness: wider ones have the narrow one as their highest bits, narrower ones are rounded. Alpha that was not
/// there is opaque, and gray's chroma neutral. Of pictures whose planes are copies of one gray, gray takes the first.
void rearrange(const AVFrame& from, AVFrame& to);

/// The alpha of `to`, of the same size, alone. Swscale makes opaque samples of another depth slightly transparent.
/// Nothing where `to` has none, or one of 8 bits like that of `from`.
void rearrange_alpha(const AVFrame& from, AVFrame& to);

}  // namespace vfilter
