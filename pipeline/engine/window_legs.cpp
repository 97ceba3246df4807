#include "pipeline/engine/window_legs.h"

#include <algorithm>

namespace vfilter {

WindowLegs::WindowLegs(const std::vector<TimeReach>& windows) {
    for (const TimeReach& window : windows) {
        legs_.push_back({window});
        delay_ += static_cast<std::size_t>(window.after);
        memory_ = std::max(memory_, window.before);
    }
}

void WindowLegs::add() {
    ++legs_.front().come;
}

std::optional<WindowLegs::Turn> WindowLegs::next() {
    // At the end a leg's last pictures come from the legs before it, which are through by then.
    for (std::size_t i = 0; i < legs_.size(); ++i) {
        Leg& leg = legs_[i];
        if (leg.come - leg.gone <= (ended_ ? 0 : leg.window.after)) {
            continue;
        }
        Turn turn{i, leg.gone++, {}};
        for_each_neighbour(turn.picture, leg.window, leg.come,
                           [&](std::int64_t picture) { turn.neighbours.push_back(picture); });
        if (i + 1 < legs_.size()) {
            ++legs_[i + 1].come;
        }
        return turn;
    }
    return std::nullopt;
}

}  // namespace vfilter
