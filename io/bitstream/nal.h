#pragma once
// NAL units of H.264 and HEVC, and the bits in them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/handles.h"

namespace vfilter {

struct Nal {
    const std::uint8_t* data;
    std::size_t size;
};

/// nal_unit_type of ITU-T H.264, table 7-1.
namespace avc {
inline constexpr unsigned slice = 1;
inline constexpr unsigned first_partition = 2;
inline constexpr unsigned idr = 5;  ///< and the last one of slices
inline constexpr unsigned sei = 6;
inline constexpr unsigned sequence_set = 7;
inline constexpr unsigned picture_set = 8;
}  // namespace avc

/// nal_unit_type of ITU-T H.265, table 7-1.
namespace hevc {
inline constexpr unsigned first_leading = 6;
inline constexpr unsigned last_leading = 9;
inline constexpr unsigned last_slice = 9;          ///< but for random-access points; what is between them is reserved
inline constexpr unsigned last_unreferenced = 14;  ///< of those with even numbers
inline constexpr unsigned first_entry = 16;        ///< random-access points: BLA, IDR and CRA pictures
inline constexpr unsigned bla = 16;
inline constexpr unsigned first_idr = 19;
inline constexpr unsigned last_idr = 20;
inline constexpr unsigned cra = 21;
inline constexpr unsigned last_entry = 21;
inline constexpr unsigned video_set = 32;
inline constexpr unsigned sequence_set = 33;
inline constexpr unsigned picture_set = 34;
inline constexpr unsigned end_of_sequence = 36;
inline constexpr unsigned end_of_bitstream = 37;
inline constexpr unsigned sei = 39;
inline constexpr unsigned suffix_sei = 40;
}  // namespace hevc

/// nal_unit_type of a unit of H.264 or HEVC, which must have at least one byte.
unsigned nal_type(AVCodecID codec, const Nal& nal);
/// Bytes of a unit before its payload.
std::size_t nal_header_size(AVCodecID codec);

/// Number of bytes before each unit that give its length (ISO/IEC 14496-15: in the fifth byte of avcC, in the 22nd of
/// hvcC); 0 if units begin with start codes.
std::size_t nal_length_size(AVCodecID codec, const std::uint8_t* extradata, std::size_t size);

/// The units in a packet's bytes, into which they point. A length beyond the end of the packet ends the list. Zeros
/// before a start code belong to the unit before it.
std::vector<Nal> nals_of(std::span<const std::uint8_t> bytes, std::size_t length_size);
std::vector<Nal> nals_of(const AVPacket& packet, std::size_t length_size);
/// The non-empty units of a codec's header: with start codes and without trailing zeros, or from the records of mp4 and
/// Matroska (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1).
std::vector<Nal> nals_of_header(AVCodecID codec, std::span<const std::uint8_t> header);
/// The unit without trailing zeros.
Nal without_zeros(Nal nal);

/// Appends a unit, preceded by its length in that many bytes, or by a start code.
void append_unit(std::vector<std::uint8_t>& to, std::span<const std::uint8_t> unit, std::size_t length_size);

/// The packet with those bytes before its own: a reference if there are none. Throws std::bad_alloc.
PacketPtr with_front(const AVPacket& packet, std::span<const std::uint8_t> front);

/// Removes the emulation prevention bytes from a unit, and the reverse.
std::vector<std::uint8_t> unescaped(std::span<const std::uint8_t> bytes);
void append_escaped(std::vector<std::uint8_t>& to, std::span<const std::uint8_t> plain);

/// A message of an SEI unit (H.264 and H.265, 7.3.2.3.1), without emulation prevention bytes.
struct SeiMessage {
    std::size_t type;
    std::span<const std::uint8_t> whole;  ///< including its type and size
    std::span<const std::uint8_t> payload;
};
/// The messages of a unit, and the bytes that they point into.
struct Sei {
    std::vector<std::uint8_t> plain{};
    std::vector<SeiMessage> messages{};
    bool whole = true;  ///< the last one does not extend beyond the unit
};
bool is_sei(AVCodecID codec, const Nal& nal);
Sei read_sei(AVCodecID codec, const Nal& nal);

/// What an SEI of H.264 says about a recovery point (D.1.8).
struct RecoveryPoint {
    unsigned pictures = 0;  ///< after which displayed pictures are correct
    bool exact = false;
    bool broken_link = false;
};
std::optional<RecoveryPoint> recovery_point_of(const Nal& sei);

/// Reads bits of a unit's payload, without emulation prevention bytes. Past the end it returns zeros.
class NalBits {
public:
    NalBits(const std::uint8_t* data, std::size_t size);
    /// For bytes from which those have been removed already.
    explicit NalBits(std::span<const std::uint8_t> plain) : bytes_(plain.begin(), plain.end()) {}

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
