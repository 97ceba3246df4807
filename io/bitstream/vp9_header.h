#pragma once
// The beginning of a VP9 picture.

#include <cstdint>
#include <optional>

namespace vfilter {

struct Vp9Header {
    bool shows_earlier;  ///< it is no picture itself, and shows one that was decoded before; of such a one no more is
                         ///< true
    bool key;
    bool shown;
};

/// From its first byte (VP9 bitstream specification, 6.2); empty if that does not begin a picture.
inline std::optional<Vp9Header> vp9_header(std::uint8_t first) {
    constexpr unsigned marker = 2;
    if (first >> 6U != marker) {
        return std::nullopt;
    }
    // Profile 3 has one additional bit before these.
    const bool profile_3 = (first & 0x30U) == 0x30U;
    const auto bit = [&](unsigned number) { return (first >> (profile_3 ? number - 1 : number) & 1U) != 0; };
    return Vp9Header{.shows_earlier = bit(3), .key = !bit(2), .shown = bit(1)};
}

}  // namespace vfilter
