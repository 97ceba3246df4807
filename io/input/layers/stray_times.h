#pragma once
// A few packets of a file with wrong times, while those after them continue where those before left off.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "io/input/packet_source.h"

namespace vfilter {

/// If packets of sound, and of pictures in a transport stream, have a decoding time that is far from when they are due,
/// and does not match those that follow, gives them the time at which they are due; that counts as damage. Otherwise,
/// one such time would be a step of the clock (ClockJumps), or move all later packets (OutputTimes). Several packets
/// may share one time: a transport stream has one for all that is in a PES packet (ISO 13818-1, 2.4.3.7). If others
/// follow in the new time, it stays unchanged.
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
    std::vector<std::int64_t> due_;       // by stream, when its next packet is due, microseconds
    std::vector<std::int64_t> unsteady_;  // by stream, how far from their due times the latest came, microseconds
    std::deque<PacketPtr> ahead_;         // read already
    int end_ = 0;                         // the error after them
    Damage damage_;
};

}  // namespace vfilter
