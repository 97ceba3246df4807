#pragma once
// Clocks that jump: a recorder that restarted, two files joined together.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/input/evidence/packet_account.h"
#include "io/input/packet_source.h"

namespace vfilter {

/// Makes time continue from where the streams were before the jump. Jumps forward are considered part of the input, and
/// stay, unless the input itself names places where its clock restarts; the first one of a minute or more is reported.
/// Of a live input it is known how much time has passed: what is more than that is a jump as well, and not a hole.
class ClockJumps final : public PacketLayer {
public:
    using WallClock = std::chrono::steady_clock;

    /// `asked`, for an input that delivers as things happen: when it began to be opened. Whatever it has sent since
    /// then was not sent faster than time passed. `account`, which must outlive this, says how places are told.
    ClockJumps(std::unique_ptr<PacketSource> inner, const PacketAccount& account,
               std::optional<WallClock::time_point> asked = std::nullopt)
        : PacketLayer(std::move(inner)), account_(account), asked_(asked) {}

    /// Whether the clocks of this container may jump (MPEG-TS and the like); others number their packets themselves,
    /// but FLV has the times of its sender if that `sends_live`.
    static bool occur_in(const AVFormatContext& format, bool sends_live = false);

    int read(AVPacket& packet) override;
    int seek(int stream, std::int64_t latest, int flags) override;

private:
    struct Clock {
        std::int64_t due = AV_NOPTS_VALUE;     // when the stream's next packet is due, microseconds
        std::size_t jump = 0;                  // the last jump that the stream has passed
        std::int64_t before = AV_NOPTS_VALUE;  // when the packet that jumped back was due, if it was the last one
    };

    [[nodiscard]] std::int64_t latest_due() const;
    void jump(const AVPacket& packet, std::int64_t by);
    [[nodiscard]] bool was_stray(const Clock& clock, std::int64_t dts) const;
    void tell_hole(std::int64_t from, std::int64_t step);
    void go_on(Clock& clock, const AVPacket& packet, std::int64_t dts);
    [[nodiscard]] std::int64_t lead(std::int64_t time) const;
    [[nodiscard]] std::int64_t excess(std::int64_t dts, std::int64_t step) const;
    void note_lead(std::int64_t time);

    const PacketAccount& account_;
    std::optional<WallClock::time_point> asked_;
    std::int64_t first_time_ = AV_NOPTS_VALUE;  // of the first packet, microseconds
    // By how much the input's clock has been ahead of this machine's at most, both from their beginning, microseconds.
    std::int64_t longest_lead_ = 0;

    std::int64_t longest_step_ = 0;  // forward, of the stream that is farthest ahead, microseconds
    std::int64_t forward_ = 0;       // jumps
    bool told_hole_ = false;
    std::int64_t holes_ = 0;                   // of the input, up to the last step
    std::vector<Clock> clocks_;                // by stream
    std::vector<std::int64_t> offsets_ = {0};  // what to add after each jump, microseconds
};

}  // namespace vfilter
