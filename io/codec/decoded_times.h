#pragma once
// The times of decoded pictures, whoever decodes them.

#include <cstdint>
#include <string>

#include "io/handles.h"

namespace vfilter {

/// Gives one video's pictures their times, in the order in which they are shown. One thread.
class DecodedTimes {
public:
    DecodedTimes(AVRational time_base, AVRational frame_rate);

    /// Sets pts, in the time base: the best guess of libavcodec, or, where it has none, the end of the picture before;
    /// strictly rising, by a millisecond at least where time stands still or goes back.
    void date(AVFrame& picture);
    /// Of the last picture, for messages: "near 1.234 s".
    [[nodiscard]] std::string place() const;

private:
    void cover_both_fields(AVFrame& picture) const;

    AVRational time_base_;
    std::int64_t usual_duration_;
    std::int64_t last_pts_ = AV_NOPTS_VALUE;
    std::int64_t last_duration_ = 0;
};

}  // namespace vfilter
