#include "io/codec/packet_edits.h"

#include "io/bitstream/encoder_notes.h"

namespace vfilter {

void PacketEdits::keep_density(const AVFrame& first) {
    density_ = keeps_density(first, encoder_) ? density_of(first) : std::nullopt;
}

void PacketEdits::take(AVFrame& picture) {
    if (encoder_.codec_id == AV_CODEC_ID_MJPEG) {
        profiles_.take(picture);
    }
}

void PacketEdits::put(AVPacket& packet) {
    if (density_) {
        put_density(*density_, encoder_.codec_id, packet);
    }
    profiles_.put(packet);
    if (removes_notes_) {
        remove_notes({encoder_.codec_id}, packet);
    }
}

}  // namespace vfilter
