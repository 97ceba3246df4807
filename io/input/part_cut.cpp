#include "io/input/part_cut.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// As PartCut::interleaving, of pictures and sound whose own end nobody knows.
constexpr std::int64_t farthest = 60 * std::int64_t{AV_TIME_BASE};

bool is_truehd(AVCodecID codec) {
    return codec == AV_CODEC_ID_TRUEHD || codec == AV_CODEC_ID_MLP;
}

// Whether decoders can begin with a packet: of TrueHD and MLP it is one in some dozens, with a mark behind its length
// and time.
bool is_entry(const AVPacket& packet, AVCodecID codec) {
    constexpr int end = 8;
    return is_truehd(codec) ? packet.size >= end && packet.data[4] == 0xF8 && packet.data[5] == 0x72 &&
                                  packet.data[6] == 0x6F && (packet.data[7] == 0xBA || packet.data[7] == 0xBB)
                            : (packet.flags & AV_PKT_FLAG_KEY) != 0;
}

// By an edit list, which may go back in the media behind it: its time says nothing of those that follow.
bool is_hidden(const AVPacket& packet) {
    return (packet.flags & AV_PKT_FLAG_DISCARD) != 0;
}

}  // namespace

PartCut::PartCut(const Demuxer& demuxer, std::function<bool(int)> is_used)
    : demuxer_(demuxer), part_(demuxer.part()), is_used_(std::move(is_used)) {}

std::optional<PartCut::Span> PartCut::span_of(const AVPacket& packet) const {
    const std::int64_t time = decoding_time(packet);
    if (time == AV_NOPTS_VALUE) {
        return std::nullopt;
    }
    const AVRational base = stream_of(packet.stream_index).time_base;
    return Span{microseconds(time, base), microseconds(av_sat_add64(time, packet.duration), base)};
}

// Every stream of pictures or sound has passed the end, which may lie apart (fragments, a file in a pipe). Where a
// number of frames is asked for, the end is an estimate: only the decoder knows when it has them.
bool PartCut::is_over(const AVPacket& packet, const std::optional<Span>& span, bool pictures_wanted) {
    if (!part_.exact_end || !span || is_hidden(packet)) {
        return false;
    }
    const int stream = packet.stream_index;
    latest_.resize(std::max<std::size_t>(latest_.size(), demuxer_.format().nb_streams), INT64_MIN);
    std::int64_t& latest = latest_[static_cast<std::size_t>(stream)];
    latest = std::max(latest, span->end);
    const bool past =
        span->begin >= *part_.exact_end + interleaving &&
        (all_passed() || (is_steady(stream) && span->begin >= *part_.exact_end + farthest && !any_promised()));
    is_past_ = is_past_ || past;
    return past && !(part_.max_frames && pictures_wanted);
}

// Of pictures or sound, and used.
bool PartCut::is_steady(int stream) const {
    const AVMediaType type = stream_of(stream).codecpar->codec_type;
    return (type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO) && !is_attached_picture(stream_of(stream)) &&
           is_used_(stream);
}

// Whether a stream has more before the end by its own duration.
bool PartCut::is_promised(int stream) const {
    constexpr std::int64_t tolerance = AV_TIME_BASE / 2;
    const AVStream& of = stream_of(stream);
    if (of.duration == AV_NOPTS_VALUE || of.duration <= 0) {
        return false;
    }
    const std::int64_t begin = of.start_time == AV_NOPTS_VALUE ? 0 : of.start_time;
    const std::int64_t own = microseconds(av_sat_add64(begin, of.duration), of.time_base);
    return std::max(latest_[static_cast<std::size_t>(stream)], part_.start.value_or(INT64_MIN)) <
           std::min(own - tolerance, *part_.exact_end);
}

bool PartCut::any_promised() const {
    bool any = false;
    for (int i = 0; i < static_cast<int>(latest_.size()); ++i) {
        any = any || (is_steady(i) && is_promised(i));
    }
    return any;
}

bool PartCut::all_passed() const {
    bool all = true;
    for (int i = 0; i < static_cast<int>(latest_.size()); ++i) {
        const bool known = stream_of(i).duration > 0;
        all = all &&
              (!is_steady(i) || latest_[static_cast<std::size_t>(i)] >= *part_.exact_end || (known && !is_promised(i)));
    }
    return all;
}

