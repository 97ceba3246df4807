#pragma once
// The stages between decoder and encoder of one video: the filter stage and, with --vf, a thread for each graph and for
// the filters between graphs.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/stages/filter_stage.h"
#include "pipeline/stages/foreign_stage.h"

namespace vfilter {

/// Filters of a chain that run one after another, and the graph before them.
struct SegmentParts {
    FilterGraph* graph;  ///< null in the first segment, and only there
    ForeignPlace place;  ///< of the graph
    std::unique_ptr<FilterEngine> engine;
    bool filters;        ///< whether the engine has anything to do
    Verifier* verifier;  ///< or null
};

/// Its parts are created and destroyed with it; each part's run() is for one thread.
class Chain {
public:
    /// A stage, its statistics, and what to do when it has ended: its input is no longer wanted, and its output has
    /// ended. `step` is null for the last one, which is the filter stage.
    struct Part {
        StepStats* step;
        std::function<void()> run;
        std::function<void()> end;
    };

    /// Everything referred to must outlive the chain.
    Chain(StageRun& run, VideoRoute& route, std::vector<SegmentParts> segments, FilterOutputs outputs,
          std::optional<double> max_latency);

    /// In the order of the chain; the last one is the filter stage.
    [[nodiscard]] std::vector<Part> parts();
    /// Cancels everything between the parts. Thread-safe.
    void cancel();
    /// Thread-safe; see FilterStage. `segment` must have filters.
    void replace_engine(std::size_t segment, std::unique_ptr<FilterEngine> engine);
    /// For each filter of all segments, in their order. After the threads have ended.
    [[nodiscard]] std::vector<StepCount> step_counts() const;
    /// Of the first segment that has filters, or else of the last. After the threads have ended.
    [[nodiscard]] const FilterEngine& engine() const;

private:
    // A part before the last.
    struct Link {
        Link(StepStats& its_step, Channel<Frame>& its_input) : step(&its_step), from(&its_input) {}

        StepStats* step;
        Channel<Frame>* from;
        std::optional<FilterStage> filter;
        std::optional<ForeignStage> graph;
    };

    Channel<Frame>& add_channel(bool live);

    VideoRoute& route_;
    std::deque<Channel<Frame>> between_;  // the output of each link
    std::deque<Link> links_;
    std::optional<FilterStage> last_;
    Channel<Frame>* last_from_ = nullptr;
    std::vector<FilterStage*> by_segment_;  // null if a segment has no stage
};

}  // namespace vfilter
