#pragma once
// Which streams of an input that was opened again are which of those it had before.

#include <map>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// Maps the current streams to the earlier ones of the same type and codec: to those that are most like them by
/// language, role (disposition), number (PID) and parameters, otherwise in their order.
class StreamPlaces {
public:
    /// `before`, whose first `count` streams can come back, must outlive it, and may be `now` itself, in which case
    /// they are the same. Streams that appear in `now` only later can be earlier ones, too, if it was `opened_again`.
    StreamPlaces(const AVFormatContext& before, unsigned count, const AVFormatContext& now, bool opened_again);

    /// The earlier number of a current stream, -1 if there was none.
    int of(const AVStream& stream);
    /// Whether an earlier stream is present.
    [[nodiscard]] bool has(int stream) const { return now_of(stream) >= 0; }
    /// The current number of an earlier stream, -1 if it is not present.
    [[nodiscard]] int now_of(int stream) const;
    [[nodiscard]] const AVFormatContext& before() const { return before_; }
    /// The number of earlier streams that can come back.
    [[nodiscard]] unsigned count() const { return count_; }
    [[nodiscard]] bool opened_again() const { return opened_again_; }

private:
    void find(const std::vector<const AVStream*>& streams);

    const AVFormatContext& before_;
    unsigned count_;
    bool opened_again_;
    std::map<int, int> places_;  // by current stream
};

}  // namespace vfilter
