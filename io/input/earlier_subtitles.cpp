#include "io/input/earlier_subtitles.h"

#include <algorithm>
#include <utility>

#include "io/input/layers/clock_jumps.h"
#include "io/input/packet_times.h"

namespace vfilter {

namespace {

constexpr std::int64_t longest = 10 * std::int64_t{AV_TIME_BASE};

// By which one that is put before the others is known, however often it is read and put back.
char put_before = 0;

bool is_subtitle(const AVStream& stream) {
    return stream.codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE;
}

bool is_picture(const AVStream& stream) {
    const AVCodecDescriptor* const facts = avcodec_descriptor_get(stream.codecpar->codec_id);
    return facts != nullptr && (facts->props & AV_CODEC_PROP_BITMAP_SUB) != 0;
}

}  // namespace

void EarlierSubtitles::find(PacketSource& source, const AVFormatContext& format, std::int64_t first,
                            std::int64_t wanted, const std::function<bool()>& interrupted) {
    const bool any = std::any_of(format.streams, format.streams + format.nb_streams,
                                 [](const AVStream* stream) { return is_subtitle(*stream); });
    if (!any || ClockJumps::occur_in(format) || source.seek(-1, std::max(wanted - longest, first), 0) < 0) {
        return;
    }
    for (PacketPtr packet = make_packet(); !interrupted() && source.read(*packet) >= 0; packet = make_packet()) {
        const AVStream& stream = *format.streams[packet->stream_index];
        const std::int64_t time = decoding_time(*packet);
        const std::int64_t begin =
            time == AV_NOPTS_VALUE ? wanted : av_rescale_q(time, stream.time_base, microseconds_base);
        if (!is_subtitle(stream)) {
            if (begin > wanted) {
                break;
            }
            continue;
        }
        const bool endless = packet->duration == 0 && is_picture(stream);
        if (endless) {
            std::erase_if(found_, [&](const PacketPtr& other) { return other->stream_index == packet->stream_index; });
        }
        const std::int64_t end = begin + av_rescale_q(packet->duration, stream.time_base, microseconds_base);
        if (begin < wanted && (endless || end > wanted)) {
            packet->opaque = &put_before;
            found_.push_back(std::move(packet));
        }
    }
}

std::deque<PacketPtr> EarlierSubtitles::take() {
    for (const PacketPtr& packet : found_) {
        keys_.emplace(packet->stream_index, presentation_time(*packet));
    }
    return std::exchange(found_, {});
}

bool EarlierSubtitles::repeats(const AVPacket& packet) const {
    return packet.opaque != &put_before && !keys_.empty() &&
           keys_.contains({packet.stream_index, presentation_time(packet)});
}

}  // namespace vfilter
