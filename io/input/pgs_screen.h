#pragma once
// What a Blu-ray's subtitles (PGS) have drawn.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace vfilter {

/// Follows a stream's segments, of which a packet may have one or all of a picture, and makes one picture of them that
/// needs nothing before it. Of an epoch's objects it holds no more bytes than a decoder does: one that goes beyond them
/// is left out, with the pictures that show it. Each segment takes the time of its own bytes.
class PgsScreen {
public:
    /// Whether a picture begins among segments: all of it has the time of the packet in which it does.
    static bool begins(std::span<const std::uint8_t> segments);
    /// Whether one is complete with them.
    static bool ends(std::span<const std::uint8_t> segments);

    void add(std::span<const std::uint8_t> segments);
    /// The picture that is shown; empty where nothing is, or where its parts have not all been seen.
    [[nodiscard]] std::vector<std::uint8_t> picture() const;
    /// One that shows nothing, in its place; empty where there has been none.
    [[nodiscard]] std::vector<std::uint8_t> nothing() const;

private:
    using Bytes = std::vector<std::uint8_t>;
    using Colours = std::map<std::uint8_t, std::array<std::uint8_t, 4>>;

    void add_segment(std::uint8_t type, std::span<const std::uint8_t> body);
    void add_object(std::span<const std::uint8_t> body);
    [[nodiscard]] bool has_all_objects() const;

    Bytes composing_;  // of the picture that is not complete
    Bytes composition_;
    Bytes windows_;
    std::map<std::uint8_t, Colours> palettes_;
    std::map<std::uint16_t, Bytes> objects_;  // the segments of each
    std::size_t held_ = 0;                    // bytes of them all
};

}  // namespace vfilter