// A picture is never shown before it is decoded: with dts past the end, so are all that follow.
bool PartCut::is_behind_pictures(const AVPacket& packet, const std::optional<Span>& span) const {
    return part_.picture_end && !is_hidden(packet) && packet.dts != AV_NOPTS_VALUE && span->begin >= *part_.picture_end;
}

// Codecs of sound lean on what was before.
bool PartCut::takes_sound(int stream, const std::optional<Span>& span) const {
    constexpr std::int64_t lead = AV_TIME_BASE / 2;
    const auto begin = demuxer_.begin_of(stream);
    const bool before = begin && span && span->end + lead <= *begin;
    const bool after = part_.exact_end && span && span->begin >= *part_.exact_end + lead;
    return !before && !after;
}

bool PartCut::takes_copy(AVPacket& packet, const std::optional<Span>& span) {
    if ((span && (ends_before(packet, *span) || begins_after(packet.stream_index, *span))) ||
        !can_begin(packet, span)) {
        return false;
    }
    if (span) {
        shorten(packet, *span);
    }
    return true;
}

bool PartCut::ends_before(const AVPacket& packet, const Span& span) const {
    const AVStream& stream = stream_of(packet.stream_index);
    const auto wanted = demuxer_.begin_of(packet.stream_index);
    // A cover belongs to every part.
    if (!wanted || is_attached_picture(stream) || (is_subtitle(stream) && !part_.start)) {
        return false;
    }
    // Of a subtitle that ends where the part begins nothing is seen; one without a duration may still be shown.
    return span.end <= (is_subtitle(stream) && packet.duration > 0 ? part_.shift : *wanted);
}

// Times of pictures may be rounded, so that one that is not wanted has an earlier one than it should.
bool PartCut::begins_after(int stream, const Span& span) const {
    constexpr std::int64_t rounded = AV_TIME_BASE / 1000;
    const bool picture = stream_of(stream).codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    return part_.exact_end && span.begin >= (picture ? *part_.end : *part_.exact_end - rounded);
}

// A video that is copied has to begin with a key frame: nobody could decode what comes before. The same of TrueHD.
bool PartCut::can_begin(const AVPacket& packet, const std::optional<Span>& span) {
    const AVStream& stream = stream_of(packet.stream_index);
    const bool sound = is_truehd(stream.codecpar->codec_id);
    if (!part_.start || (stream.codecpar->codec_type != AVMEDIA_TYPE_VIDEO && !sound)) {
        return true;
    }
    const auto found = begun_.find(packet.stream_index);
    if (!is_entry(packet, stream.codecpar->codec_id)) {
        return found != begun_.end() ? found->second : begun_.emplace(packet.stream_index, false).first->second;
    }
    if (found != begun_.end() && !found->second && span) {
        spdlog::warn("stream {}: the {} that is copied begins {:.3f} s later, with its first {}{}", packet.stream_index,
                     sound ? "sound" : "video", seconds_of(span->begin - part_.shift),
                     sound ? "major sync" : "key frame", sound ? "; --audio flac has all of it" : "");
    }
    begun_[packet.stream_index] = true;
    return true;
}

void PartCut::tell_unbegun() const {
    for (const auto& [stream, begun] : begun_) {
        if (!begun) {
            const bool sound = is_truehd(stream_of(stream).codecpar->codec_id);
            spdlog::warn("stream {}: nothing of the copied {} is in the output, as the wanted part holds no {} of it",
                         stream, sound ? "sound" : "video", sound ? "major sync" : "key frame");
        }
    }
}

void PartCut::shorten(AVPacket& subtitle, const Span& span) const {
    const AVStream& stream = stream_of(subtitle.stream_index);
    if (is_subtitle(stream) && subtitle.duration > 0 && part_.knows_end && span.end > *part_.exact_end) {
        subtitle.duration =
            std::max<std::int64_t>(av_rescale_q(*part_.exact_end - span.begin, microseconds_base, stream.time_base), 1);
    }
}

}  // namespace vfilter
