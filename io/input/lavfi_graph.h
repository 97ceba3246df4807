#pragma once
// What a graph of libavfilter's, the input lavfi:GRAPH, can reach besides the pictures that it makes.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

/// A filter that reaches outside. Those that read or write what an option names do so only if the option is given.
struct OutwardFilter {
    std::string_view name;
    std::string_view options;  ///< names separated by '|'; "" where it may reach outside whatever it is given
    bool files = false;        ///< reads or writes files of the user's
    bool network = false;      ///< opens addresses
    bool libraries = false;    ///< loads code
};

/// All that are known. Filters that are not here reach nothing.
std::span<const OutwardFilter> outward_filters();

/// Those in a graph, in its order, each once. Where the text is not certain to mean one, it is taken to: arguments
/// without names, and a graph that cannot be read.
std::vector<const OutwardFilter*> reach_of(std::string_view graph);

}  // namespace vfilter
