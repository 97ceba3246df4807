#pragma once
// Times of pictures of a constant rate that the input's clock could only round.

#include <cstdint>
#include <optional>

#include "io/handles.h"

namespace vfilter {

/// A picture that lies on the grid of the rate, as near as the input's ticks can say, is at its place on the grid,
/// which is half a tick away at most; every other one keeps its time. Each is looked at by itself.
class EvenTimes {
public:
    /// Of a stream of the input or of a chain whose pictures are encoded at `rate`, of which `first` is the first, in
    /// the stream's clock. `begins`: the output begins with it, wherever it was. Empty where the clock is fine, or no
    /// rate is stated.
    static std::optional<EvenTimes> of(const AVStream& stream, AVRational rate, std::int64_t first, bool begins);
    /// For a container that takes any: a clock that has the ticks of the stream's and those of the rate, or the
    /// stream's own.
    static AVRational clock_for(const AVStream& stream, AVRational rate);

    /// Moves the packet from the stream's clock to `clock`.
    void move(AVPacket& packet, AVRational clock) const;

private:
    EvenTimes(AVRational tick, AVRational picture, std::int64_t first, bool begins);
    [[nodiscard]] bool is_even(std::int64_t time) const;
    [[nodiscard]] std::int64_t at(std::int64_t time, AVRational clock) const;

    AVRational tick_, picture_;
    std::int64_t origin_;                // where pictures are counted from
    std::optional<std::int64_t> begin_;  // what keeps its time while the others follow it
};

}  // namespace vfilter
