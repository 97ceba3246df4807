#pragma once
// The numbers that identify streams in MPEG-TS: packet identifiers (PIDs).

#include <vector>

#include "io/handles.h"
#include "io/output/movie_options.h"

namespace vfilter {

/// Gives each stream of an MPEG-TS output a number that its muxer accepts: the input's if that is MPEG-TS as well and
/// nothing else has the number, otherwise the next free one. If the user's `options` give the first number, all others
/// follow from there. Does nothing for other containers. `places` as for copy_programs(), which must be called before,
/// as each program has a table with its own number.
void number_streams(const AVFormatContext& input, const std::vector<int>& places, const OptionPairs& options,
                    AVFormatContext& output);

/// The number by which an output stream is found again in the file, 0 if its index among those of its type identifies
/// it.
int pid_of(const AVFormatContext& output, const AVStream& stream);

}  // namespace vfilter
