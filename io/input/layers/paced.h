#pragma once
// A file at its own pace, as a camera would deliver it.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "io/input/packet_source.h"

namespace vfilter {

/// Returns a packet of the video no earlier than its decoding time, so that pictures are ready when they are to be
/// displayed. Time counts from the first packet after restart(); it restarts when timestamps jump back, or forward by
/// more than 2 s. Packets of other streams are returned at once, as is what is available when it is interrupted.
class Paced final : public PacketLayer {
public:
    /// `rate`, pictures per second, is used if the video has no timestamps.
    Paced(std::unique_ptr<PacketSource> inner, int video, AVRational rate, const std::function<bool()>& interrupted);

    int read(AVPacket& packet) override;
    void restart() { pace_ = origin_; }
    /// From the next restart() on, time counts from when a packet arrived, given with its decoding time in
    /// microseconds; `first` is the decoding time of the packet that then comes first.
    void begin_at(std::chrono::steady_clock::time_point came, std::int64_t time, std::int64_t first) {
        origin_ = Pace{came, time, first};
    }

private:
    using Clock = std::chrono::steady_clock;
    struct Pace {
        Clock::time_point begin;
        std::int64_t first = 0;  // microseconds
        std::int64_t last = 0;
    };

    int video_;
    std::int64_t frame_;  // microseconds
    const std::function<bool()>& interrupted_;
    std::optional<Pace> origin_;
    std::optional<Pace> pace_;
};

}  // namespace vfilter
