#pragma once
// Times of pictures for a container whose ticks are longer than the input's.

#include <cstdint>

#include "io/handles.h"

namespace vfilter {

/// Keeps the times of pictures at least one tick of the container's clock apart, as otherwise two would have the same
/// time there; none is moved by more than one tick. Ticks of more than 2 ms are meant for frame rates, and then nothing
/// is changed. One thread.
class CoarseClock {
public:
    CoarseClock() = default;  ///< as fine as the times
    /// For times in `time_base`.
    CoarseClock(AVRational tick, AVRational time_base);

    /// Takes strictly increasing times of consecutive pictures and returns times that are far enough apart.
    [[nodiscard]] std::int64_t apart(std::int64_t pts);

private:
    std::int64_t tick_ = 1;  // at least as long as one of the container's
    std::int64_t last_ = AV_NOPTS_VALUE;
};

}  // namespace vfilter
