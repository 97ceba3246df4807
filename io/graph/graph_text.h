#pragma once
// The graph of a --vf or --af: parsed by libavfilter, checked before anything else is opened, with its errors reported.

#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"
#include "io/graph/filter_library.h"
#include "io/log/complaints.h"

namespace vfilter {

/// What passes through a graph.
enum class GraphKind { pictures, sound };

/// The option with which users specify one: "--vf" or "--af".
std::string_view option_of(GraphKind kind);

/// A graph that libavfilter has parsed, with its two ends.
struct ParsedGraph {
    FilterGraphPtr graph;
    OpenPadsPtr input;   ///< exactly one, of its kind
    OpenPadsPtr output;  ///< exactly one, of its kind
};

/// Parses a graph. `threads`: for all its filters together, 0 is one per core. Throws Error(usage) with libavfilter's
/// own message if it does not understand the text, and if the graph does not have exactly one input and one output of
/// its kind in ordinary memory.
ParsedGraph parse_graph(const std::string& text, GraphKind kind, int threads);

/// Whether a graph may run: throws Error(usage) if parse_graph would, and if one of its filters could access files or
/// addresses that the options do not allow. Nothing is read that the options do not allow.
void check_graph(const std::string& text, GraphKind kind, const InputOptions& options);

/// Names of filters in a graph that libavfilter does not have, each once.
std::vector<std::string> unknown_filters(const std::string& text);

/// All filters that libavfilter has, sorted.
std::vector<std::string> library_filters();

/// libavfilter's error message: "crop: Invalid too big or non positive size"; `otherwise` if there was none.
std::string told_by(const ThreadComplaints& complaints, const std::string& otherwise);

}  // namespace vfilter
