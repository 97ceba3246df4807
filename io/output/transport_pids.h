#pragma once
// The numbers by which MPEG-TS tells its streams apart: packet identifiers (PIDs).

#include <vector>

#include "io/handles.h"
#include "io/output/movie_options.h"

namespace vfilter {

/// Gives each stream of an output of MPEG-TS a number that its muxer takes: the input's where that is MPEG-TS as well
/// and nothing else has the number, or else the next free one. Where the user's `options` say with which number they
/// begin, all follow from there. Does nothing to other containers. `places` as for copy_programs(), which has to be
/// done, as each program has a table with a number of its own.
void number_streams(const AVFormatContext& input, const std::vector<int>& places, const OptionPairs& options,
                    AVFormatContext& output);

/// The number of an output's stream by which it is found again in the file, 0 where its place among those of its type
/// tells which one it is.
int pid_of(const AVFormatContext& output, const AVStream& stream);

}  // namespace vfilter
