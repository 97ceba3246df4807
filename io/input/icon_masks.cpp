#include "io/input/icon_masks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include "io/bitstream/bytes.h"

namespace vfilter {

namespace {

constexpr std::size_t icon_head = 14;  // of the file, before the picture's own header
constexpr std::size_t icon_heads = icon_head + 40;

struct IconPicture {
    std::size_t width;
    std::size_t height;
    std::size_t bits;
    Bytes colours;
    Bytes samples;
    Bytes mask;  // a bit for each sample, set where the icon is transparent

    [[nodiscard]] std::size_t row() const { return (width * bits + 31) / 32 * 4; }
    [[nodiscard]] std::size_t mask_row() const { return (width + 31) / 32 * 4; }
    [[nodiscard]] bool transparent(std::size_t x, std::size_t y) const {
        return (std::size_t{mask[y * mask_row() + x / 8]} >> (7 - x % 8) & 1U) != 0;
    }
    [[nodiscard]] std::uint64_t colour(std::size_t x, std::size_t y) const {
        constexpr std::size_t direct = 24;
        const std::size_t at = y * row() + x * bits / 8;
        const std::size_t shift = (8 - bits % 8 - x * bits % 8) % 8;
        const std::size_t number = std::size_t{samples[at]} >> shift & ((std::size_t{1} << bits % 8) - 1);
        return bits == direct ? little_endian(samples, at, 3)
               : bits == 8    ? little_endian(colours, 4 * std::size_t{samples[at]}, 3)
                              : little_endian(colours, 4 * number, 3);
    }
};

}  // namespace

void put_icon_mask(AVPacket& packet) {
    constexpr std::array depths{1, 4, 8, 24};
    constexpr std::size_t largest = 1024;
    const Bytes file(packet.data, static_cast<std::size_t>(packet.size));
    const auto number = [&](std::size_t at, std::size_t size) {
        return static_cast<std::size_t>(little_endian(file, at, size));
    };
    IconPicture icon{number(icon_head + 4, 4), number(icon_head + 8, 4), number(icon_head + 14, 2), {}, {}, {}};
    const bool packed = number(icon_head + 16, 4) != 0;
    if (packed || file.size() < icon_heads || icon.width > largest || icon.height > largest ||
        std::ranges::find(depths, static_cast<int>(icon.bits)) == depths.end()) {
        return;
    }
    icon.colours = part(file, icon_head + number(icon_head, 4));
    icon.samples = part(file, number(10, 4), icon.row() * icon.height);
    icon.mask = part(file, number(10, 4) + icon.samples.size(), icon.mask_row() * icon.height);
    if (icon.samples.size() < icon.row() * icon.height || icon.mask.size() < icon.mask_row() * icon.height) {
        return;
    }
    const PacketPtr whole = make_packet();
    const std::size_t size = icon_heads + 4 * icon.width * icon.height;
    if (av_new_packet(whole.get(), static_cast<int>(size)) < 0 || av_packet_copy_props(whole.get(), &packet) < 0) {
        throw std::bad_alloc();
    }
    const auto write = [&](std::size_t at, std::uint64_t value) {
        for (std::size_t i = 0; i < 4; ++i) {
            whole->data[at + i] = static_cast<std::uint8_t>(value >> (8 * i) & 0xFFU);
        }
    };
    std::ranges::copy(file.first(icon_heads), whole->data);
    write(2, size);
    write(10, icon_heads);
    write(icon_head, icon_heads - icon_head);
    write(icon_head + 12, 32U << 16 | 1U);  // bits, and planes
    write(icon_head + 32, 0);               // colours
    bool any = false;
    for (std::size_t y = 0; y < icon.height; ++y) {
        for (std::size_t x = 0; x < icon.width; ++x) {
            constexpr std::uint64_t opaque = 0xFF000000;
            const bool transparent = icon.transparent(x, y);
            any = any || transparent;
            write(icon_heads + 4 * (y * icon.width + x), icon.colour(x, y) | (transparent ? 0 : opaque));
        }
    }
    if (any) {
        av_packet_unref(&packet);
        av_packet_move_ref(&packet, whole.get());
    }
}

}  // namespace vfilter
