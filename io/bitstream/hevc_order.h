#pragma once
// Whether a group of HEVC pictures has lost its beginning. Pictures are shown in the order of their counts, which begin
// anew with a group. A decoder that has not seen the beginning takes the new pictures for such as are shown before the
// last ones of the group before, holds these back until the next group, and shows the new ones as they come.

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "io/bitstream/hevc_headers.h"

namespace vfilter {

/// For a decoder of one thread, whose pictures are told of by the numbers of their packets.
class HevcOrder {
public:
    /// Whether the next packet's picture would be shown before one that has come out, as no whole stream's is.
    [[nodiscard]] bool counts_anew(const std::vector<HevcSlice>& slices) const;
    /// That packet was sent, and the decoder has begun its picture.
    void begun(const std::vector<HevcSlice>& slices, std::int64_t number);
    /// The picture of that packet has come out.
    void came_out(std::int64_t number);
    /// All pictures have, and the decoder knows nothing of them any more.
    void begin_anew();

private:
    // ITU-T H.265, 8.3.1.
    [[nodiscard]] std::int64_t count_of(const HevcSlice& slice) const;

    std::int64_t before_ = 0;                      // the count that the next one is reckoned from
    std::optional<std::int64_t> shown_;            // the highest count of a picture of this group that has come out
    std::map<std::int64_t, std::int64_t> counts_;  // of pictures of this group that have not, by number
};

}  // namespace vfilter
