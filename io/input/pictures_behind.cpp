#include "io/input/pictures_behind.h"

#include <spdlog/spdlog.h>

namespace vfilter {

bool PicturesBehind::take(AVPacket& packet) {
    if (overlooked_->size <= 0) {
        return false;
    }
    av_packet_move_ref(&packet, overlooked_.get());
    later_by_ += packet.duration;
    return true;
}

void PicturesBehind::delay(AVPacket& packet) const {
    if (later_by_ > 0) {
        packet.pts = packet.pts == AV_NOPTS_VALUE ? packet.pts : packet.pts + later_by_;
        packet.dts = packet.dts == AV_NOPTS_VALUE ? packet.dts : packet.dts + later_by_;
    }
}

bool PicturesBehind::is_picture(AVPacket& packet) {
    const JpegParts::Judgement judged = parts_.judge(Bytes(packet.data, static_cast<std::size_t>(packet.size)));
    if (judged.movie && std::exchange(tells_movies_, false)) {
        spdlog::warn("{}: the video behind the picture (motion photo) is left out", name_);
    }
    if (judged.preview && std::exchange(tells_previews_, false)) {
        spdlog::warn("{}: previews, gain maps or the like behind the picture are left out", name_);
    }
    if (const int size = static_cast<int>(judged.size); size < packet.size) {
        av_check(av_packet_ref(overlooked_.get(), &packet), "av_packet_ref");
        // With what was added to the packets behind it, it gets that itself when it is read.
        overlooked_->pts = packet.pts == AV_NOPTS_VALUE ? packet.pts : packet.pts - later_by_;
        overlooked_->dts = packet.dts == AV_NOPTS_VALUE ? packet.dts : packet.dts - later_by_;
        overlooked_->data += size;
        overlooked_->size -= size;
        packet.size = size;
    }
    return judged.picture;
}

void PicturesBehind::go_to(std::int64_t place) {
    av_packet_unref(overlooked_.get());
    later_by_ = 0;
    parts_.go_to(place);
}

}  // namespace vfilter
