#include "io/input/layers/same_streams.h"

#include <algorithm>
#include <new>

#include "io/compat.h"

namespace vfilter {

DescriptionPtr describe_input(const AVFormatContext& input) {
    DescriptionPtr description(avformat_alloc_context());
    if (!description) {
        throw std::bad_alloc();
    }
    description->iformat = input.iformat;
    description->start_time = input.start_time;
    description->duration = input.duration;
    av_dict_copy(&description->metadata, input.metadata, 0);
    for (unsigned i = 0; i < input.nb_streams; ++i) {
        describe_stream(*input.streams[i], *description);
    }
    return description;
}

void describe_stream(const AVStream& stream, AVFormatContext& description) {
    AVStream* const copy = avformat_new_stream(&description, nullptr);
    if (copy == nullptr) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_copy(copy->codecpar, stream.codecpar), "avcodec_parameters_copy");
    copy->id = stream.id;
    copy->time_base = stream.time_base;
    copy->start_time = stream.start_time;
    copy->disposition = stream.disposition;
    copy->avg_frame_rate = stream.avg_frame_rate;
    copy->r_frame_rate = stream.r_frame_rate;
    copy->sample_aspect_ratio = stream.sample_aspect_ratio;
    av_dict_copy(&copy->metadata, stream.metadata, 0);
    copy_side_data(stream, *copy);
}

SameStreams::SameStreams(std::unique_ptr<PacketSource> inner, const AVFormatContext& before)
    : PacketLayer(std::move(inner)), before_(before) {
    const AVFormatContext& now = PacketLayer::format();
    for (unsigned i = 0; i < now.nb_streams; ++i) {
        const AVCodecParameters& codec = *now.streams[i]->codecpar;
        int place = -1;
        for (int old = 0; old < static_cast<int>(before_.nb_streams) && place < 0; ++old) {
            const AVCodecParameters& known = *before_.streams[old]->codecpar;
            if (known.codec_type == codec.codec_type && known.codec_id == codec.codec_id && !has(old)) {
                place = old;
            }
        }
        places_.push_back(place);
    }
}

bool SameStreams::has(int stream) const {
    return std::ranges::find(places_, stream) != places_.end();
}

int SameStreams::read(AVPacket& packet) {
    for (;;) {
        const int got = inner().read(packet);
        if (got < 0) {
            return got;
        }
        const auto index = static_cast<std::size_t>(packet.stream_index);
        if (index < places_.size() && places_[index] >= 0) {
            // As it is now: a demuxer may change the clock of a stream on the way.
            const AVRational clock = PacketLayer::format().streams[index]->time_base;
            packet.stream_index = places_[index];
            av_packet_rescale_ts(&packet, clock, before_.streams[packet.stream_index]->time_base);
            return got;
        }
        av_packet_unref(&packet);
    }
}

}  // namespace vfilter
