#include "io/output/muxer.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include "io/compat.h"
#include "io/containers.h"
#include "io/output/fast_start.h"
#include "io/output/webp_animation.h"
#include "io/output/words_in_fragments.h"
#include "io/output/write_packet.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

constexpr std::chrono::seconds sync_interval{1};

}  // namespace

void Muxer::check(int result, const char* call) {
    if (result >= 0) {
        return;
    }
    if (file_ != nullptr) {
        file_->check();
    }
    throw Error(ExitCode::output, fmt::format("writing the {} ({}): {}", call, format_->oformat->name,
                                              peer_ ? peer_->why_lost(result) : av_message(result)));
}

// A damaged packet of a copied stream must not cost the whole file. Packets are held back to be interleaved, so that
// the one that is refused may not be the one that was given.
void Muxer::check_packet(int result, const char* call) {
    if (result >= 0) {
        return;
    }
    if (file_ != nullptr) {
        file_->check();
    }
    if (!is_packets_fault(result, *format_, peer_.has_value())) {
        if (peer_) {
            peer_->lose_packet();
            begin_again(result);
            return;
        }
        check(result, call);
    }
    ++refused_packets_;
    why_refused_ = complaints_.latest().empty() ? av_message(result) : complaints_.latest();
    if (input_.strict()) {
        throw Error(ExitCode::damaged, "a packet of the input is damaged, and --strict was given");
    }
}

void Muxer::begin_sending() {
    if (peer_) {
        peer_->begin_sending();
    }
}

// An address that was lost. What waits for its turn is lost with it.
void Muxer::begin_again(int error) {
    const std::string why = peer_->why_lost(error);
    while (const PacketPtr packet = interleaver_ ? interleaver_->next(true) : nullptr) {
        peer_->lose_packet();
        ++settled_[packet->stream_index];
    }
    if (peer_->muxer_connects()) {
        av_write_trailer(format_.get());  // its connections are its own, and would be left open
    }
    peer_->begin_again(why);
    take_turns();
}

// FFmpeg's own queue waits for ten seconds where a stream pauses, and for subtitles. What has an order of its own (the
// MXF and GXF muxers') keeps it.
void Muxer::take_turns() {
    const AVOutputFormat& container = *format_->oformat;
    const auto takes_turns = [](const AVStream* stream) { return !is_attached_picture(*stream); };
    if ((input_.live() || peer_) && !container_of(container).has(fact::own_order) &&
        std::count_if(format_->streams, format_->streams + format_->nb_streams, takes_turns) > 1) {
        interleaver_.emplace(*format_, patience_of_live_outputs);
    }
}

std::int64_t Muxer::settled(int stream) const {
    if (pictures_) {
        return pictures_->count();
    }
    const auto found = settled_.find(map_.place(stream));
    return found == settled_.end() ? 0 : found->second;
}

std::vector<SentStream> Muxer::sent() const {
    std::vector<SentStream> sent = account_.streams();
    for (std::size_t i = 0; i < sent.size(); ++i) {
        // Of the copied ones damaged packets were refused, the first or last ones perhaps.
        const std::int64_t taken = refused_packets_ > 0 ? format_->streams[i]->nb_frames : sent[i].packets;
        if (std::exchange(sent[i].packets, taken) > taken) {
            sent[i].first.reset();
            sent[i].last.reset();
        }
    }
    return sent;
}

void Muxer::tell_empty(const std::vector<int>& absent) const {
    std::set<int> filtered_away;
    for (const SoundConverter* const sound : sounds_) {
        if (sound->filtered_away()) {
            filtered_away.insert(sound->stream());
        }
    }
    map_.tell_empty(sent(), absent, filtered_away);
}

AVRational Muxer::clock_of(int stream) const {
    return pictures_ ? AVRational{0, 1} : format_->streams[map_.place(stream)]->time_base;
}

void Muxer::write_video(PacketPtr packet, int stream, AVRational time_base) {
    if (pictures_) {
        pictures_->write(*packet, *format_->streams[0]);
        return;
    }
    const int index = map_.place(stream);
    account_.add_picture(index, packet->pts);
    phases_.move(*packet, stream);
    av_packet_rescale_ts(packet.get(), time_base, format_->streams[index]->time_base);
    ++video_packets_[index];
    if (is_quicktime(*format_->oformat)) {
        check_begin(*packet, index);
    }
    write(std::move(packet), index);
}

// The file begins where the input's pictures do, or behind the first one by a part of its time (--start). A graph may
// set times before that, which would be hidden.
void Muxer::check_begin(const AVPacket& packet, int index) const {
    const AVStream& stream = *format_->streams[index];
    const std::int64_t begin = times_->begin(index);
    const std::int64_t picture = stream.avg_frame_rate.num > 0
                                     ? av_rescale_q(1, av_inv_q(stream.avg_frame_rate), stream.time_base)
                                     : packet.duration;
    if (const std::int64_t time = packet.pts - begin; time < (begin == 0 ? 0 : -picture)) {
        throw Error(ExitCode::output,
                    fmt::format("a picture is at {:.3f} s, and {} shows none before 0: --vf setpts=PTS-STARTPTS as the "
                                "last filter begins there",
                                static_cast<double>(time) * av_q2d(stream.time_base), format_->oformat->name));
    }
}

void Muxer::write_sound(PacketPtr packet, int stream, AVRational time_base) {
    const int index = map_.place(stream);
    const AVCodecParameters& codec = *format_->streams[index]->codecpar;
    if (lacks_delay(*format_->oformat, codec.codec_id)) {
        move_times(*packet, codec.initial_padding);
    }
    av_packet_rescale_ts(packet.get(), time_base, format_->streams[index]->time_base);
    write(std::move(packet), index);
}

