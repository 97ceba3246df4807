#pragma once
// What a live sender had sent into a pipe before anybody read it.

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "io/input/packet_source.h"

namespace vfilter {

/// Reads ahead, at first, until packets of the stream `video` arrive at the times that they state, and drops what was
/// late by then, up to a key frame. A sender that is not live is never that slow: from such a sender nothing is
/// dropped.
class Backlog final : public PacketLayer {
public:
    using Clock = std::chrono::steady_clock;
    /// When a packet that had just been sent arrived, and its decoding time in microseconds.
    struct Edge {
        Clock::time_point came;
        std::int64_t time;
    };

    /// `timeless`: whatever times the packets have are not the sender's, so that nothing is dropped.
    Backlog(std::unique_ptr<PacketSource> inner, int video, bool timeless = false)
        : PacketLayer(std::move(inner)), video_(video), looked_(timeless), timeless_(timeless) {}

    int read(AVPacket& packet) override;
    /// After the first read(); empty if the sender does not keep time.
    [[nodiscard]] const std::optional<Edge>& edge() const { return edge_; }
    /// After the first read(): whether packets of the video have no times from which to determine what was late.
    [[nodiscard]] bool timeless() const { return timeless_; }
    /// Packets of the video that were dropped.
    [[nodiscard]] std::int64_t skipped() const { return skipped_; }

private:
    void look();
    void skip();
    [[nodiscard]] std::int64_t time_of(const AVPacket& packet) const;

    int video_;
    bool looked_;
    std::deque<PacketPtr> held_;
    int end_ = 0;  // the error with which reading has ended in the meantime
    std::optional<Edge> edge_;
    bool timeless_;
    std::int64_t skipped_ = 0;
};

}  // namespace vfilter
