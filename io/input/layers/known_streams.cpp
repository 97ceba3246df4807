#include "io/input/layers/known_streams.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "config/io_options.h"
#include "io/demuxers.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// What has one name in the tables of a transport stream (ISO 13818-1, 2.4.4.8), and another one once its headers are
// read; a decoder of one takes all.
constexpr AVCodecID families[][3] = {
    {AV_CODEC_ID_MP1, AV_CODEC_ID_MP2, AV_CODEC_ID_MP3},
    {AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_MPEG2VIDEO},
    {AV_CODEC_ID_AC3, AV_CODEC_ID_EAC3, AV_CODEC_ID_EAC3},
};

bool is_same_family(AVCodecID a, AVCodecID b) {
    return a == b || std::ranges::any_of(families, [&](const auto& family) {
               return std::ranges::find(family, a) != std::end(family) &&
                      std::ranges::find(family, b) != std::end(family);
           });
}

// What each frame of sound begins with, in 16 bits: ISO 11172-3, 2.4.2.3; ISO 13818-7, 6.2; ETSI TS 102 366, 4.4.1.
struct SoundMark {
    AVCodecID codec;
    unsigned mask;
    unsigned bits;
};
constexpr SoundMark sound_marks[] = {
    {AV_CODEC_ID_MP1, 0xffe6, 0xffe6}, {AV_CODEC_ID_MP2, 0xffe6, 0xffe4}, {AV_CODEC_ID_MP3, 0xffe6, 0xffe2},
    {AV_CODEC_ID_AAC, 0xfff6, 0xfff0}, {AV_CODEC_ID_AC3, 0xffff, 0x0b77},
};
// Of no codec a frame is as large: it is what was found between two marks.
constexpr int no_frame_bytes = 1 << 16;

// AV_CODEC_ID_NONE where it begins with no mark.
AVCodecID marked_codec(const AVPacket& packet) {
    const unsigned begin = packet.size < 2 ? 0 : unsigned{packet.data[0]} << 8U | packet.data[1];
    const auto* const found =
        std::ranges::find_if(sound_marks, [&](const SoundMark& mark) { return (begin & mark.mask) == mark.bits; });
    return found == std::end(sound_marks) ? AV_CODEC_ID_NONE : found->codec;
}

bool has_mark(AVCodecID codec) {
    return std::ranges::any_of(sound_marks, [&](const SoundMark& mark) { return is_same_family(mark.codec, codec); });
}

}  // namespace

bool lacks_parameters(const AVCodecParameters& codec) {
    return codec.codec_id != AV_CODEC_ID_NONE &&
           ((codec.codec_type == AVMEDIA_TYPE_AUDIO && codec.sample_rate <= 0) ||
            (codec.codec_type == AVMEDIA_TYPE_VIDEO && (codec.width <= 0 || codec.height <= 0)));
}

KnownStreams::KnownStreams(std::unique_ptr<PacketSource> inner, const std::vector<int>& filtered,
                           std::shared_ptr<StreamWatch> watch)
    : KnownStreams(std::move(inner), filtered, std::move(watch), nullptr, nullptr) {}

KnownStreams::KnownStreams(std::unique_ptr<PacketSource> inner, const std::vector<int>& filtered,
                           std::shared_ptr<StreamWatch> watch, std::shared_ptr<StreamPlaces> places,
                           const PacketAccount* account)
    : PacketLayer(std::move(inner)),
      filtered_(filtered),
      watch_(std::move(watch)),
      places_(std::move(places)),
      account_(account),
      transport_(is_transport_stream(*PacketLayer::format().iformat)) {
    for (unsigned i = 0; i < PacketLayer::format().nb_streams; ++i) {
        know(*PacketLayer::format().streams[i]);
    }
}

// A stream that is there when the input is opened, or that was there when it was opened first.
void KnownStreams::know(const AVStream& stream) {
    const int place = places_ ? places_->of(stream) : stream.index;
    const AVCodecParameters& codec =
        places_ && place >= 0 ? *places_->before().streams[place]->codecpar : *stream.codecpar;
    const bool decoded = std::ranges::find(filtered_, place) != filtered_.end();
    known_.push_back({stream.codecpar->codec_id, place >= 0 && (decoded || !lacks_parameters(codec))});
}

