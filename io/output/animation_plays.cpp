#include "io/output/animation_plays.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vfilter {

void set_plays(const Demuxer& input, const AVOutputFormat& container, Dictionary& settings) {
    constexpr std::int64_t most = 65535;
    const std::string_view name = container.name;
    if (name != "gif" && name != "apng" && name != "webp") {
        return;
    }
    const std::optional<std::int64_t> plays = input.plays();
    const std::int64_t times = std::min(plays.value_or(0), most);
    if (name == "gif" && plays) {
        // It says how often it is played again, if at all.
        settings.set("loop", std::to_string(times == 0 ? 0 : times == 1 ? -1 : times - 1));
    } else if (name == "apng" && plays) {
        settings.set("plays", std::to_string(times));
    } else if (name == "webp") {
        settings.set("loop", std::to_string(times));
    }
}

}  // namespace vfilter
