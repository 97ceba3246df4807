#include "io/input/layers/from_key_frame.h"

namespace vfilter {

namespace {

constexpr int max_skipped = 600;

}  // namespace

int FromKeyFrame::read(AVPacket& packet) {
    for (;;) {
        const int got = inner().read(packet);
        if (got < 0 || found_) {
            return got;
        }
        found_ = packet.stream_index == video_ && ((packet.flags & AV_PKT_FLAG_KEY) != 0 || ++skipped_ > max_skipped);
        if (found_) {
            return got;
        }
        av_packet_unref(&packet);
    }
}

}  // namespace vfilter
