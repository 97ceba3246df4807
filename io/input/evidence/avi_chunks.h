#pragma once
// Names of AVI chunks: the number of a stream, and the kind of packet.

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace vfilter {

/// The stream to which a chunk belongs, or -1. `kind` is set to the other two letters.
inline int avi_stream_of(std::uint32_t type, std::uint32_t& kind) {
    const auto digit = [](std::uint32_t letter) {
        return letter >= '0' && letter <= '9' ? static_cast<int>(letter - '0') : -100;
    };
    kind = type & 0xFFFF;
    const int number = digit(type >> 24) * 10 + digit(type >> 16 & 0xFF);
    return number < 0 ? -1 : number;
}

constexpr std::uint32_t avi_kind(char one, char other) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(one)) << 8 | static_cast<unsigned char>(other);
}

/// Pictures, compressed or not, sound, text, both of DV, and others found in practice. 'pc' is a palette, not a packet.
inline constexpr std::uint32_t avi_packet_kinds[] = {avi_kind('d', 'c'), avi_kind('d', 'b'), avi_kind('w', 'b'),
                                                     avi_kind('t', 'x'), avi_kind('_', '_'), avi_kind('i', 'v'),
                                                     avi_kind('s', 'b'), avi_kind('v', 'i'), avi_kind('A', 'C'),
                                                     avi_kind('d', 'd'), avi_kind('p', 'c'), avi_kind('i', 'x')};
inline constexpr std::uint32_t avi_palette = avi_kind('p', 'c');

inline bool is_avi_packet(std::uint32_t kind) {
    return std::ranges::find(avi_packet_kinds, kind) != std::end(avi_packet_kinds);
}

}  // namespace vfilter
