#include "pipeline/stages/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace vfilter {

namespace {

StepStats& add_step(StageRun& run, const VideoRoute& route, std::string_view kind, int number, std::string graph) {
    StepStats& step = run.stats.steps.emplace_back();
    step.name = fmt::format("{} {}{}", kind, number, route.number > 0 ? fmt::format(" {}", route.number) : "");
    step.graph = std::move(graph);
    step.video = route.number;
    step.lane = run.trace != nullptr && route.number == 0 ? run.trace->lane(step.name) : 0;
    return step;
}

}  // namespace

Chain::Chain(StageRun& run, VideoRoute& route, std::vector<SegmentParts> segments, FilterOutputs outputs,
             std::optional<double> max_latency)
    : route_(route), by_segment_(segments.size(), nullptr) {
    Channel<Frame>* from = &route.decoded;
    const bool keeps_originals = segments.size() > 1 && outputs.window != nullptr;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        SegmentParts& segment = segments[i];
        if (segment.graph != nullptr) {
            StepStats& step = add_step(run, route, "vf", static_cast<int>(i), segment.graph->text());
            Link& link = links_.emplace_back(step, *from);
            segment.place.keeps_originals = keeps_originals;
            Channel<Frame>& to = add_channel(run.live);
            link.graph.emplace(run, route, step, *segment.graph, segment.place, *from, to);
            from = &to;
        }
        // Pictures that are too late are left out before anything is done with them.
        const bool first = i == 0;
        const std::optional<double> latency = first ? max_latency : std::nullopt;
        if (i + 1 == segments.size()) {
            last_from_ = from;
            last_.emplace(run, route, std::move(segment.engine), segment.verifier, outputs, latency,
                          FilterPlace{.from = *from});
            by_segment_[i] = &*last_;
        } else if (segment.filters || latency) {
            StepStats& step = add_step(run, route, "filter", static_cast<int>(i) + 1, "");
            Link& link = links_.emplace_back(step, *from);
            Channel<Frame>& to = add_channel(run.live);
            link.filter.emplace(
                run, route, std::move(segment.engine), segment.verifier, FilterOutputs{}, latency,
                FilterPlace{.from = *from, .to = &to, .step = &step, .keeps_originals = keeps_originals});
            by_segment_[i] = &*link.filter;
            from = &to;
        }
    }
}

Channel<Frame>& Chain::add_channel(bool live) {
    return between_.emplace_back(live ? 1 : frames_ahead);
}

std::vector<Chain::Part> Chain::parts() {
    std::vector<Part> parts;
    auto to = between_.begin();
    for (Link& link : links_) {
        const auto run = [&link] { link.filter ? link.filter->run() : link.graph->run(); };
        const auto end = [&link, &output = *to] {
            link.from->cancel();
            output.close();
        };
        parts.push_back({link.step, run, end});
        ++to;
    }
    parts.push_back({nullptr, [this] { last_->run(); }, [this] { last_from_->cancel(); }});
    return parts;
}

void Chain::cancel() {
    for (Channel<Frame>& channel : between_) {
        channel.cancel();
    }
}

void Chain::replace_engine(std::size_t segment, std::unique_ptr<FilterEngine> engine) {
    by_segment_.at(segment)->replace_engine(std::move(engine));
}

std::vector<StepCount> Chain::step_counts() const {
    std::vector<StepCount> counts;
    for (const FilterStage* const stage : by_segment_) {
        if (stage != nullptr) {
            std::ranges::move(stage->engine().step_counts(), std::back_inserter(counts));
        }
    }
    return counts;
}

const FilterEngine& Chain::engine() const {
    return (*std::ranges::find_if(by_segment_, [](const FilterStage* stage) { return stage != nullptr; }))->engine();
}

}  // namespace vfilter
