#pragma once
// Where decoding may begin anew, by what the packets hold: containers mark more than that.

#include <cstdint>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

/// Finds a stream's random-access points: packets from which on a decoder that knows nothing but the stream's extradata
/// decodes everything that is shown after the packet's own picture. What it doubts it denies. One thread.
class RandomAccess {
public:
    explicit RandomAccess(const AVCodecParameters& codec);

    /// Packets in decoding order.
    [[nodiscard]] bool begins_at(const AVPacket& packet);
    /// Whether a packet's picture leans on others, whatever it is marked as: containers without a table of key frames
    /// mark all of them. What it doubts it denies: of codecs that it does not read nothing is said.
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
    bool parameters_in_packets_ = false;  // a packet has brought its own, which every other one has to have then, too
};

}  // namespace vfilter
