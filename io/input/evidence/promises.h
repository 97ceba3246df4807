#pragma once
// What came from each stream, compared with what the container says about it.

#include <cstdint>
#include <vector>

#include "io/damage.h"
#include "io/handles.h"
#include "io/input/evidence/container_scan.h"

namespace vfilter {

/// What came from a stream.
struct StreamTally {
    std::int64_t packets = 0;
    std::int64_t end = AV_NOPTS_VALUE;  ///< in the stream's clock
    std::int64_t last_duration = 0;
    std::int64_t last = AV_NOPTS_VALUE;  ///< presentation time of the latest packet
    std::int64_t longest = 0;            ///< from one packet to the next
    bool last_corrupt = false;
    std::int64_t first = AV_NOPTS_VALUE;  ///< presentation time of the first packet
    std::int64_t hidden = 0;  ///< packets that the demuxer returns as not to be displayed, later than the first one
    std::int64_t empty = 0;   ///< packets that the container has and the demuxer did not return
};

/// When the input ends according to its header or its tables, microseconds; AV_NOPTS_VALUE if they say nothing.
/// `first`: its earliest time.
std::int64_t told_end_of(const AVFormatContext& format, std::int64_t first);

/// Adds the places where the container contradicts itself.
void judge_structure(const ContainerScan& scan, Damage& damage);

/// Compares each video and audio stream with what is promised for that stream: complete sound does not hide a missing
/// end of the video. `tallies` are by stream of the input, as are the pictures per second in `rates`, with 25 for those
/// without; `scan` may be null. Fills in `empty`.
void judge_streams(const AVFormatContext& format, const std::vector<AVRational>& rates, const ContainerScan* scan,
                   std::vector<StreamTally>& tallies, Damage& damage);

}  // namespace vfilter
