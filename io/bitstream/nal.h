#pragma once
// NAL units of H.264 and HEVC, and the bits in them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/handles.h"

namespace vfilter {

struct Nal {
    const std::uint8_t* data;
    std::size_t size;
};

/// Bytes before each unit that tell its length (ISO/IEC 14496-15: avcC has that in its fifth byte, hvcC in its 22nd);
/// 0 where units begin with start codes.
std::size_t nal_length_size(AVCodecID codec, const std::uint8_t* extradata, std::size_t size);

/// The packet's units, which point into it. A length beyond the packet's end ends them.
std::vector<Nal> nals_of(const AVPacket& packet, std::size_t length_size);

/// Appends a unit, with its length in so many bytes before it, or with a start code.
void append_unit(std::vector<std::uint8_t>& to, std::span<const std::uint8_t> unit, std::size_t length_size);

/// The packet with those bytes before its own: a reference where there are none. Throws std::bad_alloc.
PacketPtr with_front(const AVPacket& packet, std::span<const std::uint8_t> front);

/// A unit's bytes without those that keep start codes out of it, and the other way round.
std::vector<std::uint8_t> unescaped(std::span<const std::uint8_t> bytes);
void append_escaped(std::vector<std::uint8_t>& to, std::span<const std::uint8_t> plain);

/// Reads bits of a unit's payload, without the bytes that keep start codes out of it. Past the end there are zeros.
class NalBits {
public:
    NalBits(const std::uint8_t* data, std::size_t size);

    unsigned bit();
    /// At most 32.
    unsigned bits(int count);
    /// Exp-Golomb (ITU-T H.264, 9.1).
    unsigned golomb();
    unsigned byte() { return bits(8); }
    void skip_bits(std::size_t count) { at_ += count; }
    void skip_bytes(std::size_t count) { at_ += 8 * count; }
    [[nodiscard]] std::size_t bytes_left() const { return at_ / 8 < bytes_.size() ? bytes_.size() - at_ / 8 : 0; }

private:
    std::vector<std::uint8_t> bytes_;
    std::size_t at_ = 0;
};

}  // namespace vfilter
