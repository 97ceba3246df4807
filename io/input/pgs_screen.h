#pragma once
// What Blu-ray subtitles (PGS) have drawn.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace vfilter {

/// Follows a stream's segments, of which a packet may have one or all for a picture, and combines them into a picture
/// that needs nothing before it. It holds no more bytes of an epoch's objects than a decoder does: an object that
/// exceeds that is left out, with the pictures that show it. Each segment takes time proportional to its own bytes.
class PgsScreen {
public:
    /// Whether a picture begins in these segments: all of it has the time of the packet in which it does.
    static bool begins(std::span<const std::uint8_t> segments);
    /// Whether a picture is completed by them.
    static bool ends(std::span<const std::uint8_t> segments);

    void add(std::span<const std::uint8_t> segments);
    /// The picture that is displayed; empty if there is none, or if not all of its parts have been seen.
    [[nodiscard]] std::vector<std::uint8_t> picture() const;
    /// A picture that shows nothing, to replace it; empty if there has been none.
    [[nodiscard]] std::vector<std::uint8_t> nothing() const;

private:
    using Bytes = std::vector<std::uint8_t>;
    using Colours = std::map<std::uint8_t, std::array<std::uint8_t, 4>>;

    void add_segment(std::uint8_t type, std::span<const std::uint8_t> body);
    void add_object(std::span<const std::uint8_t> body);
    [[nodiscard]] bool has_all_objects() const;

    Bytes composing_;  // of the incomplete picture
    Bytes composition_;
    Bytes windows_;
    std::map<std::uint8_t, Colours> palettes_;
    std::map<std::uint16_t, Bytes> objects_;  // the segments of each
    std::size_t held_ = 0;                    // size of them all
};

}  // namespace vfilter
