#pragma once
// What came of each stream, held against what the container says of it.

#include <cstdint>
#include <vector>

#include "io/damage.h"
#include "io/handles.h"
#include "io/input/evidence/container_scan.h"

namespace vfilter {

/// What came of a stream.
struct StreamTally {
    std::int64_t packets = 0;
    std::int64_t end = AV_NOPTS_VALUE;  ///< in the stream's clock
    std::int64_t last_duration = 0;
    std::int64_t last = AV_NOPTS_VALUE;  ///< presentation time of the latest packet
    std::int64_t longest = 0;            ///< from one packet to the next
    bool last_corrupt = false;
    std::int64_t first = AV_NOPTS_VALUE;  ///< presentation time of the first packet
    std::int64_t hidden = 0;  ///< packets that the demuxer gives and wants not shown, later than the first one
    std::int64_t empty = 0;   ///< packets that the container has and the demuxer did not give
};

/// When the input ends by what its header or its tables say, microseconds; AV_NOPTS_VALUE where they say nothing.
/// `first`: its earliest time.
std::int64_t told_end_of(const AVFormatContext& format, std::int64_t first);

/// Places where the container contradicts itself.
void judge_structure(const ContainerScan& scan, Damage& damage);

/// Videos and sound, each against what is promised of it alone: whole sound hides no missing end of the video.
/// `tallies` are by stream of the input, as are the pictures per second in `rates`, with 25 for what it does not have;
/// `scan` may be null. Fills in what is empty.
void judge_streams(const AVFormatContext& format, const std::vector<AVRational>& rates, const ContainerScan* scan,
                   std::vector<StreamTally>& tallies, Damage& damage);

}  // namespace vfilter
