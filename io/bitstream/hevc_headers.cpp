#include "io/bitstream/hevc_headers.h"

#include <algorithm>
#include <bit>

namespace vfilter {

namespace {

constexpr std::size_t header_bytes = 2;
constexpr unsigned most_sets = 64;  // 7.4.3.3.1; more numbers come of damage

unsigned type_of(const Nal& nal) {
    return nal_type(AV_CODEC_ID_HEVC, nal);
}

bool is_slice(const Nal& nal) {
    const unsigned type = type_of(nal);
    return type <= hevc::last_slice || (type >= hevc::first_entry && type <= hevc::last_entry);
}

// Of a sequence parameter set (H.265, 7.3.2.2.1 and 7.3.3). The number of its sublayers but one.
unsigned skip_to_sequence_number(NalBits& bits) {
    constexpr std::size_t profile_bits = 88;
    constexpr std::size_t level_bits = 8;
    bits.skip_bits(4);
    const unsigned further_layers = bits.bits(3);
    bits.skip_bits(1 + profile_bits + level_bits);
    std::size_t of_layers = 0;
    for (unsigned layer = 0; layer < (further_layers > 0 ? 8 : 0); ++layer) {
        const bool present = layer < further_layers;  // else two reserved bits
        of_layers += bits.bit() != 0 && present ? profile_bits : 0;
        of_layers += bits.bit() != 0 && present ? level_bits : 0;
    }
    bits.skip_bits(of_layers);
    return further_layers;
}

bool is_of_base_layer(const Nal& nal) {
    return nal.size > header_bytes && (nal.data[0] & 1U) == 0 && nal.data[1] >> 3U == 0;
}

}  // namespace

unsigned hevc_set_number(const Nal& set) {
    constexpr std::size_t enough = 192;  // sublayers have 12 bytes each
    if (set.size <= header_bytes) {
        return 0;
    }
    NalBits bits(set.data + header_bytes, std::min(set.size - header_bytes, enough));
    switch (type_of(set)) {
        case hevc::sequence_set:
            skip_to_sequence_number(bits);
            return bits.golomb();
        case hevc::picture_set:
            return bits.golomb();
        default:
            return bits.bits(4);  // of a video parameter set
    }
}

bool HevcSlice::random_access() const {
    return type >= hevc::first_entry && type <= hevc::last_entry;
}

bool HevcSlice::idr() const {
    return type == hevc::first_idr || type == hevc::last_idr;
}

bool HevcSlice::leading() const {
    return type >= hevc::first_leading && type <= hevc::last_leading;
}

bool HevcSlice::reference() const {
    return type > hevc::last_unreferenced || type % 2 == 1;
}

int HevcHeaders::Sequence::trees() const {
    const int size = 1 << tree_bits;
    return ((width + size - 1) >> tree_bits) * ((height + size - 1) >> tree_bits);
}

void HevcHeaders::read_extradata(const std::uint8_t* data, std::size_t size) {
    length_size_ = nal_length_size(AV_CODEC_ID_HEVC, data, size);
    for (const Nal& nal : nals_of_header(AV_CODEC_ID_HEVC, {data, size})) {
        keep(nal);
    }
}

void HevcHeaders::keep(const Nal& nal) {
    if (!is_of_base_layer(nal)) {
        return;
    }
    NalBits bits(nal.data + header_bytes, nal.size - header_bytes);
    if (type_of(nal) == hevc::sequence_set) {
        read_sequence(std::move(bits));
    } else if (type_of(nal) == hevc::picture_set) {
        read_parameters(std::move(bits));
    }
}

// H.265, 7.3.2.2.1 and 7.3.3, up to the size of coding trees.
void HevcHeaders::read_sequence(NalBits bits) {
    const unsigned further_layers = skip_to_sequence_number(bits);
    const unsigned number = bits.golomb();
    Sequence sequence;
    sequence.planes_apart = bits.golomb() == 3 && bits.bit() != 0;
    sequence.width = static_cast<int>(bits.golomb());
    sequence.height = static_cast<int>(bits.golomb());
    const auto skip_numbers = [&](unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            bits.golomb();
        }
    };
    skip_numbers(bits.bit() != 0 ? 4 : 0);  // of the part that is shown
    skip_numbers(2);                        // of depths
    constexpr unsigned least_count_bits = 4;
    constexpr unsigned most_count_bits = 16;
    const unsigned count_bits = bits.golomb() + least_count_bits;
    sequence.count_bits = static_cast<int>(std::min(count_bits, most_count_bits + 1));
    skip_numbers(3 * (bits.bit() != 0 ? further_layers + 1 : 1));
    const unsigned block_bits = bits.golomb() + 3;
    sequence.tree_bits = static_cast<int>(block_bits + bits.golomb());
    constexpr int most_pixels = 1 << 16;
    const bool sane = sequence.width > 0 && sequence.width <= most_pixels && sequence.height > 0 &&
                      sequence.height <= most_pixels && sequence.tree_bits >= 4 && sequence.tree_bits <= 6 &&
                      count_bits <= most_count_bits;
    sequences_.erase(number);
    if (sane && number < most_sets) {
        sequences_[number] = sequence;
    }
}

