#pragma once
// What the header of a copied stream must contain and the input stores elsewhere.

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// Whether a cover with this codec is a file for which Matroska has a name and a MIME type.
bool may_be_attached(AVCodecID codec);
/// Turns a cover into a Matroska attachment: the picture itself in the header, with a name and a MIME type. Throws
/// std::bad_alloc.
void fill_attachment(const AVStream& from, AVStream& to, Strip strip);

/// Removes from a stream's header the bytes of a picture file that are not its picture, if the header is such a file:
/// attachments.
void strip_picture(AVStream& attachment);
/// From a packet that is one: covers. Throws std::bad_alloc.
void strip_picture(AVPacket& cover);

/// Sound from MPEG-TS carries its configuration in every packet; other containers need it in the header. The muxers add
/// it afterwards, but not if they cannot seek: so it is taken from a packet of the stream (null: nothing is done).
/// Throws std::bad_alloc.
void complete_aac(AVStream& to, const AVPacket* packet);
/// Removes side data of one type from a packet.
void drop_side_data(AVPacket& packet, AVPacketSideDataType type);

/// Removes the configuration from each packet of such sound and leaves other packets unchanged: one packet in, one out.
/// Null if the stream is not AAC.
BitstreamFilterPtr make_adts_remover(const AVStream& stream);

}  // namespace vfilter
