#pragma once
// What a Blu-ray's subtitles (PGS) have drawn.

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace vfilter {

/// Follows a stream's segments, of which a packet may have one or all of a picture, and makes one picture of them that
/// needs nothing before it. It never holds more than an epoch may have.
class PgsScreen {
public:
    void add(std::span<const std::uint8_t> segments);
    /// The picture that is shown; empty where nothing is, or where its parts have not all been seen.
    [[nodiscard]] std::vector<std::uint8_t> picture() const;

private:
    using Bytes = std::vector<std::uint8_t>;
    using Colours = std::map<std::uint8_t, std::array<std::uint8_t, 4>>;

    void add_segment(std::uint8_t type, std::span<const std::uint8_t> body);
    [[nodiscard]] bool has_all_objects() const;

    Bytes composing_;  // of the picture that is not complete
    Bytes composition_;
    Bytes windows_;
    std::map<std::uint8_t, Colours> palettes_;
    std::map<std::uint16_t, std::vector<Bytes>> objects_;  // each in pieces
};

}  // namespace vfilter
