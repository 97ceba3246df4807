#pragma once
// What is built around the filters of a user's graph, and how frames pass through it.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/lavfi/filter.h"
#include "io/graph/graph_text.h"

namespace vfilter {

/// Builds what comes before and after the user's filters. For use within one function: it refers to the graph and the
/// text.
class GraphEnds {
public:
    GraphEnds(AVFilterGraph& graph, GraphKind kind, const std::string& text)
        : graph_(graph), kind_(kind), text_(text) {}

    /// Adds a filter to the graph, not linked yet. Like the others, it throws Error(usage) with libavfilter's message.
    AVFilterContext* add(const char* filter, const char* name, const std::string& arguments);
    void link(AVFilterContext* from, unsigned from_pad, AVFilterContext* to, unsigned to_pad);
    /// When everything is linked: filters that combine fields into whole pictures, but pass these on as interlaced, are
    /// followed by one that marks them correctly.
    void add_scans();
    /// After that: filters whose result depends on whether somebody else references a picture get their own copy, or
    /// output one.
    void add_copies();
    /// After that.
    void configure();

private:
    /// Filters for which one of the facts is true.
    [[nodiscard]] std::vector<AVFilterContext*> all_of(lavfi::Facts facts) const;
    void check(int result) const;

    const FilterLibrary& library_ = filter_library();
    AVFilterGraph& graph_;
    GraphKind kind_;
    const std::string& text_;
    ThreadComplaints complaints_;
};

/// Frames into and out of a graph that is set up. One thread.
class GraphFlow {
public:
    /// `source` and `sink` belong to the graph.
    GraphFlow(FilterGraphPtr graph, AVFilterContext& source, AVFilterContext& sink, GraphKind kind, std::string text)
        : graph_(std::move(graph)), source_(source), sink_(sink), kind_(kind), text_(std::move(text)) {}
    ~GraphFlow();
    GraphFlow(const GraphFlow&) = delete;
    GraphFlow& operator=(const GraphFlow&) = delete;

    /// The graph is the run's own and not a trial: what its filters measure is reported.
    void tell_results() { tells_results_ = true; }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const AVFilterGraph& graph() const { return *graph_; }
    [[nodiscard]] const AVFilterContext& sink() const { return sink_; }
    /// Sends a frame; null for the end, which has this time. Throws Error with the filter's name and libavfilter's
    /// message.
    void send(const FramePtr& frame, std::int64_t end);
    /// The next frame, or null when more input is needed or all are out.
    FramePtr receive();
    /// Whether no more frames come, whatever is sent: the input has ended, or the graph itself.
    [[nodiscard]] bool ended() const { return ended_; }

private:
    [[noreturn]] void fail(int result, const ThreadComplaints& complaints) const;

    FilterGraphPtr graph_;
    AVFilterContext& source_;
    AVFilterContext& sink_;
    GraphKind kind_;
    std::string text_;
    bool ended_ = false;
    bool tells_results_ = false;
};

}  // namespace vfilter
