#include "pipeline/report/stats.h"

namespace vfilter {

std::string name_of(StageId id, std::size_t number) {
    const std::string name(name_of(id));
    const std::string of = id == StageId::sound ? " " : " of video ";
    return number == 0 ? name : name + of + std::to_string(number + 1);
}

std::string_view Stats::bound() const {
    std::string_view name = stage_names.front();
    double longest = stages.front().seconds(Activity::working);
    const auto look = [&](std::string_view other, const StageStats& stage) {
        if (const double seconds = stage.seconds(Activity::working); seconds > longest) {
            name = other;
            longest = seconds;
        }
    };
    for (std::size_t i = 1; i < stages.size(); ++i) {
        look(stage_names[i], stages[i]);
    }
    for (const StepStats& step : steps) {
        if (step.video == 0) {
            look(step.name, step.stage);
        }
    }
    return name;
}

std::int64_t Stats::added() const {
    std::int64_t sum = 0;
    for (const StepStats& step : steps) {
        sum += step.graph.empty() ? 0 : step.stage.items() - step.taken.load(std::memory_order_relaxed);
    }
    return sum;
}

std::int64_t Stats::items(StageId id) const {
    std::int64_t sum = (*this)[id].items();
    for (const auto& video : others) {
        sum += video[static_cast<std::size_t>(id)].items();
    }
    return sum;
}

}  // namespace vfilter
