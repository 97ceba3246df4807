#include "io/output/open_words.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace vfilter {

std::vector<PacketPtr> OpenWords::add(PacketPtr packet, int stream) {
    std::vector<PacketPtr> whole;
    if (const auto open = open_.find(stream); open != open_.end()) {
        open->second->duration = std::max<std::int64_t>(av_sat_sub64(packet->pts, open->second->pts), 0);
        whole.push_back(std::move(open->second));
        open_.erase(open);
    }
    if (packet->duration > 0 || packet->pts == AV_NOPTS_VALUE) {
        whole.push_back(std::move(packet));
    } else {
        open_[stream] = std::move(packet);
    }
    return whole;
}

std::map<int, PacketPtr> OpenWords::finish() {
    return std::exchange(open_, {});
}

}  // namespace vfilter
