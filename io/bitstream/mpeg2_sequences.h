#pragma once
// MPEG-2's sequence headers that change in the middle of a stream, as television switches between 4:3 and 16:9.
// libavcodec's decoder begins anew at them: the picture that it holds back to bring pictures in order is gone, and so
// are those that lean on it.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "io/handles.h"

namespace vfilter {

/// For one decoder, whose pictures are identified by the numbers of their packets. A header that changes only the shape
/// of pixels is passed to the decoder as if it changed nothing, and later pictures get their shape here; before a
/// header that changes more, the decoder must be drained.
class Mpeg2Sequences {
public:
    /// ISO/IEC 13818-2, 6.2.2.1, 6.2.2.3 and 6.2.2.4.
    struct Header {
        unsigned width = 0;
        unsigned height = 0;
        unsigned aspect = 0;         ///< aspect_ratio_information
        bool extended = false;       ///< with a sequence extension: MPEG-2, and not MPEG-1
        unsigned extension = 0;      ///< its size, chroma and scan
        unsigned display_width = 0;  ///< 0: not given
        unsigned display_height = 0;
        std::size_t aspect_at = 0;   ///< the bit where `aspect` begins
        std::size_t display_at = 0;  ///< and `display_width`; 0: nowhere

        /// The shape of pixels, as computed by libavcodec: the picture's aspect ratio applied to all of it, or to the
        /// display size if that gives 4:3 or 16:9. 0:1 if it is not given.
        [[nodiscard]] AVRational shape() const;
        /// Whether pictures have the same size and sampling as those of `other`.
        [[nodiscard]] bool is_like(const Header& other) const;
    };
    /// The header before the first picture; empty if there is none.
    static std::optional<Header> header_of(std::span<const std::uint8_t> bytes);

    /// The decoder has these bytes.
    void read_extradata(std::span<const std::uint8_t> bytes) { given_ = header_of(bytes); }
    /// Whether the decoder must be drained and restarted before it gets the packet.
    [[nodiscard]] bool ends_before(const AVPacket& packet) const;
    /// What the decoder gets for the packet: null means the packet itself. Throws std::bad_alloc.
    PacketPtr send(const AVPacket& packet, std::int64_t number);
    void begin_anew();
    /// Sets the shape of the picture from that packet.
    void came_out(AVFrame& picture, std::int64_t number);

private:
    struct Shape {
        std::int64_t from;  // number of a packet
        AVRational pixel;
    };
    std::optional<Header> given_;   // what the decoder has seen
    std::optional<Header> latest_;  // of the stream
    std::deque<Shape> shapes_;      // those whose pictures may still come; empty if the shape never changed
};

}  // namespace vfilter
