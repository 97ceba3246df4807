#pragma once
// What a graph of libavfilter's, an input lavfi:GRAPH or a step --vf GRAPH, can reach besides its pictures.

#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"
#include "config/lavfi/facts.h"

namespace vfilter {

/// A filter that reaches outward (lavfi::outward).
struct Outward {
    const lavfi::Filter* filter;
    bool guessed;  ///< by an argument without a name, which may be none that reaches anything
};

/// Those of a graph, in its order, each once. Where the text is not certain to mean one, it is taken to: arguments
/// without names, and a graph that cannot be read.
std::vector<Outward> reach_of(std::string_view graph);

/// "" if a graph reaches only what the options allow, else a clause that names the first filter that would reach more
/// and the option that lets it.
std::string overreach(std::string_view graph, const InputOptions& options);

}  // namespace vfilter
