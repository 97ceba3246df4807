#pragma once
// Times that a few packets of a file have for themselves, while those behind them go on as those before did.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "io/input/packet_source.h"

namespace vfilter {

/// Gives packets of sound, and of pictures in a transport stream, whose decoding time is far from where they are due,
/// and not that of those that follow, the time that is due; that is damage. Left alone, one such time would be a step
/// of the clock (ClockJumps), or move all packets behind it (OutputTimes). What has one time may be several packets: a
/// transport stream tells one for all that is in a PES packet (ISO 13818-1, 2.4.3.7). Where others follow in the new
/// time it is left as it is.
class StrayTimes final : public PacketLayer {
public:
    /// With `strict` the first one throws Error(damaged).
    StrayTimes(std::unique_ptr<PacketSource> inner, bool strict) : PacketLayer(std::move(inner)), strict_(strict) {}

    int read(AVPacket& packet) override;
    int seek(int stream, std::int64_t latest, int flags) override;
    Damage take_damage() override;

private:
    [[nodiscard]] std::int64_t time_of(const AVPacket& packet) const;
    [[nodiscard]] std::int64_t end_of(const AVPacket& packet) const;
    [[nodiscard]] bool is_far(const AVPacket& packet) const;
    [[nodiscard]] std::int64_t far_back_of(int stream) const;
    void note_steadiness(const AVPacket& packet);
    [[nodiscard]] const AVPacket* ahead(std::size_t place);
    [[nodiscard]] std::size_t find_stray(const AVPacket& first);
    void mend(AVPacket& first, std::size_t behind);

    bool strict_;
    std::vector<std::int64_t> due_;       // by stream, when its next packet is, microseconds
    std::vector<std::int64_t> unsteady_;  // by stream, how far from where they were due the latest came, microseconds
    std::deque<PacketPtr> ahead_;         // read already
    int end_ = 0;                         // the error behind them
    Damage damage_;
};

}  // namespace vfilter
