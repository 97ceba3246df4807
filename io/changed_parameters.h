#pragma once
// Parameters with which a stream goes on after its live input was lost and opened again, where they differ from those
// before. Its packets carry them, so that whoever decodes or copies them notices. Everything here is thread-safe.

#include <string>

#include "io/handles.h"

namespace vfilter {

/// Whether a stream with the parameters `now` needs another decoder, or another header, than one with `before`. What is
/// not known of one of them does not count.
bool have_changed(const AVCodecParameters& before, const AVCodecParameters& now);

/// Whether a decoder for a video `before` can decode the video `now` if it gets its header: not if only the container
/// tells the size and the format of the pictures, as for uncompressed ones.
bool decoder_follows(const AVCodecParameters& before, const AVCodecParameters& now);

/// Whether a packet of sound or pictures with the parameters `now` can be read behind the header for `before`.
bool copy_follows(const AVCodecParameters& before, const AVCodecParameters& now, const AVPacket& packet);

/// The difference, as a phrase: "sound of another rate or other channels".
std::string what_has_changed(const AVCodecParameters& before, const AVCodecParameters& now);

/// A copy that packets can share. Throws std::bad_alloc.
BufferPtr share_parameters(const AVCodecParameters& parameters);
/// Attaches them to a packet. Throws std::bad_alloc.
void attach_parameters(AVPacket& packet, const BufferPtr& shared);
/// Those attached to a packet, which owns them; null if there are none.
const AVCodecParameters* attached_parameters(const AVPacket& packet);

}  // namespace vfilter
