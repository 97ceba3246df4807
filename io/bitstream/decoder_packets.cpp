#include "io/bitstream/decoder_packets.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "io/bitstream/lasting_messages.h"

namespace vfilter {

namespace {

using HeaderBytes = std::vector<std::uint8_t>;
using HeaderView = std::span<const std::uint8_t>;

constexpr std::uint8_t first_slice_flag = 0x80;
constexpr std::uint8_t no_output_flag = 0x40;

unsigned unit_type(const Nal& nal) {
    return nal_type(AV_CODEC_ID_HEVC, nal);
}

// And of a temporal layer that there is.
bool is_of_layer_0(const Nal& nal) {
    return (nal.data[0] & 1U) == 0 && nal.data[1] >> 3U == 0 && nal.data[1] != 0;
}

// The record of mp4 and Matroska (ISO/IEC 14496-15, 8.3.3.1) has units with lengths of two bytes in arrays of a kind.
// Nothing where it is not whole.
std::optional<std::vector<HeaderView>> arrays_of(HeaderView record) {
    constexpr std::size_t begin = 23;
    std::vector<HeaderView> arrays;
    for (std::size_t at = begin; at < record.size();) {
        const std::size_t from = at;
        const auto two_bytes = [&] { return static_cast<std::size_t>(record[at] << 8U | record[at + 1]); };
        if (++at + 2 > record.size()) {
            return std::nullopt;
        }
        std::size_t units = two_bytes();
        for (at += 2; units > 0; --units) {
            if (at + 2 > record.size() || at + 2 + two_bytes() > record.size()) {
                return std::nullopt;
            }
            at += 2 + two_bytes();
        }
        arrays.push_back(record.subspan(from, at - from));
    }
    return arrays;
}

bool is_of_messages(HeaderView array) {
    return (array[0] & 0x3FU) == hevc::sei;
}

}  // namespace

std::vector<std::uint8_t> without_messages(AVCodecID codec, HeaderView header) {
    if (codec != AV_CODEC_ID_HEVC) {
        return {};
    }
    HeaderBytes rest;
    bool has = false;
    if (nal_length_size(codec, header.data(), header.size()) == 0) {
        for (const Nal& unit : nals_of_header(codec, header)) {
            has = has || unit_type(unit) == hevc::sei;
            if (unit_type(unit) != hevc::sei) {
                append_unit(rest, {unit.data, unit.size}, 0);
            }
        }
        return has ? rest : HeaderBytes{};
    }
    const auto arrays = arrays_of(header);
    if (!arrays || arrays->empty()) {
        return {};
    }
    rest.assign(header.data(), arrays->front().data());
    for (const HeaderView array : *arrays) {
        has = has || is_of_messages(array);
        if (is_of_messages(array)) {
            --rest.back();  // the number of arrays
        }
    }
    for (const HeaderView array : *arrays) {
        if (!is_of_messages(array)) {
            rest.insert(rest.end(), array.begin(), array.end());
        }
    }
    return has ? rest : HeaderBytes{};
}

DecoderPackets::DecoderPackets(const AVCodecParameters& codec) : codec_(codec.codec_id) {
    read_header({codec.extradata, static_cast<std::size_t>(std::max(0, codec.extradata_size))});
}

void DecoderPackets::read_header(HeaderView header) {
    length_size_ = nal_length_size(codec_, header.data(), header.size());
    if (codec_ != AV_CODEC_ID_HEVC) {
        return;
    }
    for (const Nal& unit : nals_of_header(codec_, header)) {
        if (unit.size > 2 && unit_type(unit) == hevc::sei) {
            read_messages(unit);
            append_unit(of_header_, {unit.data, unit.size}, length_size_);
        }
    }
}

void DecoderPackets::read_messages(const Nal& sei) {
    for (const SeiMessage& message : read_sei(codec_, sei).messages) {
        keep(message);
    }
}

void DecoderPackets::keep(const SeiMessage& message) {
    const unsigned kind = kind_of_lasting(codec_, static_cast<unsigned>(message.type), message.payload);
    if (kind == 0) {
        return;
    }
    std::erase_if(kept_, [&](const Kept& each) { return each.kind == kind; });
    Bytes lasting(message.whole.begin(), message.whole.end());
    if (is_film_grain(kind) && !grain_persists(message.payload)) {
        lasting = {message.whole.front(), 1, 0x80};  // which cancels it: it is that for later pictures
    }
    kept_.push_back({kind, std::move(lasting), 2, true});
}

// A picture does: of what holds for sequences this is the first one, or it is over.
void DecoderPackets::begin_sequence() {
    for (Kept& each : kept_) {
        if (!is_for_sequences(each.kind) || each.sequences == 0) {
            continue;
        }
        --each.sequences;
        if (each.sequences == 1 && !each.own) {
            each.own = true;
            append_unit(added_, unit_of(each.message), length_size_);
        }
    }
}

DecoderPackets::Changes DecoderPackets::read_units(const AVPacket& packet) {
    Changes changes;
    bool ended = std::exchange(ended_, false);
    bool begun = false;
    for (const Nal& nal : nals_of(packet, length_size_)) {
        if (nal.size == 0) {
            continue;
        }
        const unsigned type = nal_type(codec_, nal);
        if (codec_ != AV_CODEC_ID_HEVC) {
            if (type == avc::sei) {
                read_messages(nal);
            }
            continue;
        }
        if (type == hevc::end_of_sequence || type == hevc::end_of_bitstream) {
            (begun ? ended_ : ended) = true;
            continue;
        }
        begun = true;
        if (nal.size <= 2 || !is_of_layer_0(nal)) {
            continue;
        }
        if (type == hevc::sei) {
            read_messages(nal);
        } else if (type >= hevc::first_entry && type <= hevc::last_entry) {
            changes.shows_prior = changes.shows_prior || (nal.data[2] & no_output_flag) != 0;
            changes.cra_to_bla = changes.cra_to_bla || (type == hevc::cra && ended);
            if ((nal.data[2] & first_slice_flag) != 0 && (type != hevc::cra || ended)) {
                begin_sequence();
            }
        }
    }
    return changes;
}

// No start code comes of it: of the byte of the flag, or of the next one, another bit is set.
void DecoderPackets::apply(Changes changes, AVPacket& packet) const {
    for (const Nal& nal : nals_of(packet, length_size_)) {
        if (nal.size <= 2 || !is_of_layer_0(nal) || unit_type(nal) < hevc::first_entry ||
            unit_type(nal) > hevc::last_entry) {
            continue;
        }
        std::uint8_t* const unit = packet.data + (nal.data - packet.data);
        unit[2] &= static_cast<std::uint8_t>(~no_output_flag);
        if (changes.cra_to_bla && unit_type(nal) == hevc::cra) {
            unit[0] = static_cast<std::uint8_t>((unit[0] & 0x81U) | hevc::bla << 1U);
        }
    }
}

PacketPtr DecoderPackets::next(const AVPacket& packet) {
    if (codec_ != AV_CODEC_ID_H264 && codec_ != AV_CODEC_ID_HEVC) {
        return reference_to(packet);
    }
    const bool empty = packet.data == nullptr || packet.size < 1;
    const bool first = !empty && std::exchange(first_, false);
    for (Kept& each : kept_) {
        each.own = first;  // they are the header's
    }
    added_ = first ? std::exchange(of_header_, {}) : Bytes{};
    std::size_t size = 0;
    if (const std::uint8_t* const data = av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size)) {
        read_header({data, size});
        of_header_.clear();  // the decoder reads it with the packet
    }
    if (empty) {
        return reference_to(packet);
    }
    Changes changes = read_units(packet);
    changes.cra_to_bla = changes.cra_to_bla && !first;
    if (added_.empty() && !changes.shows_prior && !changes.cra_to_bla) {
        return reference_to(packet);
    }
    PacketPtr changed = with_front(packet, added_);
    av_check(av_packet_make_writable(changed.get()), "av_packet_make_writable");
    apply(changes, *changed);
    return changed;
}

DecoderPackets::Bytes DecoderPackets::unit_of(const Bytes& message) const {
    Bytes plain_unit(message);
    plain_unit.push_back(0x80);  // rbsp_trailing_bits()
    Bytes unit;
    if (codec_ == AV_CODEC_ID_HEVC) {
        unit = {hevc::sei << 1U, 1};
    } else {
        unit = {avc::sei};
    }
    append_escaped(unit, plain_unit);
    return unit;
}

std::vector<std::uint8_t> DecoderPackets::front() const {
    Bytes front;
    for (const Kept& each : kept_) {
        if (!each.own && each.sequences > 0) {
            append_unit(front, unit_of(each.message), length_size_);
        }
    }
    return front;
}

bool DecoderPackets::bare() const {
    return std::ranges::any_of(kept_, [](const Kept& each) { return each.sequences == 0; });
}

bool DecoderPackets::laden() const {
    return std::ranges::any_of(kept_,
                               [](const Kept& each) { return is_for_sequences(each.kind) && each.sequences == 2; });
}

}  // namespace vfilter
