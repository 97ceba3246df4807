#pragma once
// What the header of a copied stream has to hold and the input keeps elsewhere.

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// Whether a cover of this codec is a file that Matroska has a name and a MIME type for.
bool may_be_attached(AVCodecID codec);
/// Makes a cover Matroska's kind of attachment: the picture itself in the header, with a name and a MIME type. Throws
/// std::bad_alloc.
void fill_attachment(const AVStream& from, AVStream& to, Strip strip);

/// Takes out of a stream's header the bytes of a file of pictures that are not its picture, where the header is such a
/// file: attachments.
void strip_picture(AVStream& attachment);
/// Out of a packet that is one: covers. Throws std::bad_alloc.
void strip_picture(AVPacket& cover);

/// Sound from MPEG-TS carries its configuration in every packet; other containers want it in the header. The muxers add
/// it afterwards, but not where they cannot seek: so take it from a packet of the stream (null: nothing is done).
/// Throws std::bad_alloc.
void complete_aac(AVStream& to, const AVPacket* packet);
/// Removes side data of one type from a packet.
void drop_side_data(AVPacket& packet, AVPacketSideDataType type);

/// Takes the configuration off each packet of such sound and leaves other packets as they are: one packet in, one out.
/// Null if the stream is not AAC.
BitstreamFilterPtr make_adts_remover(const AVStream& stream);

}  // namespace vfilter
