#pragma once
// Packets that were read ahead and put back.

#include <deque>

#include "io/input/packet_source.h"

namespace vfilter {

class ReadAhead final : public PacketLayer {
public:
    using PacketLayer::PacketLayer;

    /// Returns what was put back, then new packets.
    int read(AVPacket& packet) override;
    /// Discards what was put back.
    int seek(int stream, std::int64_t latest, int flags) override;

    /// Puts packets back, to be read again in the same order.
    void put_back(std::deque<PacketPtr> packets);
    /// Whether the next packet is a new one.
    [[nodiscard]] bool empty() const { return waiting_.empty(); }
    /// The next packet of a stream among those that were put back, or null.
    [[nodiscard]] const AVPacket* peek(int stream) const;
    /// Whether a stream's packets among them have a pts: the first one, and more than three quarters of the others.
    [[nodiscard]] bool timed(int stream) const;

private:
    std::deque<PacketPtr> waiting_;
};

}  // namespace vfilter