void Muxer::write_subtitle(PacketPtr packet, int from) {
    const int index = map_.place(from);
    av_packet_rescale_ts(packet.get(), input_.format().streams[from]->time_base, format_->streams[index]->time_base);
    if (PacketPtr end = is_fragmented() ? cut_end(*packet, *format_->streams[index]) : nullptr) {
        write(std::move(packet), index);
        packet = std::move(end);
    }
    write(std::move(packet), index);
}

void Muxer::write_subtitles(std::vector<PacketPtr> packets, int from) {
    for (PacketPtr& packet : packets) {
        write_subtitle(std::move(packet), from);
    }
}

// What was shown long before a packet of pictures or sound is whole.
void Muxer::advance_subtitles(std::int64_t time, AVRational clock) {
    for (auto& [from, converter] : map_.converters()) {
        write_subtitles(converter.advance(av_rescale_q(time, clock, input_.format().streams[from]->time_base)), from);
    }
}

void Muxer::write(PacketPtr packet, int index) {
    packet->stream_index = index;
    if (peer_ && !peer_->passes(*packet, video_packets_.contains(index))) {
        ++settled_[index];
        return;
    }
    times_->mend(*packet, index);
    if (format_->streams[index]->codecpar->codec_type != AVMEDIA_TYPE_SUBTITLE && packet->dts != AV_NOPTS_VALUE) {
        advance_subtitles(packet->dts, format_->streams[index]->time_base);
    }
    packet->pos = -1;
    account_.add(*packet, format_->streams[index]->time_base);
    if (interleaver_) {
        interleaver_->add(std::move(packet));
        write_waiting(false);
    } else {
        ++settled_[index];
        if (is_avi(*format_->oformat)) {
            avi_places_.check(*format_, *packet);
        }
        begin_sending();
        check_packet(write_packet(*format_, packet.get()), "packets");
    }
    if (file_ != nullptr) {
        file_->check();
        sync_recording();
    }
}

void Muxer::write_waiting(bool all) {
    while (PacketPtr packet = interleaver_->next(all)) {
        const std::int64_t offset = index_ ? avio_tell(format_->pb) : 0;
        begin_sending();
        const int result = av_write_frame(format_.get(), packet.get());
        ++settled_[packet->stream_index];
        if (result >= 0 && index_) {
            index_->add(*packet, offset, avio_tell(format_->pb) - offset);
        }
        check_packet(result, "packets");
    }
}

void Muxer::sync_recording() {
    if (input_.live() && Clock::now() - synced_ >= sync_interval) {
        file_->sync();
        synced_ = Clock::now();
    }
}

// GIF and APNG hold the time to the next picture with each one, and their muxers take it from the next one.
void Muxer::keep_last_duration() {
    constexpr const char* key = "final_delay";
    const Container& row = container_of(*format_->oformat);
    const double last = account_.streams().front().packet_seconds;
    if (!row.has(fact::last_delay) || last <= 0 || find_option(options_.muxer_options, key) != nullptr) {
        return;
    }
    if (row.has(fact::hundredths)) {
        constexpr double ticks = 100;  // a second
        av_opt_set_int(format_->priv_data, key, std::min<std::int64_t>(std::llround(last * ticks), UINT16_MAX), 0);
    } else {
        av_opt_set_q(format_->priv_data, key, av_d2q(last, UINT16_MAX), 0);
    }
}

// Of MPEG's streams with a constant rate, by whose clock players go.
void Muxer::tell_narrow_rate() const {
    const std::int64_t late = complaints_.doubts() - complaints_.count();
    if (const std::string* const rate = find_option(options_.muxer_options, "muxrate"); late > 0 && rate != nullptr) {
        spdlog::warn(
            "{}: muxrate={} is less than these streams need: packets come later than they are to be shown, so that "
            "players stop or leave them out; a higher one, or none, has room for them",
            format_->oformat->name, *rate);
    }
}

void Muxer::finish(const std::function<bool()>& go_on) {
    if (pictures_) {
        return;
    }
    finish_subtitles();
    note_late_packets();
    if (interleaver_) {
        write_waiting(true);
    } else {
        begin_sending();
        check_packet(write_packet(*format_, nullptr), "packets");
    }
    keep_last_duration();
    begin_sending();
    check(av_write_trailer(format_.get()), "trailer");
    tell_narrow_rate();
    if (container_of(*format_->oformat).has(fact::mended) && file_ != nullptr && file_->seekable()) {
        replace_pictures(*file_);
    }
    if (room_) {
        file_->flush();
        move_index_to_front(*file_, *room_, go_on, [this] { index_.reset(); });
    }
    index_.reset();
    std::map<int, EncodedSoundEnds> encoded;
    for (const SoundConverter* const sound : sounds_) {
        encoded.emplace(map_.place(sound->stream()),
                        EncodedSoundEnds{sound->left_out_before(), sound->silence_behind()});
    }
    account_.finish(*format_->oformat, encoded);
    if (lost_packets() > 0) {
        return;  // told at the end of the run
    }
    for (const auto& [index, sent] : video_packets_) {
        if (const std::int64_t took = format_->streams[index]->nb_frames; took < sent) {
            // What was refused was no packet of the input: nobody may take this file for a whole one.
            throw Error(ExitCode::output, fmt::format("{} refused {} packets of the filtered video",
                                                      format_->oformat->name, sent - took));
        }
    }
}

}  // namespace vfilter
