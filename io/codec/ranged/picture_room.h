#pragma once
// How many decoded pictures may wait to be received.

#include <algorithm>
#include <cstddef>

#include "io/codec/decoded_picture.h"
#include "io/codec/ranged/range_limits.h"

namespace vfilter {

/// Counts the pictures of all ranges that wait, within RangeLimits. What was said without a picture counts as one. One
/// thread at a time.
class PictureRoom {
public:
    explicit PictureRoom(const RangeLimits& limits)
        : most_(limits.pictures),
          for_oldest_(std::min(limits.kept, limits.pictures - 1)),
          most_beside_(limits.beside) {}

    /// Whether one more of them may wait, made so. `oldest`: it is of the oldest range.
    [[nodiscard]] bool takes(Made made, bool oldest) const {
        const std::size_t room = most_ - (oldest ? 0 : for_oldest_);
        return pictures_ < room && (made != Made::beside_it || beside_ < most_beside_ || oldest);
    }
    [[nodiscard]] bool is_half_empty() const { return pictures_ < most_ / 2; }
    void add(const DecodedPicture& one) {
        ++pictures_;
        beside_ += one.made == Made::beside_it ? 1 : 0;
    }
    void remove(const DecodedPicture& one) {
        --pictures_;
        beside_ -= one.made == Made::beside_it ? 1 : 0;
    }

private:
    std::size_t most_;
    std::size_t for_oldest_;
    std::size_t most_beside_;
    std::size_t pictures_ = 0;
    std::size_t beside_ = 0;  // of them: that were decoded beside hardware
};

}  // namespace vfilter
