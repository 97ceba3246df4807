#pragma once
// Copied streams of a live input that came back with other parameters.

#include <set>

#include "io/damage.h"
#include "io/handles.h"

namespace vfilter {

/// For one output's copied streams: their headers are written, and cannot be changed.
class ChangedCopies {
public:
    /// Whether a packet of `from` cannot be read behind the header of its stream. If so, counts it in `left_out`, and,
    /// once for a stream, warns and notes where that begins, counted from `told_from`, seconds.
    bool leaves_out(const AVPacket& packet, const AVStream& from, double told_from, Damage& left_out);

private:
    std::set<int> told_;
};

}  // namespace vfilter
