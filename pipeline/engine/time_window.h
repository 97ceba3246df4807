#pragma once
// The pictures that a step with a window in time reads.

#include <cstdint>
#include <deque>
#include <vector>

#include "kernels/arithmetic/temporal.h"
#include "pipeline/frame.h"

namespace vfilter {

/// Pictures go in, in order, and come out together with those of their windows. One thread uses it. It keeps at most
/// the pictures of one window and those that have not come out.
class TimeWindow {
public:
    explicit TimeWindow(TimeReach reach) : reach_(reach) {}

    void add(Frame frame);
    /// No more pictures will be added: the last ones do not wait for others.
    void end() { ended_ = true; }
    /// Whether there is a picture whose window is complete.
    [[nodiscard]] bool ready() const;

    struct Windowed {
        Frame frame;
        std::vector<const AVFrame*> neighbours;  ///< all but the picture itself; valid until the next call
    };
    /// The next picture. Only if ready().
    Windowed next();

private:
    TimeReach reach_;
    std::deque<FramePtr> pictures_;  // from number first_ on
    std::deque<Frame> waiting_;      // the last ones, whose results are still to be computed
    std::int64_t first_ = 0;
    std::int64_t count_ = 0;  // added so far
    bool ended_ = false;
};

}  // namespace vfilter
