#pragma once
// How a video asks to be shown: the display matrix of containers and pictures, which players apply and nobody stores.

#include <cstdint>

#include "io/handles.h"

namespace vfilter {

/// Mirrored left to right, if it is, and then turned clockwise.
struct DisplayTurn {
    int quarter_turns = 0;  ///< 0 to 3
    bool mirrored = false;
    bool operator==(const DisplayTurn&) const = default;
};

/// What a display matrix of libavutil asks for. None for one that turns by anything but a multiple of 90 degrees (half
/// a degree off counts as one), or that is no rotation at all.
DisplayTurn display_turn(const std::int32_t (&matrix)[9]);

/// What a stream asks for before anything of it is decoded. None where it says nothing.
DisplayTurn display_turn(const AVStream& stream);

/// The same of a decoded picture: its own matrix, or else its stream's.
DisplayTurn display_turn(const AVFrame& picture, const AVStream& stream);

}  // namespace vfilter
