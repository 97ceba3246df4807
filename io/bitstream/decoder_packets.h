#pragma once
// Packets of H.264 and HEVC as decoders are to have them, so that it makes no difference where one begins.

#include <cstdint>
#include <span>
#include <vector>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

/// The codec's header without the SEI messages in it, which only decoders that begin with the stream may have: see
/// DecoderPackets. Empty where it has none of them.
std::vector<std::uint8_t> without_messages(AVCodecID codec, std::span<const std::uint8_t> header);

/// Reads the packets of one video, in the order of decoding; those of other codecs stay as they are. One thread.
///
/// **Messages that hold on.** libavcodec keeps some SEI messages for the pictures behind their own. Mastering display
/// and content light hold up to the second picture from then on that begins a sequence: an IDR or BLA picture, or a CRA
/// picture that a decoder begins with or that follows an end of sequence. Frame packing, orientation, transfer
/// characteristics, ambient light, HDR10+ and HDR Vivid, pic_struct and film grain that persists hold until another one
/// comes. front() has those that are in force. In next(), a picture that begins a sequence has those before it that
/// would else be over for a decoder that has begun at a CRA picture in between.
///
/// **Pictures that nobody is to see.** With no_output_of_prior_pics_flag, or at a CRA picture behind an end of
/// sequence, a decoder drops what it has not given yet, which depends on how much that is. Here nothing is: the flag is
/// taken away, and the CRA picture becomes what it is taken for there, a BLA picture.
class DecoderPackets {
public:
    explicit DecoderPackets(const AVCodecParameters& codec);

    /// The next packet: a reference to it, or a changed copy. Throws std::bad_alloc.
    PacketPtr next(const AVPacket& packet);
    /// NAL units for a decoder that begins with that packet, to be put in front of it; it must have a header
    /// without_messages().
    [[nodiscard]] std::vector<std::uint8_t> front() const;
    /// Whether a decoder that was flushed may have a message that is not in force at that packet: one that has had
    /// packets that were laden() last.
    [[nodiscard]] bool bare() const;
    [[nodiscard]] bool laden() const;

private:
    using Bytes = std::vector<std::uint8_t>;
    struct Kept {
        unsigned kind;
        Bytes message;     // type, size and payload
        int sequences;     // that begin until it is over, and one more
        bool own = false;  // of the packet that was read last
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
    Bytes of_header_;  // units of messages, which the first packet gets
    Bytes added_;      // to the packet that was read last
};

}  // namespace vfilter
