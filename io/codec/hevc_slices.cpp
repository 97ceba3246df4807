#include "io/codec/hevc_slices.h"

#include <algorithm>
#include <bit>

namespace vfilter {

namespace {

// ITU-T H.265, table 7-1.
constexpr unsigned last_trailing = 9;  // of slices; those up to the next are reserved, and decoders pass over them
constexpr unsigned first_irap = 16;
constexpr unsigned last_irap = 21;
constexpr unsigned sequence_set = 33;
constexpr unsigned picture_set = 34;
constexpr std::size_t header_bytes = 2;
constexpr unsigned most_sets = 64;  // 7.4.3.3.1; more numbers come of damage

unsigned type_of(const Nal& nal) {
    return nal.data[0] >> 1U & 0x3FU;
}

bool is_slice(const Nal& nal) {
    const unsigned type = type_of(nal);
    return type <= last_trailing || (type >= first_irap && type <= last_irap);
}

bool is_of_base_layer(const Nal& nal) {
    return nal.size > header_bytes && (nal.data[0] & 1U) == 0 && nal.data[1] >> 3U == 0;
}

}  // namespace

int HevcSlices::Sequence::trees() const {
    const int size = 1 << tree_bits;
    return ((width + size - 1) >> tree_bits) * ((height + size - 1) >> tree_bits);
}

// The record of mp4 and Matroska (ISO/IEC 14496-15, 8.3.3.1) has parameter sets with lengths of two bytes in arrays.
void HevcSlices::read_extradata(const std::uint8_t* data, std::size_t size) {
    length_size_ = nal_length_size(AV_CODEC_ID_HEVC, data, size);
    if (length_size_ == 0) {
        AVPacket raw{};
        raw.data = const_cast<std::uint8_t*>(data);
        raw.size = static_cast<int>(size);
        std::ranges::for_each(nals_of(raw, 0), [this](const Nal& nal) { keep(nal); });
        return;
    }
    constexpr std::size_t arrays = 23;
    const auto two_bytes = [&](std::size_t at) {
        return at + 2 <= size ? static_cast<std::size_t>(data[at] << 8U | data[at + 1]) : 0;
    };
    for (std::size_t at = arrays; at + 3 <= size;) {
        const std::size_t count = two_bytes(at + 1);
        at += 3;
        for (std::size_t i = 0; i < count && at + 2 <= size; ++i) {
            const std::size_t length = two_bytes(at);
            at += 2;
            keep({data + std::min(at, size), std::min(length, size - std::min(at, size))});
            at += length;
        }
    }
}

void HevcSlices::keep(const Nal& nal) {
    if (!is_of_base_layer(nal)) {
        return;
    }
    NalBits bits(nal.data + header_bytes, nal.size - header_bytes);
    if (type_of(nal) == sequence_set) {
        read_sequence(std::move(bits));
    } else if (type_of(nal) == picture_set) {
        read_parameters(std::move(bits));
    }
}

// H.265, 7.3.2.2.1 and 7.3.3, up to the size of coding trees.
void HevcSlices::read_sequence(NalBits bits) {
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
    const unsigned number = bits.golomb();
    if (bits.golomb() == 3) {
        bits.skip_bits(1);
    }
    Sequence sequence;
    sequence.width = static_cast<int>(bits.golomb());
    sequence.height = static_cast<int>(bits.golomb());
    const auto skip_numbers = [&](unsigned count) {
        for (unsigned i = 0; i < count; ++i) {
            bits.golomb();
        }
    };
    skip_numbers(bits.bit() != 0 ? 4 : 0);  // of the part that is shown
    skip_numbers(3);                        // of depths and counts of pictures
    skip_numbers(3 * (bits.bit() != 0 ? further_layers + 1 : 1));
    const unsigned block_bits = bits.golomb() + 3;
    sequence.tree_bits = static_cast<int>(block_bits + bits.golomb());
    constexpr int most_pixels = 1 << 16;
    const bool sane = sequence.width > 0 && sequence.width <= most_pixels && sequence.height > 0 &&
                      sequence.height <= most_pixels && sequence.tree_bits >= 4 && sequence.tree_bits <= 6;
    sequences_.erase(number);
    if (sane && number < most_sets) {
        sequences_[number] = sequence;
    }
}

// H.265, 7.3.2.3.1, up to the tiles.
void HevcSlices::read_parameters(NalBits bits) {
    Parameters set;
    const unsigned number = bits.golomb();
    set.sequence = bits.golomb();
    set.dependent_slices = bits.bit() != 0;
    bits.skip_bits(1 + 3 + 1 + 1);
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

// H.265, 7.3.6.1. Empty where that is not known.
std::vector<int> HevcSlices::ends_of(const std::vector<Nal>& nals) const {
    std::vector<int> ends;
    int trees = 0;
    for (const Nal& nal : nals) {
        if (!is_of_base_layer(nal) || !is_slice(nal)) {
            continue;
        }
        constexpr std::size_t enough = 32;
        NalBits bits(nal.data + header_bytes, std::min(nal.size - header_bytes, enough));
        const bool first = bits.bit() != 0;
        bits.skip_bits(type_of(nal) >= first_irap ? 1 : 0);
        const auto parameters = parameters_.find(bits.golomb());
        const auto sequence =
            parameters != parameters_.end() ? sequences_.find(parameters->second.sequence) : sequences_.end();
        if (first != (trees == 0) || sequence == sequences_.end() || parameters->second.tiles) {
            return {};
        }
        trees = sequence->second.trees();
        if (!first) {
            bits.skip_bits(parameters->second.dependent_slices ? 1 : 0);
            const auto length = static_cast<int>(std::bit_width(static_cast<unsigned>(trees) - 1));
            ends.push_back(static_cast<int>(bits.bits(length)));
        }
    }
    if (trees > 0) {
        ends.push_back(trees);
    }
    return ends;
}

void HevcSlices::send(const AVPacket& packet, std::int64_t number) {
    std::size_t size = 0;
    if (const std::uint8_t* const data = av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size)) {
        read_extradata(data, size);
    }
    const std::vector<Nal> nals = nals_of(packet, length_size_);
    std::ranges::for_each(nals, [this](const Nal& nal) { keep(nal); });
    std::vector<int> ends = ends_of(nals);
    const std::lock_guard lock(mutex_);
    pictures_[number].expected = std::move(ends);
}

void HevcSlices::begin(const AVCodecContext& context, std::int64_t number) {
    const std::lock_guard lock(mutex_);
    at_work_[&context] = number;
}

void HevcSlices::end_slice(const AVCodecContext& context, int tree) {
    const std::lock_guard lock(mutex_);
    const auto number = at_work_.find(&context);
    if (number == at_work_.end()) {
        return;
    }
    if (const auto picture = pictures_.find(number->second); picture != pictures_.end()) {
        picture->second.found.push_back(tree);
    }
}

std::vector<std::int64_t> HevcSlices::look(std::int64_t end, std::int64_t also) {
    std::vector<std::int64_t> wrong;
    const std::lock_guard lock(mutex_);
    std::erase_if(pictures_, [&](const auto& entry) {
        const auto& [number, picture] = entry;
        if (number >= end && number != also) {
            return false;
        }
        if (!picture.expected.empty() && !picture.found.empty() && picture.found != picture.expected) {
            wrong.push_back(number);
        }
        return true;
    });
    return wrong;
}

}  // namespace vfilter
