#pragma once
// What a libavfilter graph, an input lavfi:GRAPH or a step --vf GRAPH, can access besides its pictures.

#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"
#include "config/lavfi/facts.h"

namespace vfilter {

/// A filter that accesses external resources (lavfi::outward).
struct Outward {
    const lavfi::Filter* filter;
    bool guessed;  ///< because of an unnamed argument, which may be a harmless one
};

/// Those of a graph, in its order, each once. If it is not certain that the text means one, it is assumed to: for
/// unnamed arguments, and for a graph that cannot be parsed.
std::vector<Outward> reach_of(std::string_view graph);

/// "" if a graph accesses only what the options allow, otherwise a clause that names the first filter that would access
/// more and the option that allows it.
std::string overreach(std::string_view graph, const InputOptions& options);

}  // namespace vfilter
