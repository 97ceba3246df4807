#pragma once
// Times of pictures for a container that counts in longer ticks than the input.

#include <cstdint>

#include "io/handles.h"

namespace vfilter {

/// Keeps the times of pictures a tick of the container's clock apart, or two would have the same time there; none is
/// moved by more than that. Ticks of more than 2 ms are for rates of pictures, and change nothing. One thread.
class CoarseClock {
public:
    CoarseClock() = default;  ///< as fine as the times
    /// Of times in `time_base`.
    CoarseClock(AVRational tick, AVRational time_base);

    /// Strictly rising times of pictures in turn become times that are apart.
    [[nodiscard]] std::int64_t apart(std::int64_t pts);

private:
    std::int64_t tick_ = 1;  // at least as long as one of the container's
    std::int64_t last_ = AV_NOPTS_VALUE;
};

}  // namespace vfilter
