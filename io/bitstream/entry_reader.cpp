#include "io/bitstream/entry_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "io/bitstream/decoder_packets.h"
#include "io/bitstream/hevc_headers.h"
#include "io/bitstream/vp9_header.h"

namespace vfilter {

namespace {

// More are not carried on: streams have a handful.
constexpr std::size_t max_sets = 64;
constexpr std::size_t enough_for_a_number = 16;

// Whether a SEI of H.264 says that the picture itself is exact.
bool is_exact_entry(const Nal& sei) {
    const std::optional<RecoveryPoint> point = recovery_point_of(sei);
    return point && point->pictures == 0 && point->exact && !point->broken_link;
}

// A key frame, and none that only shows an earlier picture.
bool is_vp9_key(const AVPacket& packet) {
    const std::optional<Vp9Header> header = vp9_header(packet.data[0]);
    return header && !header->shows_earlier && header->key;
}

// seq_parameter_set_id stands behind three bytes of profile and level, pic_parameter_set_id first (ITU-T
// H.264, 7.3.2.1.1 and 7.3.2.2).
unsigned h264_set_number(const Nal& nal) {
    NalBits bits(nal.data + 1, std::min<std::size_t>(nal.size - 1, enough_for_a_number));
    if (nal_type(AV_CODEC_ID_H264, nal) == avc::sequence_set) {
        bits.skip_bytes(3);
    }
    return bits.golomb();
}

}  // namespace

EntryReader::EntryReader(const AVCodecParameters& codec) : codec_(codec.codec_id) {
    length_size_ = nal_length_size(codec_, codec.extradata, static_cast<std::size_t>(codec.extradata_size));
}

void EntryReader::keep(const Nal& nal) {
    const Nal unit = without_zeros(nal);
    Bytes bytes(unit.data, unit.data + unit.size);
    const bool h264 = codec_ == AV_CODEC_ID_H264;
    const unsigned number = h264 ? h264_set_number(nal) : hevc_set_number(nal);
    const unsigned kind = h264 ? nal_type(codec_, nal) : unsigned{nal.data[0]} << 8U | (nal.data[1] & 0xF8U);
    std::erase_if(sets_, [&](const Set& set) { return set.kind == kind && set.number == number; });
    sets_.push_back({kind, number, std::move(bytes)});
    if (sets_.size() > max_sets) {
        sets_.pop_front();
    }
}

Entry EntryReader::entry_of_h264(const std::vector<Nal>& nals) const {
    bool exact = false;
    for (const Nal& nal : nals) {
        const unsigned type = nal_type(codec_, nal);
        if (type == avc::idr) {
            return Entry::closed;
        }
        if (type == avc::slice) {
            break;
        }
        exact = exact || (type == avc::sei && is_exact_entry(nal));
    }
    return exact ? Entry::open : Entry::none;
}

Entry EntryReader::read(const AVPacket& packet) {
    std::size_t size = 0;
    if (const std::uint8_t* const data = av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size)) {
        extradata_.assign(data, data + size);
        length_size_ = nal_length_size(codec_, data, size);
        sets_.clear();
    }
    if (packet.data == nullptr || packet.size < 1) {
        return Entry::none;
    }
    if (codec_ == AV_CODEC_ID_VP8) {
        return (packet.data[0] & 1U) == 0 ? Entry::closed : Entry::none;  // RFC 6386, 9.1
    }
    if (codec_ == AV_CODEC_ID_VP9) {
        return is_vp9_key(packet) ? Entry::closed : Entry::none;
    }
    if (codec_ != AV_CODEC_ID_H264 && codec_ != AV_CODEC_ID_HEVC) {
        return Entry::none;
    }
    std::vector<Nal> nals = nals_of(packet, length_size_);
    std::erase_if(nals, [](const Nal& nal) { return nal.size < 2; });
    const bool h264 = codec_ == AV_CODEC_ID_H264;
    Entry entry = h264 ? entry_of_h264(nals) : Entry::none;
    for (Set& set : sets_) {
        set.latest = false;
    }
    for (const Nal& nal : nals) {
        const unsigned type = nal_type(codec_, nal);
        if (h264 ? type == avc::sequence_set || type == avc::picture_set
                 : type >= hevc::video_set && type <= hevc::picture_set) {
            keep(nal);
        } else if (!h264 && type >= hevc::first_idr && type <= hevc::last_idr) {
            entry = Entry::closed;
        } else if (!h264 && type == hevc::cra) {
            entry = Entry::open;
        }
    }
    return entry;
}

PacketPtr EntryReader::as_first(const AVPacket& packet, const std::vector<std::uint8_t>& units) const {
    Bytes front;
    for (const Set& set : sets_) {
        if (set.latest) {
            continue;  // the packet has it itself
        }
        append_unit(front, set.bytes, length_size_);
    }
    front.insert(front.end(), units.begin(), units.end());
    PacketPtr first = with_front(packet, front);
    std::size_t size = 0;
    if (!extradata_.empty() && av_packet_get_side_data(first.get(), AV_PKT_DATA_NEW_EXTRADATA, &size) == nullptr) {
        const Bytes rest = without_messages(codec_, extradata_);  // which are among the units
        const Bytes& header = rest.empty() ? extradata_ : rest;
        std::uint8_t* const room = av_packet_new_side_data(first.get(), AV_PKT_DATA_NEW_EXTRADATA, header.size());
        if (room == nullptr) {
            throw std::bad_alloc();
        }
        std::ranges::copy(header, room);
    }
    return first;
}

}  // namespace vfilter
