#pragma once
// The graph of a --vf or --af: read by libavfilter, looked at before anything else is opened, and its mistakes told.

#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"
#include "io/graph/filter_library.h"
#include "io/log/complaints.h"

namespace vfilter {

/// What goes through a graph.
enum class GraphKind { pictures, sound };

/// The option by which users give one: "--vf" or "--af".
std::string_view option_of(GraphKind kind);

/// A graph that libavfilter has read, with its two ends.
struct ParsedGraph {
    FilterGraphPtr graph;
    OpenPadsPtr input;   ///< exactly one, of its kind
    OpenPadsPtr output;  ///< exactly one, of its kind
};

/// Reads a graph. `threads`: of all its filters together, 0 is one per core. Throws Error(usage) with libavfilter's own
/// words where it does not understand the text, and where the graph is not one of one input and one output of its kind
/// in ordinary memory.
ParsedGraph parse_graph(const std::string& text, GraphKind kind, int threads);

/// Whether a graph may run: throws Error(usage) where parse_graph would, and where one of its filters could reach files
/// or addresses that the options do not allow. Nothing is read that the options do not allow.
void check_graph(const std::string& text, GraphKind kind, const InputOptions& options);

/// Names of a graph's filters that libavfilter does not have, each once.
std::vector<std::string> unknown_filters(const std::string& text);

/// All that libavfilter has, sorted.
std::vector<std::string> library_filters();

/// What libavfilter has complained of: "crop: Invalid too big or non positive size"; `otherwise` if it said nothing.
std::string told_by(const ThreadComplaints& complaints, const std::string& otherwise);

}  // namespace vfilter
