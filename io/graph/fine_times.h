#pragma once
// setpts with ticks that are fine enough for users' expressions.

#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include <libavutil/rational.h>
}

namespace vfilter {

/// A clock that can represent the ticks of `clock` and those of most rates; `clock` itself if it is fine enough
/// already.
AVRational finer_clock(AVRational clock);

/// A graph in which each setpts gets its times in a finer clock, with unchanged meaning: `PTS`, `TB` and the like still
/// refer to its own ticks, and its results may lie between them. `clocks`: those of each setpts' input, in the order in
/// which they appear. The graph is returned unchanged if all are fine enough, or if a later filter counts ticks.
std::string with_fine_times(const std::string& graph, const std::vector<AVRational>& clocks);

}  // namespace vfilter