// H.265, 7.3.2.3.1, up to the tiles.
void HevcHeaders::read_parameters(NalBits bits) {
    Parameters set;
    const unsigned number = bits.golomb();
    set.sequence = bits.golomb();
    set.dependent_slices = bits.bit() != 0;
    set.output_flags = bits.bit() != 0;
    set.extra_bits = bits.bits(3);
    bits.skip_bits(1 + 1);
    bits.golomb();  // numbers of references
    bits.golomb();
    bits.golomb();  // the quantiser
    bits.skip_bits(1 + 1);
    if (bits.bit() != 0) {
        bits.golomb();
    }
    bits.golomb();  // that of chroma
    bits.golomb();
    bits.skip_bits(1 + 1 + 1 + 1);
    set.tiles = bits.bit() != 0;
    if (number < most_sets) {
        parameters_[number] = set;
    }
}

HevcSlice HevcHeaders::read_slice(const Nal& nal) const {
    constexpr std::size_t enough = 32;
    NalBits bits(nal.data + header_bytes, std::min(nal.size - header_bytes, enough));
    HevcSlice slice{.type = type_of(nal), .sublayer = (nal.data[1] & 7U) - 1U, .first = bits.bit() != 0};
    bits.skip_bits(slice.type >= hevc::first_entry ? 1 : 0);
    const auto parameters = parameters_.find(bits.golomb());
    const auto sequence =
        parameters != parameters_.end() ? sequences_.find(parameters->second.sequence) : sequences_.end();
    if (sequence == sequences_.end()) {
        return slice;
    }
    slice.known = true;
    slice.tiles = parameters->second.tiles;
    slice.trees = sequence->second.trees();
    slice.count_bits = sequence->second.count_bits;
    if (!slice.first) {
        bits.skip_bits(parameters->second.dependent_slices ? 1 : 0);
        slice.tree =
            static_cast<int>(bits.bits(static_cast<int>(std::bit_width(static_cast<unsigned>(slice.trees) - 1))));
        return slice;
    }
    bits.skip_bits(parameters->second.extra_bits);
    bits.golomb();  // its kind
    bits.skip_bits(parameters->second.output_flags ? 1 : 0);
    bits.skip_bits(sequence->second.planes_apart ? 2 : 0);
    slice.count = slice.idr() ? 0 : static_cast<int>(bits.bits(slice.count_bits));
    return slice;
}

std::vector<HevcSlice> HevcHeaders::read(const AVPacket& packet) {
    std::size_t size = 0;
    if (const std::uint8_t* const data = av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size)) {
        read_extradata(data, size);
    }
    std::vector<HevcSlice> slices;
    for (const Nal& nal : nals_of(packet, length_size_)) {
        keep(nal);
        if (is_of_base_layer(nal) && is_slice(nal)) {
            slices.push_back(read_slice(nal));
        }
    }
    return slices;
}

}  // namespace vfilter
