#pragma once
// Puts the index of an mp4 or mov before its packets, so that it can play while it is being loaded.

#include <cstdint>
#include <functional>

#include "io/input/demuxer.h"
#include "io/output/output_file.h"

namespace vfilter {

/// Number of bytes to reserve at the beginning of the file for the index of what is expected from these streams, with a
/// margin; 0 if the duration of the input is unknown.
std::int64_t room_for_index(const Demuxer& input, const AVFormatContext& output);

/// Moves the index of a finished movie to the front. The file begins with `room` bytes that were reserved. Until it
/// returns or calls `packets_move`, no packet moves: whatever ends the program, what was written can be mended. If the
/// room is too small the file is copied, within its .part; if that fails, the index stays where it is, with a message.
/// Throws Error(output) if what was written cannot be read. `go_on` is called during the copy: false stops it.
/// `packets_move` is called once, right before the copy takes the file's place: the file is complete then, and the
/// recorded positions of packets no longer apply.
void move_index_to_front(OutputFile& file, std::int64_t room, const std::function<bool()>& go_on,
                         const std::function<void()>& packets_move);

}  // namespace vfilter
