#include "pipeline/stages/read_stage.h"

#include <algorithm>

#include "config/error.h"
#include "io/input/layers/with_appended.h"

namespace vfilter {

ReadStage::ReadStage(StageRun& run, Demuxer& demuxer, const Muxer* muxer, const std::vector<VideoRoute*>& routes,
                     const std::vector<SoundRoute*>& sounds, Channel<OutputPacket>& output, HeldPackets* held)
    : run_(run),
      meter_(run, StageId::read, 0),
      demuxer_(demuxer),
      muxer_(muxer),
      output_(output),
      held_(held),
      cut_(demuxer, [this](int stream) { return is_used(stream); }) {
    for (VideoRoute* const route : routes) {
        videos_.push_back({.route = *route, .fields = H264Fields(*route->stream.codecpar)});
    }
    for (SoundRoute* const route : sounds) {
        sounds_.emplace(route->converter.stream(), route);
    }
}

void ReadStage::run() {
    read_all();
    cut_.tell_unbegun();
}

void ReadStage::read_all() {
    for (std::int64_t i = 0; i < demuxer_.skipped(); ++i) {
        run_.drops.count(Drop::undecoded);
    }
    for (;;) {
        meter_.enter(run_.live || demuxer_.waits() ? Activity::waiting_for_input : Activity::working);
        PacketPtr packet = read();
        const auto captured = Stamps::Clock::now();
        meter_.enter(Activity::working);
        if (!packet) {
            return;
        }
        meter_.reached(meter_.items());
        const std::optional<PartCut::Span> span = cut_.span_of(*packet);
        const bool over = cut_.is_over(*packet, span, any_video_wanted());
        if (cut_.is_past()) {
            demuxer_.end_part();
        }
        if (over) {
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

// Behind the part a damaged packet, with --strict, is the end of what can be read: who needs none of it does not mind.
PacketPtr ReadStage::read() {
    try {
        return demuxer_.read();
    } catch (const Error& error) {
        if (error.code() != ExitCode::damaged || !demuxer_.part_has_ended()) {
            throw;
        }
        return nullptr;
    }
}

bool ReadStage::is_used(int stream) const {
    return demuxer_.is_filtered(stream) || sounds_.contains(stream) || (muxer_ != nullptr && muxer_->carries(stream));
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
bool ReadStage::pass_video(Video& video, InputPacket packet, const std::optional<PartCut::Span>& span) {
    const bool past = cut_.is_behind_pictures(*packet.packet, span);
    // Fields may be packets of their own.
    const bool last = demuxer_.part().picture_end && video.fields.completes(*packet.packet) && !video.past;
    video.past = past;
    const bool wanted = video.wanted && (!past || last);
    video.wanted = wanted && (demuxer_.leaves_out(*packet.packet) || send(video, std::move(packet)));
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
    const bool has_end = demuxer_.part().exact_end.has_value();
    if (has_end || !std::ranges::any_of(videos_, ended_itself)) {
        return has_end;
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
    if (video.route.independent) {
        const auto [overtaken, wanted] = packets.replace(std::move(packet));
        if (overtaken) {
            run_.drops.count(Drop::undecoded);
        }
        return wanted;
    }
    // What builds on a packet that is missing is not worth decoding.
    const bool key = (packet.packet->flags & AV_PKT_FLAG_KEY) != 0;
    video.waits_for_key = video.waits_for_key && !key;
    const Offered offered = video.waits_for_key ? Offered::no_room : packets.offer(packet);
    if (offered == Offered::no_room) {
        video.waits_for_key = true;
        run_.drops.count(Drop::undecoded);
    }
    return offered != Offered::unwanted;
}

// False when nothing more is written.
bool ReadStage::pass_sound(SoundRoute& sound, PacketPtr packet, const std::optional<PartCut::Span>& span) {
    // Who takes no more has ended by itself, with an error that ends the run, or as nothing is written any more.
    if (!cut_.takes_sound(packet->stream_index, span) || demuxer_.leaves_out(*packet)) {
        return true;
    }
    return held_ != nullptr ? held_->hold(std::move(packet), &sound, sent_) : sound.packets.send(std::move(packet));
}

// False when nothing more is written.
bool ReadStage::pass_copy(PacketPtr packet, const std::optional<PartCut::Span>& span) {
    if (muxer_ == nullptr || is_before_clip(*packet) || !muxer_->carries(packet->stream_index) ||
        !cut_.takes_copy(*packet, span) || demuxer_.leaves_out(*packet)) {
        return true;
    }
    return held_ != nullptr ? held_->hold(std::move(packet), nullptr, sent_)
                            : output_.send({.packet = std::move(packet), .from = OutputPacket::From::input});
}

}  // namespace vfilter
