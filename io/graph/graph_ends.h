#pragma once
// What is built around the filters of a user's graph, and its errors.

#include <string>

#include "io/graph/graph_text.h"

namespace vfilter {

/// Builds what stands before and behind the user's filters. For one function: it borrows the graph and the text.
class GraphEnds {
public:
    GraphEnds(AVFilterGraph& graph, GraphKind kind, const std::string& text)
        : graph_(graph), kind_(kind), text_(text) {}

    /// A filter of the graph's, not linked yet. As all of these throws Error(usage) with libavfilter's words.
    AVFilterContext* add(const char* filter, const char* name, const std::string& arguments);
    void link(AVFilterContext* from, unsigned from_pad, AVFilterContext* to, unsigned to_pad);
    /// When all is linked.
    void configure();

private:
    void check(int result) const;

    const FilterLibrary& library_ = filter_library();
    AVFilterGraph& graph_;
    GraphKind kind_;
    const std::string& text_;
    ThreadComplaints complaints_;
};

/// Throws the error of a graph that did not work on what it was given.
[[noreturn]] void fail_graph(GraphKind kind, const std::string& text, int result, const ThreadComplaints& complaints);

}  // namespace vfilter
