#pragma once
// setpts in ticks that are fine enough for what users make of times.

#include <string>
#include <string_view>
#include <vector>

extern "C" {
#include <libavutil/rational.h>
}

namespace vfilter {

/// A clock that holds the ticks of `clock` and those of most rates; `clock` itself where that is fine already.
AVRational finer_clock(AVRational clock);

/// A graph in which each setpts is given its times in a finer clock, and means what it did: `PTS`, `TB` and the like
/// stay in its own ticks, and its results may lie between them. `clocks`: of what each setpts is given, in the order in
/// which they stand there. The graph as it is where all are fine, and where a filter behind one of them counts ticks.
std::string with_fine_times(const std::string& graph, const std::vector<AVRational>& clocks);

}  // namespace vfilter
