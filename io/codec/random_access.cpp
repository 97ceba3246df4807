#include "io/codec/random_access.h"

#include <algorithm>
#include <array>

namespace vfilter {

namespace {

// ITU-T H.264, table 7-1, and H.265, table 7-1.
constexpr unsigned avc_slice = 1;
constexpr unsigned avc_idr = 5;
constexpr unsigned avc_sei = 6;
constexpr unsigned avc_sps = 7;
constexpr unsigned hevc_last_slice = 9;
constexpr unsigned hevc_first_irap = 16;
constexpr unsigned hevc_last_irap = 21;
constexpr unsigned hevc_sps = 33;

// H.264, D.1.1 and D.1.8: a recovery point of which already the first picture is right, recovery_frame_cnt being ue(0).
bool tells_recovery_at_once(const Nal& sei) {
    constexpr std::size_t recovery_point = 6;
    const auto number = [&](std::size_t& at) {
        std::size_t sum = 0;
        while (at < sei.size && sei.data[at] == 0xFF) {
            sum += sei.data[at++];
        }
        return at < sei.size ? sum + sei.data[at++] : sum;
    };
    for (std::size_t at = 1; at + 2 < sei.size;) {
        const std::size_t type = number(at);
        const std::size_t length = number(at);
        if (type == recovery_point) {
            return at < sei.size && (sei.data[at] & 0x80) != 0;
        }
        at += length;
    }
    return false;
}

// Where a start code with this byte behind it is, from `from` on; `end` if it is nowhere.
template <std::size_t size>
const std::uint8_t* find_code(const std::uint8_t* from, const std::uint8_t* end,
                              const std::array<std::uint8_t, size>& code) {
    return std::search(from, end, code.begin(), code.end());
}

constexpr std::array<std::uint8_t, 4> sequence_header{0, 0, 1, 0xB3};
constexpr std::array<std::uint8_t, 4> video_object_plane{0, 0, 1, 0xB6};

const std::uint8_t* end_of(const AVPacket& packet) {
    return packet.data + packet.size;
}

// ISO/IEC 14496-2, 6.2.5: vop_coding_type of the first picture.
bool begins_with_intra_plane(const AVPacket& packet) {
    const std::uint8_t* const found = find_code(packet.data, end_of(packet), video_object_plane);
    return end_of(packet) - found > 4 && (found[4] & 0xC0) == 0;
}

}  // namespace

RandomAccess::RandomAccess(const AVCodecParameters& codec)
    : codec_(codec.codec_id),
      length_size_(
          nal_length_size(codec_, codec.extradata, static_cast<std::size_t>(std::max(0, codec.extradata_size)))) {}

// Adds what the unit says; true once a picture has begun, behind which there is nothing more to learn.
bool RandomAccess::note_unit(Units& units, const Nal& unit) const {
    if (unit.size == 0) {
        return false;
    }
    if (codec_ == AV_CODEC_ID_HEVC) {
        const unsigned type = unit.data[0] >> 1U & 0x3FU;
        units.parameters = units.parameters || type == hevc_sps;
        units.begins = type >= hevc_first_irap && type <= hevc_last_irap;
        return units.begins || type <= hevc_last_slice;
    }
    const unsigned type = unit.data[0] & 0x1FU;
    units.parameters = units.parameters || type == avc_sps;
    units.begins = units.begins || type == avc_idr || (type == avc_sei && tells_recovery_at_once(unit));
    return type >= avc_slice && type <= avc_idr;
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
