#pragma once
// Where an output's times begin, by what its container can show and count.

#include <cstdint>
#include <map>
#include <vector>

#include "io/handles.h"
#include "io/input/demuxer.h"
#include "io/output/output_streams.h"
#include "io/output/stream_map.h"

namespace vfilter {

/// What the output's times are moved down by besides the shift of the wanted part, microseconds: QuickTime would not
/// show pictures before 0, and AVI has no time of a beginning; its first picture comes a whole number of pictures after
/// it. What only counts pictures begins with the first one, and Ogg with the input where it counts sound. `output` has
/// its streams, at the places of `map`. Warns where a picture is shown too early by that.
std::int64_t begin_of_output(const Demuxer& input, const AVFormatContext& output, const StreamMap& map,
                             const std::vector<EncodedVideo>& videos);

/// Where pictures are counted, the first one of a video decides what all are rounded to. One thread.
class PicturePhases {
public:
    /// The first picture of the input's video `stream` is at `first`, in `clock`; the container counts in `unit`. Not
    /// for containers whose clock is finer than pictures.
    void begin(int stream, std::int64_t first, AVRational clock, AVRational unit);
    /// Moves a packet of that video, in the same clock, by what the first one lies behind a whole unit.
    void move(AVPacket& packet, int stream) const;

private:
    std::map<int, std::int64_t> phases_;
};

}  // namespace vfilter
