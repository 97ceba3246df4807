#include "io/output/animation_plays.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "io/containers.h"

namespace vfilter {

void set_plays(const Demuxer& input, const AVOutputFormat& container, Dictionary& settings) {
    constexpr std::int64_t most = 65535;
    const Container& row = container_of(container);
    if (row.plays == nullptr) {
        return;
    }
    const std::optional<std::int64_t> plays = input.plays();
    const std::int64_t times = std::min(plays.value_or(0), most);
    const std::int64_t again = times == 0 ? 0 : times == 1 ? -1 : times - 1;
    if (plays || row.has(fact::plays_once)) {
        settings.set(row.plays, std::to_string(row.has(fact::plays_again) ? again : times));
    }
}

}  // namespace vfilter
