#pragma once
// What a graph of libavfilter's, an input lavfi:GRAPH or a step --vf GRAPH, can reach besides its pictures.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"

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

/// "" if a graph reaches only what the options allow, else a clause that names the first filter that would reach more
/// and the option that lets it.
std::string overreach(std::string_view graph, const InputOptions& options);

/// Names of a graph's filters, in its order; none where libavfilter would not understand the text.
std::vector<std::string> filters_of(std::string_view graph);

}  // namespace vfilter
