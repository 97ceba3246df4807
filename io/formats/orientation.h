#pragma once
// The orientation in which a video is to be displayed: the display matrix of containers and pictures, which players
// apply and which is not applied to the stored samples.

#include <cstdint>

#include "io/handles.h"

namespace vfilter {

/// Mirrored left to right, if set, and then rotated clockwise.
struct DisplayTurn {
    int quarter_turns = 0;  ///< 0 to 3
    bool mirrored = false;
    bool operator==(const DisplayTurn&) const = default;
};

/// The orientation that a display matrix of libavutil specifies. None for rotations by anything but a multiple of 90
/// degrees (up to half a degree off counts as one), and for matrices that are not rotations.
DisplayTurn display_turn(const std::int32_t (&matrix)[9]);

/// What a stream specifies before anything has been decoded. None if it says nothing.
DisplayTurn display_turn(const AVStream& stream);

/// The same for a decoded picture: its own matrix, or else its stream's.
DisplayTurn display_turn(const AVFrame& picture, const AVStream& stream);

}  // namespace vfilter
