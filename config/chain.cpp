#include "config/chain.h"

namespace vfilter {

std::vector<ChainSegment> segments_of(const std::vector<FilterSpec>& filters, const std::vector<ForeignStep>& foreign) {
    std::vector<ChainSegment> segments(1);
    std::size_t next = 0;
    const auto take_up_to = [&](std::size_t place) {
        for (; next < filters.size() && next < place; ++next) {
            segments.back().filters.push_back(filters[next]);
        }
    };
    for (const ForeignStep& step : foreign) {
        take_up_to(step.place);
        segments.push_back({step.graph, {}});
    }
    take_up_to(filters.size());
    return segments;
}

}  // namespace vfilter
