#pragma once
// What a picture file says about the picture besides its samples, and FFmpeg's decoders do not report: the orientation
// in PNG, WebP and TIFF, the ICC profile of BMP, PSD and JPEG 2000, and the presence of EXIF, XMP and the like.

#include <string>

#include "io/handles.h"
#include "io/input/picture_sections.h"

namespace vfilter {

/// The name of a text whose value is how many more names there are than are handed on.
inline constexpr const char* further_texts_name = "further texts";

/// Whether packets of the stream are picture files: JPEG, PNG, WebP, TIFF, BMP, PSD, JPEG 2000.
bool holds_picture_files(const AVFormatContext& format, const AVStream& stream);

/// Makes the decoder pass it on with the picture: a display matrix, an ICC profile, and names of texts as metadata.
/// Returns what is wrong with a picture that is to be decoded all the same, such as the checksum of a PNG's chunk,
/// otherwise "". Throws std::bad_alloc.
std::string add_what_picture_says(AVPacket& packet, AVCodecID codec);
/// The same for what is known already. Not for PNG.
void add_said(AVPacket& packet, const PictureSays& says);

}  // namespace vfilter
