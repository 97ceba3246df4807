#pragma once
// What follows the picture in a JPEG photograph: previews, gain maps and depth, which an index may list (CIPA DC-007,
// MPF), and the video of motion photos. Parsers take all of it for further pictures.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "io/bitstream/bytes.h"

namespace vfilter {

/// Calls `use` with the marker and the content of each segment before the first scan, until it returns false.
void each_jpeg_segment(Bytes jpeg, const std::function<bool(std::uint8_t marker, Bytes segment)>& use);

/// Whether further pictures or an mp4 follow it.
bool has_more_behind(Bytes jpeg);

/// Distinguishes pictures from parts of the preceding photograph, in a file whose packets come one after the other.
class JpegParts {
public:
    struct Judgement {
        bool picture = true;
        bool preview = false;  ///< or a gain map and the like
        bool movie = false;    ///< an mp4 begins in it
        std::size_t size = 0;  ///< what follows in the packet is another picture, which the parser overlooked
    };

    Judgement judge(Bytes packet);
    /// The next packet begins there.
    void go_to(std::int64_t place) {
        place_ = place;
        movie_end_ = 0;
        index_.clear();
    }

private:
    struct Entry {
        std::int64_t place = 0;
        std::size_t size = 0;
        std::uint32_t type = 0;
    };

    void read_index(Bytes jpeg);
    [[nodiscard]] bool is_part(Bytes jpeg, std::size_t end) const;

    std::int64_t place_ = 0;
    std::int64_t movie_end_ = 0;    // of its boxes so far
    std::uint32_t photograph_ = 0;  // the size of the first picture, width and height with 16 bits each
    std::vector<Entry> index_;      // of the previous picture
};

}  // namespace vfilter
