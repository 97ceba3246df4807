#pragma once
// What a live sender had sent into a pipe before anybody read it.

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

#include "io/input/packet_source.h"

namespace vfilter {

/// Reads on, at first, until packets of the stream `video` come as their times say, and leaves out what was late then,
/// up to a key frame. A sender that is no live one is never so slow: of that nothing is left out.
class Backlog final : public PacketLayer {
public:
    using Clock = std::chrono::steady_clock;
    /// When a packet came that had just been sent, and its decoding time in microseconds.
    struct Edge {
        Clock::time_point came;
        std::int64_t time;
    };

    Backlog(std::unique_ptr<PacketSource> inner, int video) : PacketLayer(std::move(inner)), video_(video) {}

    int read(AVPacket& packet) override;
    /// After the first read(); empty where the sender is none that keeps time.
    [[nodiscard]] const std::optional<Edge>& edge() const { return edge_; }
    /// After the first read(): whether packets of the video have no times to tell by what was late.
    [[nodiscard]] bool timeless() const { return timeless_; }
    /// Packets of the video that were left out.
    [[nodiscard]] std::int64_t skipped() const { return skipped_; }

private:
    void look();
    void skip();
    [[nodiscard]] std::int64_t time_of(const AVPacket& packet) const;

    int video_;
    bool looked_ = false;
    std::deque<PacketPtr> held_;
    int end_ = 0;  // the error with which reading ended meanwhile
    std::optional<Edge> edge_;
    bool timeless_ = false;
    std::int64_t skipped_ = 0;
};

}  // namespace vfilter
