#include "io/input/layers/backlog.h"

#include <algorithm>
#include <cstddef>

#include "io/packet_times.h"

namespace vfilter {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds waited{20};         // for a packet: it was not there yet
constexpr milliseconds time_to_tell{600};  // over which times are held against the clock
constexpr double live_speed = 1.5;         // of a sender at most
// A pipe holds less, and what was read to know the streams not much more.
constexpr std::chrono::seconds max_look{3};
constexpr std::int64_t max_bytes = 8 << 20;
constexpr std::size_t max_held = 5000;

}  // namespace

std::int64_t Backlog::time_of(const AVPacket& packet) const {
    const std::int64_t time = decoding_time(packet);
    return time == AV_NOPTS_VALUE ? time : microseconds(time, format().streams[video_]->time_base);
}

void Backlog::look() {
    const Clock::time_point begin = Clock::now();
    std::int64_t bytes = 0;
    std::optional<Edge> slow;  // since then the sender may be a live one
    while (bytes < max_bytes && held_.size() < max_held && Clock::now() - begin < max_look) {
        const Clock::time_point asked = Clock::now();
        PacketPtr packet = make_packet();
        end_ = inner().read(*packet);
        if (end_ < 0) {
            return;
        }
        bytes += packet->size;
        held_.push_back(std::move(packet));
        if (held_.back()->stream_index != video_) {
            continue;
        }
        const Edge now{Clock::now(), time_of(*held_.back())};
        if (now.time == AV_NOPTS_VALUE) {
            timeless_ = true;
            return;
        }
        if (slow && now.came - slow->came >= time_to_tell) {
            const std::chrono::duration<double, std::micro> passed = now.came - slow->came;
            if (static_cast<double>(now.time - slow->time) <= live_speed * passed.count()) {
                edge_ = now;
                return;
            }
            slow.reset();
        }
        if (!slow && now.came - asked >= waited) {
            slow = now;
        }
    }
}

// What is newer was not there yet when the pipe was empty.
void Backlog::skip() {
    const std::int64_t late = edge_->time - std::chrono::microseconds(time_to_tell).count();
    const auto begins = [&](const PacketPtr& packet) {
        return packet->stream_index == video_ && (packet->flags & AV_PKT_FLAG_KEY) != 0 && time_of(*packet) <= late;
    };
    const auto found = std::find_if(held_.rbegin(), held_.rend(), begins);
    if (found == held_.rend()) {
        return;
    }
    const auto first = std::prev(found.base());
    skipped_ =
        std::count_if(held_.begin(), first, [this](const PacketPtr& packet) { return packet->stream_index == video_; });
    held_.erase(held_.begin(), first);
}

int Backlog::read(AVPacket& packet) {
    if (!looked_) {
        looked_ = true;
        look();
        if (edge_) {
            skip();
        }
    }
    if (!held_.empty()) {
        av_packet_move_ref(&packet, held_.front().get());
        held_.pop_front();
        return 0;
    }
    return end_ < 0 ? end_ : inner().read(packet);
}

}  // namespace vfilter
