#pragma once
// What has to be written into an encoder's packets, or taken out of them, as the encoder cannot be told so.

#include <optional>

#include "io/bitstream/jpeg_profiles.h"
#include "io/formats/picture_density.h"
#include "io/handles.h"

namespace vfilter {

/// Writes the density of print and JPEG's ICC profiles, and takes out what the encoder says of itself. Owns the
/// profiles of the pictures inside. One thread.
class PacketEdits {
public:
    /// `encoder` outlives this. `removes_notes`: what it says of itself is not to be in its packets.
    PacketEdits(const AVCodecContext& encoder, bool removes_notes) : encoder_(encoder), removes_notes_(removes_notes) {}

    /// Once the encoder is open: from then on packets get the density of `first`, if the encoder is one that keeps it.
    void keep_density(const AVFrame& first);

    /// A picture on its way into the encoder, with the encoder's pts. Throws std::bad_alloc.
    void take(AVFrame& picture);
    /// A packet with the encoder's pts. Throws std::bad_alloc.
    void put(AVPacket& packet);

private:
    const AVCodecContext& encoder_;
    bool removes_notes_;
    JpegProfiles profiles_;
    std::optional<Density> density_;  // that is kept
};

}  // namespace vfilter
