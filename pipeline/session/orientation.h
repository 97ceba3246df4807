#pragma once
// How the pictures of a video are rotated for display, as needed for regions.

#include "filters/orientation.h"
#include "io/formats/orientation.h"

namespace vfilter {

/// `picture` may have no samples.
inline Orientation orientation_of(const AVFrame& picture, const AVStream& stream) {
    const DisplayTurn turn = display_turn(picture, stream);
    return {.quarter_turns = turn.quarter_turns, .mirrored = turn.mirrored};
}

inline Orientation orientation_of(const AVStream& stream) {
    const DisplayTurn turn = display_turn(stream);
    return {.quarter_turns = turn.quarter_turns, .mirrored = turn.mirrored};
}

}  // namespace vfilter
