#include "pipeline/report/stats.h"

namespace vfilter {

StageId Stats::bound() const {
    std::size_t longest = 0;
    for (std::size_t i = 1; i < stages.size(); ++i) {
        if (stages[i].seconds(Activity::working) > stages[longest].seconds(Activity::working)) {
            longest = i;
        }
    }
    return static_cast<StageId>(longest);
}

std::int64_t Stats::items(StageId id) const {
    std::int64_t sum = (*this)[id].items();
    for (const auto& video : others) {
        sum += video[static_cast<std::size_t>(id)].items();
    }
    return sum;
}

}  // namespace vfilter
