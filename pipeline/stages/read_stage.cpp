#include "pipeline/stages/read_stage.h"

#include <spdlog/spdlog.h>

#include <algorithm>

#include "io/output/container_rules.h"

namespace vfilter {

namespace {

// Packets are interleaved by time, loosely: so long after the end those of a stream may come that says little.
constexpr std::int64_t interleaving = 2 * std::int64_t{AV_TIME_BASE};
// The same of pictures and sound whose own end nobody knows.
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

}  // namespace

ReadStage::ReadStage(StageRun& run, Demuxer& demuxer, const Muxer* muxer, const std::vector<VideoRoute*>& routes,
                     const std::vector<SoundRoute*>& sounds, Channel<OutputPacket>& output, HeldPackets* held)
    : run_(run), meter_(run, StageId::read, 0), demuxer_(demuxer), muxer_(muxer), output_(output), held_(held) {
    for (VideoRoute* const route : routes) {
        videos_.push_back({.route = *route, .fields = H264Fields(*route->stream.codecpar)});
    }
    for (SoundRoute* const route : sounds) {
        sounds_.emplace(route->converter.stream(), route);
    }
}

void ReadStage::run() {
    read_all();
    tell_unbegun();
}

void ReadStage::read_all() {
    start_ = demuxer_.part().start;
    end_ = demuxer_.part().exact_end;
    picture_end_ = demuxer_.part().picture_end;
    for (std::int64_t i = 0; i < demuxer_.skipped(); ++i) {
        run_.drops.count(Drop::undecoded);
    }
    for (;;) {
        meter_.enter(run_.live || demuxer_.waits() ? Activity::waiting_for_input : Activity::working);
        PacketPtr packet = demuxer_.read();
        const auto captured = Stamps::Clock::now();
        meter_.enter(Activity::working);
        if (!packet) {
            return;
        }
        meter_.reached(meter_.items());
        const std::optional<Span> span = span_of(*packet);
        if (is_over(packet->stream_index, span)) {
            return;
        }
        meter_.count();
        meter_.enter(Activity::waiting_for_output);
        Video* const video = video_of(packet->stream_index);
        const auto sound = sounds_.find(packet->stream_index);
        const bool more = video != nullptr         ? pass_video(*video, {std::move(packet), captured}, span)
                          : sound != sounds_.end() ? pass_sound(*sound->second, std::move(packet), span)
                                                   : pass_copy(std::move(packet), span);
        if (!more) {
            return;
        }
    }
}

// Nothing where a packet has no timestamp.
std::optional<ReadStage::Span> ReadStage::span_of(const AVPacket& packet) const {
    const std::int64_t stamp = packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
    if (stamp == AV_NOPTS_VALUE) {
        return std::nullopt;
    }
    const AVRational base = demuxer_.format().streams[packet.stream_index]->time_base;
    return Span{microseconds(stamp, base), microseconds(av_sat_add64(stamp, packet.duration), base)};
}

// Whether nothing that is wanted can follow: every stream of pictures or sound has passed the end, which may lie apart
// (fragments, a file in a pipe). Where a number of frames is asked for, the end is an estimate: only the decoder knows
// when it has them.
bool ReadStage::is_over(int stream, const std::optional<Span>& span) {
    if (!end_ || !span) {
        return false;
    }
    latest_.resize(std::max<std::size_t>(latest_.size(), demuxer_.format().nb_streams), INT64_MIN);
    std::int64_t& latest = latest_[static_cast<std::size_t>(stream)];
    latest = std::max(latest, span->end);
    if (span->begin < *end_ + interleaving || (demuxer_.part().max_frames && any_video_wanted())) {
        return false;
    }
    return all_passed() || (is_steady(stream) && span->begin >= *end_ + farthest && !any_promised());
}

// Of pictures or sound, and wanted.
bool ReadStage::is_steady(int stream) const {
    const AVStream& of = *demuxer_.format().streams[stream];
    const AVMediaType type = of.codecpar->codec_type;
    return (type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO) && !is_attached_picture(of) &&
           (demuxer_.is_filtered(stream) || sounds_.contains(stream) || (muxer_ != nullptr && muxer_->carries(stream)));
}

// Whether a stream has more before the end by its own duration.
bool ReadStage::is_promised(int stream) const {
    constexpr std::int64_t tolerance = AV_TIME_BASE / 2;
    const AVStream& of = *demuxer_.format().streams[stream];
    if (of.duration == AV_NOPTS_VALUE || of.duration <= 0) {
        return false;
    }
    const std::int64_t begin = of.start_time == AV_NOPTS_VALUE ? 0 : of.start_time;
    const std::int64_t own = microseconds(av_sat_add64(begin, of.duration), of.time_base);
    return std::max(latest_[static_cast<std::size_t>(stream)], start_.value_or(INT64_MIN)) <
           std::min(own - tolerance, *end_);
}

bool ReadStage::any_promised() const {
    bool any = false;
    for (int i = 0; i < static_cast<int>(latest_.size()); ++i) {
        any = any || (is_steady(i) && is_promised(i));
    }
    return any;
}

bool ReadStage::all_passed() const {
    bool all = true;
    for (int i = 0; i < static_cast<int>(latest_.size()); ++i) {
        const bool known = demuxer_.format().streams[i]->duration > 0;
        all = all && (!is_steady(i) || latest_[static_cast<std::size_t>(i)] >= *end_ || (known && !is_promised(i)));
    }
    return all;
}

ReadStage::Video* ReadStage::video_of(int stream) {
    const auto found =
        std::ranges::find_if(videos_, [stream](const Video& video) { return video.route.stream_index == stream; });
    return found == videos_.end() ? nullptr : &*found;
}

bool ReadStage::any_video_wanted() const {
    return std::ranges::any_of(videos_, [](const Video& video) { return video.wanted; });
}

// False when no further packet of any stream is wanted.
bool ReadStage::pass_video(Video& video, InputPacket packet, const std::optional<Span>& span) {
    // A picture is never shown before it is decoded: with dts past the end, so are all that follow.
    const bool past = picture_end_ && packet.packet->dts != AV_NOPTS_VALUE && span->begin >= *picture_end_;
    // But for its second field, where that is a packet of its own.
    const bool last = picture_end_ && video.fields.completes(*packet.packet) && !video.past;
    video.past = past;
    video.wanted = video.wanted && (!past || last) && send(video, std::move(packet));
    if (video.wanted) {
        return true;
    }
    video.route.packets.close();
    return !run_.is_cancelled() && ((!run_.live && others_go_on()) || any_video_wanted());
}

// Whether streams beside the videos are wanted when no video is any more: up to the end that was asked for, or all of
// them where a graph has left out the rest of the pictures.
bool ReadStage::others_go_on() const {
    const auto ended_itself = [](const Video& video) {
        return video.route.chain_ended.load(std::memory_order_relaxed);
    };
    if (end_ || !std::ranges::any_of(videos_, ended_itself)) {
        return end_.has_value();
    }
    bool more = false;
    for (int i = 0; muxer_ != nullptr && i < static_cast<int>(demuxer_.format().nb_streams); ++i) {
        more = more || (!demuxer_.is_filtered(i) && muxer_->carries(i));
    }
    return more;
}

// False when no further packet of this video is wanted. Live, it never waits: the source would go on without us.
bool ReadStage::send(Video& video, InputPacket packet) {
    Channel<InputPacket>& packets = video.route.packets;
    ++sent_;
    if (!run_.live) {
        return packets.send(std::move(packet));
    }
    bool wanted = true;
    if (video.route.independent) {
        if (packets.replace(std::move(packet), wanted)) {
            run_.drops.count(Drop::undecoded);
        }
        return wanted;
    }
    // What builds on a packet that is missing is not worth decoding.
    const bool key = (packet.packet->flags & AV_PKT_FLAG_KEY) != 0;
    video.waits_for_key = video.waits_for_key && !key;
    if ((video.waits_for_key || !packets.offer(packet, wanted)) && wanted) {
        video.waits_for_key = true;
        run_.drops.count(Drop::undecoded);
    }
    return wanted;
}

// False when nothing more is written. Codecs of sound lean on what was before: it is decoded, and cut off.
bool ReadStage::pass_sound(SoundRoute& sound, PacketPtr packet, const std::optional<Span>& span) {
    constexpr std::int64_t lead = AV_TIME_BASE / 2;
    const auto begin = demuxer_.begin_of(packet->stream_index);
    const bool before = begin && span && span->end + lead <= *begin;
    const bool after = end_ && span && span->begin >= *end_ + lead;
    // Who takes no more has ended by itself, with an error that ends the run, or as nothing is written any more.
    if (before || after) {
        return true;
    }
    return held_ != nullptr ? held_->hold(std::move(packet), &sound, sent_) : sound.packets.send(std::move(packet));
}

// A video that is copied has to begin with a key frame: nobody could decode what comes before. The same of TrueHD.
bool ReadStage::can_begin(const AVPacket& packet, const std::optional<Span>& span) {
    const AVStream& stream = *demuxer_.format().streams[packet.stream_index];
    const bool sound = is_truehd(stream.codecpar->codec_id);
    if (!start_ || (stream.codecpar->codec_type != AVMEDIA_TYPE_VIDEO && !sound)) {
        return true;
    }
    const auto found = begun_.find(packet.stream_index);
    if (!is_entry(packet, stream.codecpar->codec_id)) {
        return found != begun_.end() ? found->second : begun_.emplace(packet.stream_index, false).first->second;
    }
    if (found != begun_.end() && !found->second && span) {
        spdlog::warn("stream {}: the {} that is copied begins {:.3f} s later, with its first {}{}", packet.stream_index,
                     sound ? "sound" : "video", static_cast<double>(span->begin - demuxer_.part().shift) / AV_TIME_BASE,
                     sound ? "major sync" : "key frame", sound ? "; --audio flac has all of it" : "");
    }
    begun_[packet.stream_index] = true;
    return true;
}

void ReadStage::tell_unbegun() const {
    for (const auto& [stream, begun] : begun_) {
        if (!begun) {
            const bool sound = is_truehd(demuxer_.format().streams[stream]->codecpar->codec_id);
            spdlog::warn("stream {}: nothing of the {} that is copied comes: no {} of it is in the part", stream,
                         sound ? "sound" : "video", sound ? "major sync" : "key frame");
        }
    }
}

// A subtitle does not make the wanted part longer.
void ReadStage::cut_subtitle(AVPacket& packet, const Span& span) const {
    const AVStream& stream = *demuxer_.format().streams[packet.stream_index];
    if (stream.codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE && packet.duration > 0 && demuxer_.part().knows_end &&
        span.end > *end_) {
        packet.duration =
            std::max<std::int64_t>(av_rescale_q(*end_ - span.begin, AVRational{1, AV_TIME_BASE}, stream.time_base), 1);
    }
}

// Times of pictures may be rounded, so that one that is not wanted has an earlier one than it should.
bool ReadStage::begins_after(const AVPacket& packet, const std::optional<Span>& span) const {
    constexpr std::int64_t rounded = AV_TIME_BASE / 1000;
    const bool picture = demuxer_.format().streams[packet.stream_index]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    return end_ && span && span->begin >= (picture ? *demuxer_.part().end : *end_ - rounded);
}

// False when nothing more is written.
bool ReadStage::pass_copy(PacketPtr packet, const std::optional<Span>& span) {
    // A cover belongs to every part.
    const bool cover = is_attached_picture(*demuxer_.format().streams[packet->stream_index]);
    // Of a subtitle that ends where the part begins nothing is seen; one without a duration may still be shown.
    const bool words = demuxer_.format().streams[packet->stream_index]->codecpar->codec_type == AVMEDIA_TYPE_SUBTITLE;
    const auto wanted = demuxer_.begin_of(packet->stream_index);
    const std::int64_t begin = start_ && words && packet->duration > 0 ? demuxer_.part().shift : wanted.value_or(0);
    const bool before = wanted && span && span->end <= begin && !cover && !(words && !start_);
    if (muxer_ == nullptr || !muxer_->carries(packet->stream_index) || before || begins_after(*packet, span) ||
        !can_begin(*packet, span)) {
        return true;
    }
    if (span) {
        cut_subtitle(*packet, *span);
    }
    return held_ != nullptr ? held_->hold(std::move(packet), nullptr, sent_)
                            : output_.send({.packet = std::move(packet), .from = OutputPacket::From::input});
}

}  // namespace vfilter
