#pragma once
// Where decoding can restart, according to the packets' contents: containers mark more packets than that.

#include <cstdint>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

/// Finds a stream's random-access points: packets from which a decoder that knows only the stream's extradata decodes
/// everything that is displayed after the packet's own picture. If in doubt, the answer is no. One thread.
class RandomAccess {
public:
    explicit RandomAccess(const AVCodecParameters& codec);

    /// Packets in decoding order.
    [[nodiscard]] bool begins_at(const AVPacket& packet);
    /// Whether a packet's picture depends on others, whatever its mark: containers without a table of key frames mark
    /// all packets. If in doubt, and for codecs that it does not parse, the answer is no.
    [[nodiscard]] bool leans_on_others(const AVPacket& packet) const;

private:
    struct Units {
        bool parameters = false;
        bool begins = false;
    };
    [[nodiscard]] Units units_of(const AVPacket& packet) const;
    bool note_unit(Units& units, const Nal& unit) const;

    [[nodiscard]] bool is_predicted_h264(const AVPacket& packet) const;

    AVCodecID codec_;
    bool interlaced_vc1_ = false;
    bool known_vc1_ = false;
    std::size_t length_size_;             // nal_length_size()
    bool parameters_in_packets_ = false;  // a packet has had its own; every other one then needs them, too
};

}  // namespace vfilter
