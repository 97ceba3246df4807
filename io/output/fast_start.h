#pragma once
// The index of an mp4 or mov in front of its packets, so that it plays while it is being loaded.

#include <cstdint>
#include <functional>

#include "io/input/demuxer.h"
#include "io/output/output_file.h"

namespace vfilter {

/// Bytes to leave free at the beginning of the file for the index of what is expected of these streams, with some to
/// spare; 0 where nobody knows how long the input is.
std::int64_t room_for_index(const Demuxer& input, const AVFormatContext& output);

/// Moves the index of a finished movie to the front. The file begins with `room` bytes that were left out. Until it
/// returns or calls `packets_move`, no packet moves: whatever ends the program, what was written can be mended. Where
/// the room is too small the file is copied, within its .part, and where that fails, the index stays where it is, with
/// a line. Throws Error(output) where what was written cannot be read. `go_on` is asked while it is copied: false
/// leaves it at that. `packets_move` is called once, right before the copy takes the file's place: the file is whole
/// then, and what was noted of the packets' places is true no longer.
void move_index_to_front(OutputFile& file, std::int64_t room, const std::function<bool()>& go_on,
                         const std::function<void()>& packets_move);

}  // namespace vfilter
