#pragma once
// The times of decoded pictures, whatever decodes them.

#include <cstdint>
#include <string>

#include "io/handles.h"

namespace vfilter {

/// Sets the times of one video's pictures, in display order. One thread.
class DecodedTimes {
public:
    /// `told_from`, microseconds, is subtracted from the places that are told.
    DecodedTimes(AVRational time_base, AVRational frame_rate, std::int64_t told_from = 0);

    /// Sets pts, in the time base: libavcodec's best guess or, if it has none, the end of the previous picture. They
    /// increase strictly, by at least a millisecond if time stands still or goes back.
    void date(AVFrame& picture);
    /// For the last picture, for messages: "near 1.234 s".
    [[nodiscard]] std::string place() const;

private:
    void cover_both_fields(AVFrame& picture) const;

    AVRational time_base_;
    double told_from_;  // seconds
    std::int64_t usual_duration_;
    std::int64_t last_pts_ = AV_NOPTS_VALUE;
    std::int64_t last_duration_ = 0;
};

}  // namespace vfilter
