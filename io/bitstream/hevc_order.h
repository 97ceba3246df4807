#pragma once
// Detects that a group of HEVC pictures has lost its beginning. Pictures are displayed in the order of their counts,
// which restart with each group. A decoder that has not seen the beginning assumes that the new pictures are displayed
// before the last ones of the previous group, holds these back until the next group, and outputs the new ones as they
// come.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "io/bitstream/hevc_headers.h"

namespace vfilter {

/// For a single-threaded decoder, whose pictures are identified by the numbers of their packets.
class HevcOrder {
public:
    /// Whether the next packet's picture would be displayed before one that has already come out, which does not happen
    /// in an undamaged stream.
    [[nodiscard]] bool counts_anew(const std::vector<HevcSlice>& slices) const;
    /// That packet was sent, and the decoder has begun its picture.
    void begun(const std::vector<HevcSlice>& slices, std::int64_t number);
    /// The picture of that packet has come out.
    void came_out(std::int64_t number);
    /// All pictures have come out, and the decoder no longer depends on them.
    void begin_anew();

private:
    // ITU-T H.265, 8.3.1.
    [[nodiscard]] std::int64_t count_of(const HevcSlice& slice) const;

    std::int64_t before_ = 0;                      // the count from which the next one is derived
    std::optional<std::int64_t> shown_;            // the highest count of a picture of this group that has come out
    std::map<std::int64_t, std::int64_t> counts_;  // of pictures of this group that have not, by number
};

}  // namespace vfilter
