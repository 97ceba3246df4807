#include "io/codec/packet_history.h"

#include <algorithm>

namespace vfilter {

void PacketHistory::add(const AVPacket& packet) {
    Entry entry{.number = end(), .packet = packets_.next(packet), .begins = random_access_.begins_at(packet)};
    if (entry.begins || entry.number == 0) {
        entry.start = with_front(*entry.packet, packets_.front());
    }
    entry.extradata = extradata_;
    std::size_t size = 0;
    if (const std::uint8_t* const data = av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size)) {
        extradata_ = std::make_shared<const std::vector<std::uint8_t>>(data, data + size);
    }
    bytes_ += static_cast<std::size_t>(packet.size);
    entries_.push_back(std::move(entry));
}

void PacketHistory::forget_before(std::int64_t number) {
    number = std::min(number, place());
    while (first_ < number) {
        bytes_ -= static_cast<std::size_t>(entries_.front().packet->size);
        entries_.pop_front();
        ++first_;
        --place_;
    }
}

}  // namespace vfilter