// FFmpeg cuts what comes under a number of a transport stream (PID) by the codec that was there first, whatever the
// tables say later. What begins with no mark at all may be its own, and damaged: it is left out only behind what is
// surely another's.
bool KnownStreams::is_of_another_codec(const AVPacket& packet) {
    const AVCodecID codec = known_[static_cast<std::size_t>(packet.stream_index)].codec;
    if (!transport_ || !has_mark(codec)) {
        return false;
    }
    const AVCodecID marked = marked_codec(packet);
    const bool own = is_same_family(marked, codec) && packet.size < no_frame_bytes;
    const bool others = marked != AV_CODEC_ID_NONE || packet.size >= no_frame_bytes;
    if (!own && others) {
        changed_.insert(packet.stream_index);
    } else if (own) {
        changed_.erase(packet.stream_index);
    }
    return changed_.contains(packet.stream_index);
}

bool KnownStreams::is_known(const AVPacket& packet) {
    const auto index = static_cast<std::size_t>(packet.stream_index);
    while (places_ && places_->opened_again() && index >= known_.size()) {
        know(*format().streams[known_.size()]);
    }
    const AVCodecParameters& now = *format().streams[packet.stream_index]->codecpar;
    return index < known_.size() && known_[index].complete && is_same_family(known_[index].codec, now.codec_id) &&
           !is_of_another_codec(packet);
}

// The clock of a live input began anywhere, and anew with each opening.
std::string KnownStreams::begin_of(const AVPacket& packet) const {
    if (const auto place = account_ != nullptr ? account_->output_place() : std::nullopt) {
        return fmt::format("{:.3f} s", *place);
    }
    const std::int64_t time = presentation_time(packet);
    if (time == AV_NOPTS_VALUE) {
        return "a place without a time";
    }
    const std::int64_t since =
        microseconds(time, format().streams[packet.stream_index]->time_base) - first_.value_or(0);
    return fmt::format("{:.3f} s", seconds_of(since));
}

void KnownStreams::tell(const AVPacket& packet) {
    const AVStream& stream = *format().streams[packet.stream_index];
    const int place = places_ ? places_->of(stream) : stream.index;
    const auto index = static_cast<std::size_t>(packet.stream_index);
    const bool complete = index < known_.size() && known_[index].complete;
    constexpr unsigned told_kinds = kind::video | kind::audio | kind::subtitles;
    if ((kind_of(stream) & told_kinds) == 0 || !watch_->wants(stream)) {
        return;
    }
    Damage loss;
    loss.leave_out();
    if (told_.insert(packet.stream_index).second) {
        loss.note(what_is_left_out(packet, place, complete));
    }
    // What was not known when the output was made has no place in it for that reason alone.
    watch_->add(complete ? place : -1, loss);
}

std::string KnownStreams::what_is_left_out(const AVPacket& packet, int place, bool complete) const {
    const auto index = static_cast<std::size_t>(packet.stream_index);
    const std::string from = begin_of(packet);
    const AVCodecID now = format().streams[packet.stream_index]->codecpar->codec_id;
    const bool other = complete && known_[index].codec != AV_CODEC_ID_NONE;
    if (places_ && place < 0 && places_->opened_again()) {
        return fmt::format("stream {} ({}) is left out: it was not there before the input was lost",
                           packet.stream_index, avcodec_get_name(now));
    }
    return other
               ? fmt::format("stream {}: from {} on it is no {} any more: what is of another codec is left out",
                             packet.stream_index, from, avcodec_get_name(known_[index].codec))
               : fmt::format("stream {} ({}) is left out: it begins only at {}, after the search for streams had ended",
                             packet.stream_index, avcodec_get_name(now), from);
}

int KnownStreams::read(AVPacket& packet) {
    for (;;) {
        const int got = inner().read(packet);
        if (const std::int64_t time = got < 0 ? AV_NOPTS_VALUE : presentation_time(packet);
            places_ && !first_ && time != AV_NOPTS_VALUE) {
            first_ = microseconds(time, format().streams[packet.stream_index]->time_base);
        }
        if (got < 0 || is_known(packet)) {
            return got;
        }
        tell(packet);
        av_packet_unref(&packet);
    }
}

int KnownStreams::seek(int stream, std::int64_t latest, int flags) {
    told_.clear();
    changed_.clear();
    watch_->forget();
    return PacketLayer::seek(stream, latest, flags);
}

Damage KnownStreams::take_damage() {
    Damage damage = PacketLayer::take_damage();
    damage += watch_->take();
    return damage;
}

}  // namespace vfilter
