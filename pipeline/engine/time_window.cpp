#include "pipeline/engine/time_window.h"

#include <new>
#include <utility>

namespace vfilter {

void TimeWindow::add(Frame frame) {
    pictures_.emplace_back(av_frame_clone(frame.picture.get()));
    if (!pictures_.back()) {
        throw std::bad_alloc();
    }
    waiting_.push_back(std::move(frame));
    ++count_;
}

bool TimeWindow::ready() const {
    return std::ssize(waiting_) > (ended_ ? 0 : reach_.after);
}

TimeWindow::Windowed TimeWindow::next() {
    const std::int64_t middle = count_ - std::ssize(waiting_);
    for (; first_ < middle - reach_.before; ++first_) {
        pictures_.pop_front();
    }
    Windowed made{std::move(waiting_.front()), {}};
    waiting_.pop_front();
    for_each_neighbour(middle, reach_, count_, [&](std::int64_t seen) {
        made.neighbours.push_back(pictures_[static_cast<std::size_t>(seen - first_)].get());
    });
    return made;
}

}  // namespace vfilter
