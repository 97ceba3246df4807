#pragma once
// Live inputs that are lost and come back.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "config/io_options.h"
#include "io/input/packet_source.h"
#include "io/retries.h"

namespace vfilter {

/// Why an input was lost, according to the error from reading it.
std::string why_lost(int error, const InputOptions& options);

/// An input that came back as something with which the run cannot go on: why() is a phrase about it.
class CameBackOtherwise {
public:
    explicit CameBackOtherwise(std::string why) : why_(std::move(why)) {}
    [[nodiscard]] const std::string& why() const { return why_; }

private:
    std::string why_;
};

/// Opens a lost input again, as often as InputOptions::reconnect says since the last packet, after pauses of 0.5 to 5
/// s. After a loss, time continues by as much as has passed in the meantime; in the input's own clock if that has
/// continued, too.
class Reconnecting final : public PacketSource {
public:
    /// Opens the input again, with the same streams. Throws CameBackOtherwise if it came back with others for good, and
    /// Error if it may still come back.
    using Open = std::function<std::unique_ptr<PacketSource>()>;

    /// `description`, which format() returns while the input is closed and opened again, `options` and `interrupted`
    /// must outlive it.
    Reconnecting(std::unique_ptr<PacketSource> first, Open open, const AVFormatContext& description,
                 const InputOptions& options, const std::function<bool()>& interrupted);

    [[nodiscard]] const AVFormatContext& format() const override { return description_; }
    int read(AVPacket& packet) override;
    /// Live inputs cannot seek.
    int seek(int /*stream*/, std::int64_t /*latest*/, int /*flags*/) override { return AVERROR(ENOSYS); }
    [[nodiscard]] const Complaints* complaints() const override { return inner_ ? inner_->complaints() : nullptr; }
    /// An input that never ends properly makes no promises.
    const ContainerScan* scan() override { return nullptr; }

    /// How often the input came back. Any thread.
    [[nodiscard]] int reconnects() const { return reconnects_.load(std::memory_order_relaxed); }

    /// Whether it was lost and has not come back, so far.
    [[nodiscard]] bool away() const { return lost_.has_value(); }

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool reopen(int error);
    void came_back(Clock::time_point now);
    void bridge_loss(AVPacket& packet);
    void place_untimed(AVPacket& packet, Clock::time_point now);
    [[nodiscard]] std::int64_t passed_since_loss(Clock::time_point now) const;

    std::unique_ptr<PacketSource> inner_;  // null while it is closed, and once it is lost for good
    Open open_;
    const AVFormatContext& description_;
    const InputOptions& options_;
    const std::function<bool()>& interrupted_;
    std::atomic<int> reconnects_{0};
    Retries retries_;                        // failures are losses and failed openings since the last packet
    Clock::time_point heard_;                // when the last packet came
    std::optional<Clock::time_point> lost_;  // the same, until a packet with a time comes after a loss
    bool away_ = false;                      // no packet has come since the loss
    std::set<int> timed_;                    // streams that have had a time since they came back
    std::int64_t offset_ = 0;                // to be added after the last loss, microseconds
    std::int64_t latest_ = AV_NOPTS_VALUE;   // time of the latest packet returned, microseconds
    std::int64_t end_ = AV_NOPTS_VALUE;      // where it ends
};

}  // namespace vfilter
