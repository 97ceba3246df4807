#pragma once
// Gaps of seconds in a video's times. If a clock was set, all streams are affected; if the sound continues in the
// meantime, pictures are missing.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "io/input/packet_source.h"

namespace vfilter {

/// From this number of microseconds on a gap may be due to a clock that was set.
inline constexpr std::int64_t min_set_clock = 10 * std::int64_t{AV_TIME_BASE};

/// Marks the first packet of a video after such a gap: see is_behind_hole.
class LoneHoles final : public PacketLayer {
public:
    LoneHoles(std::unique_ptr<PacketSource> inner, std::span<const int> videos)
        : PacketLayer(std::move(inner)), videos_(videos.begin(), videos.end()) {}

    int read(AVPacket& packet) override;
    int seek(int stream, std::int64_t latest, int flags) override;

private:
    struct Span {
        std::int64_t from;
        std::int64_t to;
    };
    // A stream; in microseconds.
    struct Clock {
        std::int64_t first = AV_NOPTS_VALUE;
        std::int64_t last = AV_NOPTS_VALUE;
        std::deque<Span> steps{};  // the latest long ones
    };
    [[nodiscard]] bool goes_on(std::size_t stream, Span hole) const;

    std::vector<int> videos_;
    std::vector<Clock> clocks_{};  // by stream
};

/// Whether the packet was marked.
bool is_behind_hole(const AVPacket& packet);

}  // namespace vfilter
