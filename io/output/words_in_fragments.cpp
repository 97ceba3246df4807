#include "io/output/words_in_fragments.h"

#include <algorithm>
#include <cstdint>

namespace vfilter {

namespace {

constexpr AVRational finest_clock{1, 1000000};

}  // namespace

void set_clock_in_fragments(AVStream& to) {
    if (to.codecpar->codec_id == AV_CODEC_ID_MOV_TEXT) {
        to.time_base = finest_clock;
    }
}

PacketPtr cut_end(AVPacket& packet, const AVStream& stream) {
    const std::int64_t moment = std::max<std::int64_t>(1, av_rescale_q(1, AVRational{1, 1000}, stream.time_base));
    if (stream.codecpar->codec_id != AV_CODEC_ID_MOV_TEXT || packet.duration < 2 * moment) {
        return nullptr;
    }
    constexpr int empty_size = 2;  // the length of the text
    PacketPtr end = make_packet();
    av_check(av_new_packet(end.get(), empty_size), "av_new_packet");
    std::fill_n(end->data, empty_size, std::uint8_t{0});
    packet.duration -= moment;
    end->pts = end->dts = packet.pts + packet.duration;
    end->duration = moment;
    return end;
}

}  // namespace vfilter
