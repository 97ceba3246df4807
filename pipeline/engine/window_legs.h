#pragma once
// The order in which a chain's steps run if some of them read pictures before and after.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/arithmetic/temporal.h"

namespace vfilter {

/// A step with a window in time, and the steps after it up to the next such step, are a leg. A picture passes through
/// it once the whole window of the step has arrived there. Pictures are identified by number, counted from 0. One
/// thread uses it.
class WindowLegs {
public:
    /// `windows` are those of the steps with a window in time, in order.
    explicit WindowLegs(const std::vector<TimeReach>& windows);

    /// One more picture has arrived at the first leg.
    void add();
    /// No more will come.
    void end() { ended_ = true; }

    struct Turn {
        std::size_t leg = 0;
        std::int64_t picture = 0;
        std::vector<std::int64_t> neighbours;  ///< its window, except itself, in ascending order
    };
    /// What can be done now, and is considered done from here on; nothing if more pictures have to arrive first.
    std::optional<Turn> next();

    /// Number of pictures that have to follow one before it has passed through all legs.
    [[nodiscard]] std::size_t delay() const { return delay_; }
    /// The largest number of pictures after a picture that still read it.
    [[nodiscard]] int longest_memory() const { return memory_; }
    /// A picture may be forgotten, at the earliest, once that many others have been added after it.
    [[nodiscard]] std::size_t pictures_kept() const { return delay_ + static_cast<std::size_t>(memory_); }

private:
    struct Leg {
        TimeReach window;
        std::int64_t come = 0;
        std::int64_t gone = 0;
    };

    std::vector<Leg> legs_;
    std::size_t delay_ = 0;
    int memory_ = 0;
    bool ended_ = false;
};

}  // namespace vfilter
