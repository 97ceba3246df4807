#include "io/bitstream/lasting_messages.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "io/bitstream/nal.h"

namespace vfilter {

namespace {

// Of H.274 and H.264, D.1.1, as far as they hold on.
constexpr unsigned pic_timing = 1;
constexpr unsigned registered_data = 4;
constexpr unsigned film_grain = 19;
constexpr unsigned mastering_display = 137;
constexpr unsigned content_light = 144;
constexpr unsigned transfer = 147;

// What is under one heading in libavcodec, of data that others have registered: HDR10+ and HDR Vivid. Else 0.
unsigned kind_of_registered(std::span<const std::uint8_t> payload) {
    constexpr std::array<std::uint8_t, 6> hdr10_plus{0xB5, 0x00, 0x3C, 0x00, 0x01, 0x04};
    constexpr std::array<std::uint8_t, 5> hdr_vivid{0x26, 0x00, 0x04, 0x00, 0x05};
    constexpr unsigned beyond_types = 0x10000;
    const auto begins_with = [&](std::span<const std::uint8_t> with) {
        return payload.size() >= with.size() && std::equal(with.begin(), with.end(), payload.begin());
    };
    return begins_with(hdr10_plus) ? beyond_types : begins_with(hdr_vivid) ? beyond_types + 1 : 0;
}

}  // namespace

bool is_for_sequences(unsigned kind) {
    return kind == mastering_display || kind == content_light;
}

bool is_film_grain(unsigned kind) {
    return kind == film_grain;
}

// H.265, D.2.23: film_grain_characteristics_persistence_flag; to cancel it is for good, too.
bool grain_persists(std::span<const std::uint8_t> payload) {
    constexpr unsigned models = 3;
    constexpr unsigned most_values = 6;
    NalBits bits(payload);
    if (bits.bit() != 0) {
        return true;
    }
    bits.skip_bits(2);
    bits.skip_bits(bits.bit() != 0 ? 3 + 3 + 1 + 3 * 8 : 0);
    bits.skip_bits(2 + 4);
    const unsigned present = bits.bits(models);
    for (unsigned model = 0; model < models; ++model) {
        if ((present << model & 1U << (models - 1)) == 0) {
            continue;
        }
        const unsigned intervals = bits.bits(8) + 1;
        const unsigned values = bits.bits(3) + 1;
        for (unsigned i = 0; i < intervals && values <= most_values; ++i) {
            bits.skip_bits(2 * 8);
            for (unsigned value = 0; value < values; ++value) {
                bits.golomb();
            }
        }
    }
    return bits.bit() != 0;
}

unsigned kind_of_lasting(AVCodecID codec, unsigned type, std::span<const std::uint8_t> payload) {
    struct Least {
        unsigned type;
        std::size_t size;
    };
    // Frame packing is 45, display orientation 47, and ambient light 148.
    constexpr std::array hevc{Least{pic_timing, 1},         Least{film_grain, 1},    Least{45, 1},       Least{47, 1},
                              Least{mastering_display, 24}, Least{content_light, 4}, Least{transfer, 1}, Least{148, 8}};
    if (type == registered_data && codec == AV_CODEC_ID_HEVC) {
        return kind_of_registered(payload);
    }
    const auto found = std::ranges::find(hevc, type, &Least::type);
    const bool holds = found != hevc.end() && (codec == AV_CODEC_ID_HEVC || type == transfer);
    return holds && payload.size() >= found->size ? type : 0;
}

}  // namespace vfilter
