#pragma once
// Adapts packets of H.264 and HEVC so that a decoder's result does not depend on where it begins.

#include <cstdint>
#include <span>
#include <vector>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

/// The codec's header without its SEI messages, which only decoders that begin with the stream may get: see
/// DecoderPackets. Empty if it has none of them.
std::vector<std::uint8_t> without_messages(AVCodecID codec, std::span<const std::uint8_t> header);

/// Reads the packets of one video, in decoding order; those of other codecs are passed on unchanged. One thread.
///
/// **Persistent messages.** libavcodec applies some SEI messages to later pictures, too. Mastering display and content
/// light apply up to the second picture from then on that begins a sequence: an IDR or BLA picture, or a CRA picture
/// that a decoder begins with or that follows an end of sequence. Frame packing, orientation, transfer characteristics,
/// ambient light, HDR10+ and HDR Vivid, pic_struct and persistent film grain apply until another one follows. front()
/// returns those in force. In next(), a picture that begins a sequence is given those before it that would otherwise
/// have expired for a decoder that began at a CRA picture in between.
///
/// **Pictures that are not to be output.** With no_output_of_prior_pics_flag, or at a CRA picture after an end of
/// sequence, a decoder drops what it has not output yet, which depends on how much that is. Here nothing is dropped:
/// the flag is removed, and the CRA picture becomes what it is treated as there, a BLA picture.
class DecoderPackets {
public:
    explicit DecoderPackets(const AVCodecParameters& codec);

    /// The next packet: a reference to it, or a changed copy. Throws std::bad_alloc.
    PacketPtr next(const AVPacket& packet);
    /// NAL units for a decoder that begins with that packet, to be placed before it; the decoder must have a header
    /// from without_messages().
    [[nodiscard]] std::vector<std::uint8_t> front() const;
    /// Whether a flushed decoder may have a message that is not in force at that packet: one whose last packets were
    /// laden().
    [[nodiscard]] bool bare() const;
    [[nodiscard]] bool laden() const;

private:
    using Bytes = std::vector<std::uint8_t>;
    struct Kept {
        unsigned kind;
        Bytes message;     // type, size and payload
        int sequences;     // that begin before it expires, plus one
        bool own = false;  // from the packet that was read last
    };
    struct Changes {
        bool shows_prior = false;
        bool cra_to_bla = false;
    };

    void read_header(std::span<const std::uint8_t> header);
    void read_messages(const Nal& sei);
    void keep(const SeiMessage& message);
    Changes read_units(const AVPacket& packet);
    void begin_sequence();
    [[nodiscard]] Bytes unit_of(const Bytes& message) const;
    void apply(Changes changes, AVPacket& packet) const;

    AVCodecID codec_;
    std::size_t length_size_ = 0;  // bytes of a NAL unit's length; 0 for start codes
    bool first_ = true;            // no packet has come
    bool ended_ = true;            // the packet before ended a sequence, or there is none
    std::vector<Kept> kept_;
    Bytes of_header_;  // message units, which the first packet gets
    Bytes added_;      // to the packet that was read last
};

}  // namespace vfilter
