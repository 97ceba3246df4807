#include "io/input/layers/same_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "config/io_options.h"
#include "io/bitstream/nal.h"
#include "io/changed_parameters.h"
#include "io/compat.h"
#include "io/copied_stream.h"
#include "io/input/layers/known_streams.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

DescriptionPtr describe_input(const AVFormatContext& input) {
    DescriptionPtr description = make_description();
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
    AVStream& copy = add_copied_stream(stream, description);
    copy.start_time = stream.start_time;
    copy_side_data(stream, copy);
}

SameStreams::SameStreams(std::unique_ptr<PacketSource> inner, std::shared_ptr<StreamPlaces> places,
                         std::shared_ptr<StreamWatch> watch)
    : PacketLayer(std::move(inner)),
      places_(std::move(places)),
      watch_(std::move(watch)),
      watching_(places_->opened_again()) {}

int SameStreams::read(AVPacket& packet) {
    for (;;) {
        const int got = inner().read(packet);
        if (got < 0) {
            if (watching_ && latest_) {
                tell_missing();
            }
            return got;
        }
        const AVStream& stream = *PacketLayer::format().streams[packet.stream_index];
        if (const int place = places_->of(stream); place >= 0) {
            packet.stream_index = place;
            // As it is now: a demuxer may change the clock of a stream on the way.
            av_packet_rescale_ts(&packet, stream.time_base, places_->before().streams[place]->time_base);
            if (places_->opened_again()) {
                tell_change(packet, *stream.codecpar);
            }
            watch(packet);
            return got;
        }
        av_packet_unref(&packet);
    }
}

// Each packet tells it, and each key frame has the header: who is busy may drop the first ones.
void SameStreams::tell_change(AVPacket& packet, const AVCodecParameters& now) {
    const auto [found, first] = changes_.try_emplace(packet.stream_index);
    Change& change = found->second;
    if (first && have_changed(*places_->before().streams[packet.stream_index]->codecpar, now)) {
        change.parameters = share_parameters(now);
    }
    if (!change.parameters) {
        return;
    }
    std::size_t size = 0;
    if (av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, &size) != nullptr) {
        change.hands_header = false;
    }
    const AVCodecParameters& told = *reinterpret_cast<const AVCodecParameters*>(change.parameters->data);
    const std::span header(told.extradata, static_cast<std::size_t>(std::max(0, told.extradata_size)));
    if (change.hands_header && (packet.flags & AV_PKT_FLAG_KEY) != 0 && !header.empty()) {
        if (now.codec_id == AV_CODEC_ID_MPEG4) {
            // Its decoder reads headers from the stream alone once it has begun.
            PacketPtr whole = with_front(packet, header);
            av_packet_unref(&packet);
            av_packet_move_ref(&packet, whole.get());
        } else if (now.codec_id == AV_CODEC_ID_H264 || now.codec_id == AV_CODEC_ID_HEVC) {
            std::uint8_t* const room = av_packet_new_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, header.size());
            if (room == nullptr) {
                throw std::bad_alloc();
            }
            std::ranges::copy(header, room);
        }
    }
    attach_parameters(packet, change.parameters);
}

// Sound may begin somewhat later than the pictures do.
void SameStreams::watch(const AVPacket& packet) {
    constexpr std::int64_t patience = 3 * std::int64_t{AV_TIME_BASE};
    if (missing_.erase(packet.stream_index) > 0) {
        tell(packet.stream_index, "gives something again");
    }
    const std::int64_t time = decoding_time(packet);
    if (!watching_ || time == AV_NOPTS_VALUE) {
        return;
    }
    seen_.insert(packet.stream_index);
    const AVRational clock = places_->before().streams[packet.stream_index]->time_base;
    latest_ = microseconds(time, clock);
    first_ = first_.value_or(*latest_);
    if (*latest_ - *first_ > patience) {
        tell_missing();
    }
}

// Words and data may be silent for long.
bool SameStreams::is_missed(unsigned stream) const {
    const AVStream& of = *places_->before().streams[stream];
    const int place = static_cast<int>(stream);
    return (kind_of(of) & (kind::audio | kind::video)) != 0 && watch_->wants(of) && !lacks_parameters(*of.codecpar) &&
           !seen_.contains(place);
}

void SameStreams::tell_missing() {
    watching_ = false;
    for (unsigned i = 0; i < places_->count(); ++i) {
        if (!is_missed(i)) {
            continue;
        }
        const int place = static_cast<int>(i);
        missing_.insert(place);
        Damage loss;
        loss.fall_silent();
        tell(place, "gives nothing since the input came back", loss);
    }
}

void SameStreams::tell(int stream, std::string_view what, Damage loss) {
    loss.note(fmt::format("stream {} ({}) {}", stream,
                          avcodec_get_name(places_->before().streams[stream]->codecpar->codec_id), what));
    watch_->add(stream, loss);
}

}  // namespace vfilter
