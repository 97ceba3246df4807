#pragma once
// What is written into an encoder's packets, or removed from them, because the encoder itself cannot do it.

#include <optional>

#include "io/bitstream/jpeg_profiles.h"
#include "io/formats/picture_density.h"
#include "io/handles.h"

namespace vfilter {

/// Writes print density and JPEG's ICC profiles, and removes what the encoder says about itself. Owns the profiles of
/// the pictures inside the encoder. One thread.
class PacketEdits {
public:
    /// `encoder` must outlive this. `removes_notes`: whether to remove what it says about itself.
    PacketEdits(const AVCodecContext& encoder, bool removes_notes) : encoder_(encoder), removes_notes_(removes_notes) {}

    /// To be called when the encoder is open: from then on packets get the density of `first`, if the format can hold
    /// it.
    void keep_density(const AVFrame& first);

    /// A picture that goes into the encoder, with a pts in the encoder's clock. Throws std::bad_alloc.
    void take(AVFrame& picture);
    /// A packet from the encoder, with its pts still in the encoder's clock. Throws std::bad_alloc.
    void put(AVPacket& packet);

private:
    const AVCodecContext& encoder_;
    bool removes_notes_;
    JpegProfiles profiles_;
    std::optional<Density> density_;  // to be written
};

}  // namespace vfilter
