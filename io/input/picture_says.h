#pragma once
// What a file of a picture says of it beside its samples, and FFmpeg's decoders do not tell: how it is to be turned in
// PNG, WebP and TIFF, the ICC profile of BMP, PSD and JPEG 2000, and that there is EXIF, XMP and the like.

#include <string>

#include "io/handles.h"
#include "io/input/picture_sections.h"

namespace vfilter {

/// Whether packets of the stream are files of pictures: JPEG, PNG, WebP, TIFF, BMP, PSD, JPEG 2000.
bool holds_picture_files(const AVFormatContext& format, const AVStream& stream);

/// Has the decoder hand it on with the picture: a display matrix, an ICC profile, and names of texts as metadata.
/// Returns what is wrong with it where it is to be decoded all the same, such as the sum of a PNG's chunk, else "".
/// Throws std::bad_alloc.
std::string add_what_picture_says(AVPacket& packet, AVCodecID codec);
/// The same of what is known of it already. Not for PNG.
void add_said(AVPacket& packet, const PictureSays& says);

}  // namespace vfilter
