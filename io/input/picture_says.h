#pragma once
// What a file of a picture says of it beside its samples, and FFmpeg's decoders do not tell: how it is to be turned in
// PNG, WebP and TIFF, and that there is EXIF, XMP and the like.

#include "io/handles.h"

namespace vfilter {

/// Whether packets of the stream are files of pictures: JPEG, PNG, WebP, TIFF.
bool holds_picture_files(const AVFormatContext& format, const AVStream& stream);

/// Has the decoder hand it on with the picture: a display matrix, and names of texts as metadata. Throws
/// std::bad_alloc.
void add_what_picture_says(AVPacket& packet);

}  // namespace vfilter
