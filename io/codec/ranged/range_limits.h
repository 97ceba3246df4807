#pragma once
// What limits a video's decoding in ranges.

#include <cstddef>
#include <cstdint>

namespace vfilter {

/// What limits a RangedDecoder.
struct RangeLimits {
    int sessions = 1;                             ///< at most; made when there is a range for them
    std::size_t pictures = 64;                    ///< decoded and not yet received, at most
    std::size_t kept = 8;                         ///< of them: for the oldest range alone, or all would wait for it
    std::size_t beside = 64;                      ///< of them: of ranges but the oldest, that the CPU decodes beside
    std::size_t bytes = std::size_t{256} << 20U;  ///< of packets, beside those of the oldest range
    std::int64_t packets = 256;                   ///< of the oldest range, where it is the only one, that wait
    std::size_t redo_bytes = std::size_t{128} << 20U;  ///< of a range that is longer nothing can be decoded again
    int failures = 3;                                  ///< in a row, after which nothing is tried in hardware any more
};

}  // namespace vfilter
