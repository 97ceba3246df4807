#pragma once
// What is built around the filters of a user's graph, and how frames go through it.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "config/lavfi/filter.h"
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
    /// When all is linked: filters that make whole pictures of fields, and hand on that these are interlaced, get one
    /// behind them that says what they are.
    void add_scans();
    /// And then: those whose result depends on whether somebody else holds a picture get one of their own, or give one.
    void add_copies();
    /// And then.
    void configure();

private:
    /// Filters of which one of the facts is true.
    [[nodiscard]] std::vector<AVFilterContext*> all_of(lavfi::Facts facts) const;
    void check(int result) const;

    const FilterLibrary& library_ = filter_library();
    AVFilterGraph& graph_;
    GraphKind kind_;
    const std::string& text_;
    ThreadComplaints complaints_;
};

/// Frames into a graph that is set up, and out of it. One thread.
class GraphFlow {
public:
    /// `source` and `sink` are the graph's.
    GraphFlow(FilterGraphPtr graph, AVFilterContext& source, AVFilterContext& sink, GraphKind kind, std::string text)
        : graph_(std::move(graph)), source_(source), sink_(sink), kind_(kind), text_(std::move(text)) {}
    ~GraphFlow();
    GraphFlow(const GraphFlow&) = delete;
    GraphFlow& operator=(const GraphFlow&) = delete;

    /// It is the run's own, and no trial: what its filters measure is told.
    void tell_results() { tells_results_ = true; }
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const AVFilterGraph& graph() const { return *graph_; }
    [[nodiscard]] const AVFilterContext& sink() const { return sink_; }
    /// Gives a frame; null for the end, which has this time. Throws Error with the filter's name and libavfilter's
    /// words.
    void send(const FramePtr& frame, std::int64_t end);
    /// The next one, or null when more is needed or all are out.
    FramePtr receive();
    /// Whether no more comes, whatever is sent: the input has ended, or the graph itself.
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
