#pragma once
// In which order a chain's steps work where some of them look at pictures before and after.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/arithmetic/temporal.h"

namespace vfilter {

/// A step with time, and those after it up to the next one with time, are a leg. A picture goes through it once all of
/// the step's window has come there. Pictures are told by number, counted from 0. One thread uses it.
class WindowLegs {
public:
    /// `windows` of the steps with time, in turn.
    explicit WindowLegs(const std::vector<TimeReach>& windows);

    /// One more picture has come to the first leg.
    void add();
    /// No more will come.
    void end() { ended_ = true; }

    struct Turn {
        std::size_t leg = 0;
        std::int64_t picture = 0;
        std::vector<std::int64_t> neighbours;  ///< its window, but for itself, from the first on
    };
    /// What can be done now, and is from here on taken to be done; nothing if pictures have to come before.
    std::optional<Turn> next();

    /// Pictures that have to follow one before it has gone through all legs.
    [[nodiscard]] std::size_t delay() const { return delay_; }
    /// Pictures after one that look at it, at most.
    [[nodiscard]] int longest_memory() const { return memory_; }
    /// A picture may be forgotten, at the earliest, when so many others have been added after it.
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
