#include "pipeline/stats.h"

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

}  // namespace vfilter
