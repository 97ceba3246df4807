#include "io/output/adts_headers.h"

#include <string_view>

#include "io/containers.h"
#include "io/output/stream_headers.h"

namespace vfilter {

bool has_one_sound_header(const AVOutputFormat& container) {
    const std::string_view name = container.name;
    return is_quicktime(container) || is_block_container(container) || name == "flv" || name == "rtsp";
}

void AdtsHeaders::add(int stream, const AVStream& to) {
    removers_.emplace(stream, make_adts_remover(to));
}

// A header has profile, rate and channels (ISO 13818-7, 6.2).
bool AdtsHeaders::is_of_another_format(const AVPacket& packet, const AVStream& from, const AVOutputFormat& container) {
    constexpr int header_bytes = 7;
    if (!has_one_sound_header(container) || from.codecpar->codec_id != AV_CODEC_ID_AAC || packet.size < header_bytes ||
        packet.data[0] != 0xff || (packet.data[1] & 0xf0) != 0xf0) {
        return false;
    }
    const unsigned own = (packet.data[2] & 0xfdU) << 2 | packet.data[3] >> 6U;
    return formats_.try_emplace(from.index, own).first->second != own;
}

int AdtsHeaders::strip(AVPacket& packet, int stream, const AVCodecParameters& codec) {
    const auto remover = removers_.find(stream);
    if (remover == removers_.end() || !remover->second) {
        return 0;
    }
    const int sent = av_bsf_send_packet(remover->second.get(), &packet);
    const int bared = sent < 0 ? sent : av_bsf_receive_packet(remover->second.get(), &packet);
    if (bared >= 0 && codec.extradata_size > 0) {
        drop_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA);  // in the header already, and not with the same length
    }
    return bared;
}

}  // namespace vfilter
