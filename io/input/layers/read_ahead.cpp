#include "io/input/layers/read_ahead.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vfilter {

int ReadAhead::read(AVPacket& packet) {
    if (waiting_.empty()) {
        return inner().read(packet);
    }
    av_packet_move_ref(&packet, waiting_.front().get());
    waiting_.pop_front();
    return 0;
}

int ReadAhead::seek(int stream, std::int64_t latest, int flags) {
    waiting_.clear();
    return PacketLayer::seek(stream, latest, flags);
}

void ReadAhead::put_back(std::deque<PacketPtr> packets) {
    waiting_.insert(waiting_.begin(), std::make_move_iterator(packets.begin()), std::make_move_iterator(packets.end()));
}

const AVPacket* ReadAhead::peek(int stream) const {
    const auto found =
        std::ranges::find(waiting_, stream, [](const PacketPtr& packet) { return packet->stream_index; });
    return found == waiting_.end() ? nullptr : found->get();
}

}  // namespace vfilter
