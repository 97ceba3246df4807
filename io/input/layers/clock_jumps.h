#pragma once
// Clocks that jump back: a recorder that restarted, two files joined together.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/input/packet_source.h"

namespace vfilter {

/// Makes time continue from where the streams were before the jump. Jumps forward are considered part of the input, and
/// stay, unless the input itself names places where its clock restarts; the first one of a minute or more is reported.
class ClockJumps final : public PacketLayer {
public:
    using PacketLayer::PacketLayer;

    /// Whether the clocks of this container may jump (MPEG-TS and the like); others number their packets themselves.
    static bool occur_in(const AVFormatContext& format) { return (format.iformat->flags & AVFMT_TS_DISCONT) != 0; }

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

    std::int64_t longest_step_ = 0;  // forward, of the stream that is farthest ahead, microseconds
    std::int64_t forward_ = 0;       // jumps
    bool told_hole_ = false;
    std::int64_t holes_ = 0;                   // of the input, up to the last step
    std::vector<Clock> clocks_;                // by stream
    std::vector<std::int64_t> offsets_ = {0};  // what to add after each jump, microseconds
};

}  // namespace vfilter
