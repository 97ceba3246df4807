#pragma once
// mov_text in fragments, of which FFmpeg's muxer ends each text by itself, and not always where it should.

#include "io/handles.h"

namespace vfilter {

/// Gives a stream of mov_text, before the header, a clock as fine as no other. The muxer ends a text when the ticks of
/// the video are more than those of the text, of whatever clock each is.
void set_clock_in_fragments(AVStream& to);

/// Cuts the last moment off the text in `packet`, in the clock of `stream`. Returns an empty text for that moment; null
/// if it is too short, or no mov_text. The muxer adds empty texts by itself, but it may take one for as long as the
/// text was: the next text would be out of its range, which ends the whole program (movenc.c, an assertion). It does
/// not where the clock is a fine one. Throws Error(internal) without memory.
PacketPtr cut_end(AVPacket& packet, const AVStream& stream);

}  // namespace vfilter
