#include "io/bitstream/random_access.h"

#include <algorithm>
#include <array>
#include <optional>

namespace vfilter {

namespace {

// Already the first picture is right.
bool tells_recovery_at_once(const Nal& sei) {
    const std::optional<RecoveryPoint> point = recovery_point_of(sei);
    return point && point->pictures == 0;
}

// Where a start code with this byte behind it is, from `from` on; `end` if it is nowhere.
template <std::size_t size>
const std::uint8_t* find_code(const std::uint8_t* from, const std::uint8_t* end,
                              const std::array<std::uint8_t, size>& code) {
    return std::search(from, end, code.begin(), code.end());
}

constexpr std::array<std::uint8_t, 4> sequence_header{0, 0, 1, 0xB3};
constexpr std::array<std::uint8_t, 4> video_object_plane{0, 0, 1, 0xB6};
constexpr std::array<std::uint8_t, 4> picture_header{0, 0, 1, 0};
constexpr std::array<std::uint8_t, 4> vc1_sequence_header{0, 0, 1, 0x0F};
constexpr std::array<std::uint8_t, 4> vc1_frame{0, 0, 1, 0x0D};

const std::uint8_t* end_of(const AVPacket& packet) {
    return packet.data + packet.size;
}

// ISO/IEC 14496-2, 6.2.5: vop_coding_type of the first picture.
bool begins_with_intra_plane(const AVPacket& packet) {
    const std::uint8_t* const found = find_code(packet.data, end_of(packet), video_object_plane);
    return end_of(packet) - found > 4 && (found[4] & 0xC0) == 0;
}

// The same, where it says that it is another one.
bool has_predicted_plane(const AVPacket& packet) {
    const std::uint8_t* const found = find_code(packet.data, end_of(packet), video_object_plane);
    return end_of(packet) - found > 4 && (found[4] & 0xC0) != 0;
}

// ISO/IEC 13818-2, 6.2.3: picture_coding_type of the first picture, behind ten bits; 2 and 3 are P and B.
bool has_predicted_picture(const AVPacket& packet) {
    const std::uint8_t* const found = find_code(packet.data, end_of(packet), picture_header);
    const unsigned type = end_of(packet) - found > 5 ? found[5] >> 3U & 7U : 0U;
    return type == 2 || type == 3;
}

// SMPTE 421M, 7.1.1 and 9.1.1, of the Advanced Profile: PTYPE, of fields FPTYPE, behind FCM where there are fields.
bool has_predicted_frame(const AVPacket& packet, bool interlaced) {
    constexpr unsigned first_predicted_fields = 2;  // P and I, and all of P and B behind them
    const std::uint8_t* const found = find_code(packet.data, end_of(packet), vc1_frame);
    if (end_of(packet) - found <= 5) {
        return false;
    }
    NalBits bits(found + 4, 2);
    if (interlaced && bits.bit() != 0 && bits.bit() != 0) {
        return bits.bits(3) >= first_predicted_fields;
    }
    return bits.bit() == 0 || bits.bit() == 0;  // P is 0, B is 10, I is 110
}

}  // namespace

RandomAccess::RandomAccess(const AVCodecParameters& codec)
    : codec_(codec.codec_id),
      length_size_(
          nal_length_size(codec_, codec.extradata, static_cast<std::size_t>(std::max(0, codec.extradata_size)))) {
    if (codec_ != AV_CODEC_ID_VC1 || codec.extradata_size <= 0) {
        return;
    }
    // SMPTE 421M, 6.1: INTERLACE stands in the sixth byte of a sequence header.
    constexpr std::ptrdiff_t interlace_at = 4 + 5;
    constexpr unsigned interlace = 0x40;
    const std::uint8_t* const end = codec.extradata + codec.extradata_size;
    const std::uint8_t* const header =
        find_code(static_cast<const std::uint8_t*>(codec.extradata), end, vc1_sequence_header);
    known_vc1_ = end - header > interlace_at;
    interlaced_vc1_ = known_vc1_ && (header[interlace_at] & interlace) != 0;
}

// Adds what the unit says; true once a picture has begun, behind which there is nothing more to learn.
bool RandomAccess::note_unit(Units& units, const Nal& unit) const {
    if (unit.size == 0) {
        return false;
    }
    const unsigned type = nal_type(codec_, unit);
    if (codec_ == AV_CODEC_ID_HEVC) {
        units.parameters = units.parameters || type == hevc::sequence_set;
        units.begins = type >= hevc::first_entry && type <= hevc::last_entry;
        return units.begins || type <= hevc::last_slice;
    }
    units.parameters = units.parameters || type == avc::sequence_set;
    units.begins = units.begins || type == avc::idr || (type == avc::sei && tells_recovery_at_once(unit));
    return type >= avc::slice && type <= avc::idr;
}

RandomAccess::Units RandomAccess::units_of(const AVPacket& packet) const {
    Units units;
    for (const Nal& unit : nals_of(packet, length_size_)) {
        if (note_unit(units, unit)) {
            break;
        }
    }
    return units;
}

// By the first slice: a recovery point may be one of intra refresh, of which no picture stands alone.
bool RandomAccess::is_predicted_h264(const AVPacket& packet) const {
    constexpr unsigned types = 5;
    constexpr unsigned intra = 2;
    constexpr unsigned switching_intra = 4;
    for (const Nal& unit : nals_of(packet, length_size_)) {
        const unsigned type = unit.size > 1 ? nal_type(codec_, unit) : 0U;
        if (type == avc::idr || (type == avc::sei && recovery_point_of(unit))) {
            return false;
        }
        if (type == avc::slice) {
            constexpr std::size_t enough = 16;
            NalBits bits(unit.data + 1, std::min(unit.size - 1, enough));
            bits.golomb();  // first_mb_in_slice
            const unsigned slice = bits.golomb() % types;
            return slice != intra && slice != switching_intra;
        }
    }
    return false;
}

bool RandomAccess::leans_on_others(const AVPacket& packet) const {
    if (packet.size <= 0) {
        return false;
    }
    switch (codec_) {
        case AV_CODEC_ID_H264:
            return is_predicted_h264(packet);
        case AV_CODEC_ID_MPEG1VIDEO:
        case AV_CODEC_ID_MPEG2VIDEO:
            return has_predicted_picture(packet);
        case AV_CODEC_ID_MPEG4:
            return has_predicted_plane(packet);
        case AV_CODEC_ID_VP8:
            return (packet.data[0] & 1U) != 0;
        case AV_CODEC_ID_VC1:
            return known_vc1_ && has_predicted_frame(packet, interlaced_vc1_);
        default:
            return false;
    }
}

bool RandomAccess::begins_at(const AVPacket& packet) {
    std::size_t size = 0;
    if (const std::uint8_t* const data = av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size)) {
        length_size_ = nal_length_size(codec_, data, size);
    }
    if ((packet.flags & AV_PKT_FLAG_KEY) == 0 || packet.size <= 0) {
        return false;
    }
    switch (codec_) {
        case AV_CODEC_ID_H264:
        case AV_CODEC_ID_HEVC: {
            const Units units = units_of(packet);
            parameters_in_packets_ = parameters_in_packets_ || units.parameters;
            return units.begins && (units.parameters || !parameters_in_packets_);
        }
        case AV_CODEC_ID_MPEG1VIDEO:
        case AV_CODEC_ID_MPEG2VIDEO:
            return find_code(packet.data, end_of(packet), sequence_header) != end_of(packet);
        case AV_CODEC_ID_MPEG4:
            return begins_with_intra_plane(packet);
        case AV_CODEC_ID_VP8:
            return (packet.data[0] & 1U) == 0;
        default:
            return true;
    }
}

}  // namespace vfilter
