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

/// For one decoder, whose pictures are told of by the numbers of their packets. A header that changes the shape of
/// pixels alone is given to the decoder as if it changed nothing, and the pictures behind it get their shape here;
/// before one that changes more the decoder is to be drained.
class Mpeg2Sequences {
public:
    /// ISO/IEC 13818-2, 6.2.2.1, 6.2.2.3 and 6.2.2.4.
    struct Header {
        unsigned width = 0;
        unsigned height = 0;
        unsigned aspect = 0;         ///< aspect_ratio_information
        bool extended = false;       ///< with a sequence extension: MPEG-2, and not MPEG-1
        unsigned extension = 0;      ///< its size, chroma and scan
        unsigned display_width = 0;  ///< 0: not told
        unsigned display_height = 0;
        std::size_t aspect_at = 0;   ///< the bit where `aspect` begins
        std::size_t display_at = 0;  ///< and `display_width`; 0: nowhere

        /// Of pixels, as libavcodec has it: the picture's shape over all of it, or over the display's size where that
        /// gives 4:3 or 16:9. 0:1 where it is not told.
        [[nodiscard]] AVRational shape() const;
        /// Whether pictures are as large and as sampled as of `other`.
        [[nodiscard]] bool is_like(const Header& other) const;
    };
    /// That before the first picture; empty where there is none.
    static std::optional<Header> header_of(std::span<const std::uint8_t> bytes);

    /// The decoder has this.
    void read_extradata(std::span<const std::uint8_t> bytes) { given_ = header_of(bytes); }
    /// Whether the decoder is to be drained, and to begin anew, before it gets the packet.
    [[nodiscard]] bool ends_before(const AVPacket& packet) const;
    /// What the decoder gets for the packet: null for the packet itself. Throws std::bad_alloc.
    PacketPtr send(const AVPacket& packet, std::int64_t number);
    void begin_anew();
    /// Gives a picture of that packet its shape.
    void came_out(AVFrame& picture, std::int64_t number);

private:
    struct Shape {
        std::int64_t from;  // number of a packet
        AVRational pixel;
    };
    std::optional<Header> given_;   // what the decoder has seen
    std::optional<Header> latest_;  // of the stream
    std::deque<Shape> shapes_;      // as far as pictures of theirs may come; empty where none ever changed
};

}  // namespace vfilter
