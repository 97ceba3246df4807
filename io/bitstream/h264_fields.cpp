#include "io/bitstream/h264_fields.h"

extern "C" {
#include <libavutil/intreadwrite.h>
}

#include <algorithm>
#include <span>

namespace vfilter {

namespace {

// Slices and the first partitions of such.
bool begins_slice(const Nal& nal) {
    constexpr std::array types{avc::slice, avc::first_partition, avc::idr};
    return std::ranges::find(types, nal_type(AV_CODEC_ID_H264, nal)) != types.end();
}

void skip_numbers(NalBits& bits, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        bits.golomb();
    }
}

// ITU-T H.264, 7.3.2.1.1.1.
void skip_scaling_lists(NalBits& bits, int count) {
    for (int i = 0; i < count; ++i) {
        const int size = i < 6 ? 16 : 64;
        int next = bits.bit() != 0 ? 8 : 0;
        for (int k = 0; k < size && next != 0; ++k) {
            const unsigned number = bits.golomb();
            const int delta = number % 2 == 1 ? static_cast<int>(number / 2 + 1) : -static_cast<int>(number / 2);
            next = (next + delta) & 0xFF;
        }
    }
}

}  // namespace

H264Fields::H264Fields(const AVCodecParameters& codec) : h264_(codec.codec_id == AV_CODEC_ID_H264) {
    if (h264_ && codec.extradata != nullptr) {
        read_extradata(codec.extradata, static_cast<std::size_t>(codec.extradata_size));
    }
}

void H264Fields::read_extradata(const std::uint8_t* data, std::size_t size) {
    length_size_ = nal_length_size(AV_CODEC_ID_H264, data, size);
    for (const Nal& nal : nals_of_header(AV_CODEC_ID_H264, {data, size})) {
        read_sets(nal);
    }
}

// ITU-T H.264, 7.3.2.1.1 and 7.3.2.2.
void H264Fields::read_sets(const Nal& nal) {
    constexpr std::array<unsigned, 13> with_formats{100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135};
    const unsigned type = nal.size < 2 ? 0 : nal_type(AV_CODEC_ID_H264, nal);
    if (type != avc::sequence_set && type != avc::picture_set) {
        return;
    }
    NalBits bits(nal.data + 1, nal.size - 1);
    if (type == avc::picture_set) {
        const unsigned number = bits.golomb();
        const unsigned sequence = bits.golomb();
        if (number < max_pictures && sequence < max_sequences) {
            sequence_of_[number] = static_cast<std::uint8_t>(sequence);
        }
        return;
    }
    const unsigned profile = bits.byte();
    bits.skip_bytes(2);
    const unsigned number = bits.golomb();
    Sequence sequence;
    if (std::ranges::find(with_formats, profile) != with_formats.end()) {
        const bool full_chroma = bits.golomb() == 3;
        sequence.planes = full_chroma && bits.bit() != 0;
        skip_numbers(bits, 2);
        bits.skip_bits(1);
        if (bits.bit() != 0) {
            skip_scaling_lists(bits, full_chroma ? 12 : 8);
        }
    }
    sequence.frame_bits = static_cast<int>(std::min(bits.golomb(), 12U)) + 4;
    const unsigned order = bits.golomb();
    if (order == 0) {
        bits.golomb();
    } else if (order == 1) {
        bits.skip_bits(1);
        skip_numbers(bits, 2);
        skip_numbers(bits, std::min(bits.golomb(), 255U));
    }
    bits.golomb();
    bits.skip_bits(1);
    skip_numbers(bits, 2);
    sequence.fields = bits.bit() == 0;
    if (number < max_sequences && bits.bytes_left() > 0) {
        sequences_[number] = sequence;
    }
}

bool H264Fields::any_fields() const {
    return std::ranges::any_of(sequences_, &Sequence::fields);
}

// ITU-T H.264, 7.3.3. Not of the second field, nor of further slices of either.
bool H264Fields::begins_picture(const Nal& slice) {
    constexpr std::size_t enough = 32;
    NalBits bits(slice.data + 1, std::min(slice.size - 1, enough));
    const bool goes_on = bits.golomb() != 0;
    bits.golomb();
    const Sequence& sequence = sequences_[sequence_of_[std::min<std::size_t>(bits.golomb(), max_pictures - 1)]];
    bits.skip_bits(sequence.planes ? 2 : 0);
    const unsigned frame = bits.bits(sequence.frame_bits);
    const bool is_field = sequence.fields && bits.bit() != 0;
    const bool bottom = is_field && bits.bit() != 0;
    const std::optional<Field> field = is_field ? std::optional<Field>({bottom, frame}) : std::nullopt;
    const bool same = inside_ && field == latest_ && (goes_on || is_field);  // a redundant slice begins anew
    inside_ = true;
    latest_ = field;
    if (same) {
        return false;
    }
    if (is_field && first_ && first_->bottom != bottom && first_->frame == frame) {
        first_.reset();
        return false;
    }
    lone_ += first_ ? 1 : 0;
    first_ = field;
    return true;
}

bool H264Fields::completes(const AVPacket& packet) {
    if (!h264_ || packet.data == nullptr || packet.size < 1) {
        return false;
    }
    std::size_t size = 0;
    if (const std::uint8_t* const data = av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size)) {
        read_extradata(data, size);
    }
    // As libavcodec tells start codes in packets that should have lengths.
    const std::span<const std::uint8_t> data(packet.data, static_cast<std::size_t>(packet.size));
    const bool codes =
        length_size_ == 4 && data.size() > 8 && AV_RB32(data.data()) == 1 && AV_RB32(data.data() + 5) > data.size();
    const std::size_t length_size = codes ? 0 : length_size_;
    if (!any_fields()) {
        // Whole pictures, whose slices nobody has to find: sets stand in front of them.
        constexpr int front = 4096;
        AVPacket sets{};
        sets.data = packet.data;
        sets.size = std::min(packet.size, front);
        for (const Nal& nal : nals_of(sets, length_size)) {
            read_sets(nal);
        }
        if (!any_fields()) {
            return false;
        }
    }
    inside_ = false;
    bool slices = false;
    bool begins = false;
    for (const Nal& nal : nals_of(packet, length_size)) {
        if (nal.size < 2) {
            continue;
        }
        read_sets(nal);
        if (begins_slice(nal)) {
            slices = true;
            begins = begins_picture(nal) || begins;
        }
    }
    any_ = any_ || (slices && !begins) || lone() > 0;
    return slices && !begins;
}

}  // namespace vfilter
