#include "io/input/layers/clock_jumps.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "io/input/packet_times.h"

namespace vfilter {

namespace {

constexpr std::int64_t min_jump = AV_TIME_BASE / 10;

}  // namespace

int ClockJumps::seek(int stream, std::int64_t latest, int flags) {
    clocks_.clear();
    offsets_ = {0};
    return PacketLayer::seek(stream, latest, flags);
}

// Each stream meets the jump at a place of its own; the first one to do so says by how much all are moved.
int ClockJumps::read(AVPacket& packet) {
    const int got = inner().read(packet);
    if (got < 0) {
        return got;
    }
    clocks_.resize(std::max<std::size_t>(clocks_.size(), format().nb_streams));
    Clock& clock = clocks_[static_cast<std::size_t>(packet.stream_index)];
    const AVRational base = format().streams[packet.stream_index]->time_base;
    if (packet.dts != AV_NOPTS_VALUE) {
        const std::int64_t dts = av_rescale_q(packet.dts, base, microseconds_base) + offsets_[clock.jump];
        if (clock.due != AV_NOPTS_VALUE && dts < clock.due - min_jump && ++clock.jump == offsets_.size()) {
            const auto latest = std::ranges::max_element(clocks_, {}, &Clock::due);
            offsets_.push_back(offsets_.back() + latest->due - dts);
            spdlog::debug("stream {}: the clock jumps by {:.3f} s", packet.stream_index,
                          static_cast<double>(dts - clock.due) / AV_TIME_BASE);
        }
    }
    move_times(packet, av_rescale_q(offsets_[clock.jump], microseconds_base, base));
    if (packet.dts != AV_NOPTS_VALUE) {
        clock.due = av_rescale_q(packet.dts + packet.duration, base, microseconds_base);
    }
    return got;
}

}  // namespace vfilter
