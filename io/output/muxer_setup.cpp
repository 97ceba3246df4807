// What a muxer does before the first packet: streams and header.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "io/compat.h"
#include "io/containers.h"
#include "io/output/animation_plays.h"
#include "io/output/container_losses.h"
#include "io/output/fast_start.h"
#include "io/output/movie_options.h"
#include "io/output/muxer.h"
#include "io/output/output_begin.h"
#include "io/output/own_bytes.h"
#include "io/output/stream_headers.h"
#include "io/output/tags.h"
#include "io/output/transport_pids.h"
#include "io/output/unread_labels.h"
#include "io/output/words_in_fragments.h"
#include "io/output/write_packet.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

Muxer::Muxer(const AVOutputFormat& container, const Demuxer& input, OutputFile* file, OutputOptions options,
             PictureSink* pictures, OutputPeer* peer)
    : input_(input),
      file_(file),
      options_(std::move(options)),
      format_(make_output(container)),
      map_(input, container, options_) {
    if (pictures != nullptr) {
        pictures_.emplace(container, *pictures);
    }
    if (peer != nullptr) {
        peer_.emplace(*peer, PeerSession::Output{[this] { write_header(); }, [this] { repeat_output(); }});
    }
    if (file_ != nullptr) {
        format_->pb = file_->context();
        format_->flags |= AVFMT_FLAG_CUSTOM_IO;
    }
    if (is_bluray_stream(container, options_.path)) {
        options_.muxer_options.insert(options_.muxer_options.begin(), {"mpegts_m2ts_mode", "1"});
    }
    give_own_bytes(*format_, file_ != nullptr && file_->keeps_place() ? file_ : nullptr);
    complaints_.listen(format_.get());
}

Muxer::~Muxer() {
    if (index_ && file_->keeps_part()) {
        index_->keep();  // finish() would have ended it
    }
}

void Muxer::begin(const std::vector<EncodedVideo>& videos, const std::vector<const SoundConverter*>& sounds) {
    map_.drop_refused(videos, sounds);
    std::ranges::copy_if(sounds, std::back_inserter(sounds_),
                         [&](const SoundConverter* sound) { return map_.carries(sound->stream()); });
    add_streams(videos, sounds);
    label(videos.front());
    shift_nothing(videos);
    copy_programs(input_.format(), map_.places(), *format_, options_.strip);
    number_streams(input_.format(), map_.places(), options_.muxer_options, *format_);
    if (is_fragmented()) {
        for (auto& [stream, converter] : map_.converters()) {
            converter.give_at_once();
        }
    }
    tell_container_losses(input_, *format_, map_.places(), map_.place(videos.front().stream), options_.strip);
    unread_ = tell_unread(input_, map_, *format_->oformat, options_.strip);
    labels_ = labels_of(*format_);
    for (const EncodedVideo& video : videos) {
        labels_.streams[static_cast<std::size_t>(map_.place(video.stream))].copied.reset();
    }
    if (pictures_) {
        return;  // each is whole by itself
    }
    times_.emplace(*format_, input_.part().shift + begin_of_output(input_, *format_, map_, videos));
    account_ = SentAccount(*format_);
    if (!input_.live() && !peer_) {
        account_.watch_sounds(*format_);
    }
    double inside = 0;
    for (const EncodedVideo& video : videos) {
        inside = std::max(inside, video.encoder->seconds_inside());
    }
    format_->max_interleave_delta += std::llround(inside * AV_TIME_BASE);
    if (peer_) {
        peer_->begin();
    } else {
        write_header();
    }
    find_phases(videos);
    for (const EncodedVideo& video : videos) {
        watch_times(video);
    }
    if (is_quicktime(*format_->oformat) && file_ != nullptr && file_->keeps_place() && !is_fragmented()) {
        index_ = std::make_unique<PartIndex>(file_->written_path(), *format_, covers());
        InterleaverPatience patience = patience_of_files;
        patience.for_pictures += inside;
        interleaver_.emplace(*format_, patience);
    }
    take_turns();
}

// By the map: pictures and sound as they are encoded, all else as it is.
void Muxer::add_streams(const std::vector<EncodedVideo>& videos, const std::vector<const SoundConverter*>& sounds) {
    const AVFormatContext& from = input_.format();
    for (const int i : map_.in_order()) {
        const auto video = std::ranges::find(videos, i, &EncodedVideo::stream);
        if (video != videos.end()) {
            fill_video_stream(*format_, *video->made, *video->encoder, *video->first, options_.strip);
        } else if (const auto sound = std::ranges::find(sounds, i, &SoundConverter::stream);
                   sound != sounds.end() && map_.place(i) >= 0) {
            fill_sound_stream(*format_, *from.streams[i], **sound, options_.strip);
        } else if (map_.place(i) >= 0) {
            add_copy(*from.streams[i]);
        }
    }
}

// Everything that says what it is: tags, names, languages, chapters.
void Muxer::label(const EncodedVideo& first) {
    copy_tags(format_->metadata, input_.format().metadata, Coded::anew, options_.strip);
    if (input_.part().takes_part()) {
        drop_statistics(*format_);
    }
    title_by_handlers(*format_);
    label_streams(input_, map_.places(), options_, *format_);
    name_handlers(*format_);
    spell_languages(*format_);
    move_time_codes(input_, first.stream, first.made->avg_frame_rate, *format_);
    set_tags(format_->metadata, options_.metadata);
    if (options_.strip >= Strip::tags) {
        format_->flags |= AVFMT_FLAG_BITEXACT;  // no names and versions of libraries
    }
    copy_chapters(input_, *format_, options_.strip);
}

// Where FFmpeg would move all times for what begins before 0, and need not.
void Muxer::shift_nothing(const std::vector<EncodedVideo>& videos) {
    if (is_block_container(*format_->oformat) &&
        std::ranges::all_of(videos, [](const EncodedVideo& video) { return video.first->pts >= 0; })) {
        // Blocks of sound can lie before 0, and do where it has priming: nothing needs to be shifted. Pictures cannot.
        format_->avoid_negative_ts = 0;
    }
    if (is_avi(*format_->oformat)) {
        format_->avoid_negative_ts = 0;  // to move pictures for a part of a packet of sound would show one twice
    }
}

// Those of the input that the output has, as it has them.
std::vector<PacketPtr> Muxer::covers() const {
    std::vector<PacketPtr> found;
    for (unsigned i = 0; i < input_.format().nb_streams; ++i) {
        const AVStream& stream = *input_.format().streams[i];
        const int place = map_.place(static_cast<int>(i));
        if (!is_attached_picture(stream) || stream.attached_pic.size <= 0 || place < 0) {
            continue;
        }
        found.push_back(reference_to(stream.attached_pic));
        found.back()->stream_index = place;
        if (options_.strip >= Strip::places) {
            strip_picture(*found.back());
        }
    }
    return found;
}

// Where pictures may not be shown at their times.
void Muxer::watch_times(const EncodedVideo& video) {
    constexpr double finest_rate = 0.002;  // seconds: what is finer is a clock
    const int place = map_.place(video.stream);
    const AVRational tick = format_->streams[place]->time_base;
    const bool avi = is_avi(*format_->oformat);  // has no clock that is finer than pictures
    const bool one =
        container_of(*format_->oformat).has(fact::single_picture) && file_ != nullptr && file_->keeps_place();
    if (input_.live() || one) {
        return;
    }
    if (only_counts_pictures(*format_->oformat)) {
        account_.watch_pictures(place, video.encoder->context().framerate, video.encoder->time_base(),
                                CountedTimes::Places::all_taken, first_picture_of_output(input_, video));
    } else if (avi || av_q2d(tick) > finest_rate) {
        account_.watch_pictures(place, av_inv_q(tick), video.encoder->time_base(), CountedTimes::Places::some_empty,
                                first_picture_of_output(input_, video));
    }
}

void Muxer::write_header() {
    Dictionary settings;
    if (is_quicktime(*format_->oformat)) {
        set_movie_options(input_, *format_, in_fragments(), settings);
        if (std::any_of(format_->streams, format_->streams + format_->nb_streams,
                        [](const AVStream* stream) { return stream->codecpar->codec_id == AV_CODEC_ID_MOV_TEXT; })) {
            check_words_in_fragments(options_.muxer_options);
        }
    }
    if (input_.live()) {
        // Whatever happens, the file is good up to the last second: what is written leaves the process at once.
        format_->flags |= AVFMT_FLAG_FLUSH_PACKETS;
        if (is_matroska(*format_->oformat)) {
            settings.set("cluster_time_limit", "1000");
        }
    }
    if (peer_) {
        peer_->prepare(*format_, settings);
    }
    set_plays(input_, *format_->oformat, settings);
    // The clock of a constant rate runs so far ahead of what is shown, as ffmpeg has it too: microseconds.
    if (find_option(options_.muxer_options, "muxrate") != nullptr) {
        settings.set("max_delay", "700000");
    }
    add_muxer_options(*format_->oformat, options_.muxer_options, settings);
    if (is_quicktime(*format_->oformat) && !container_of(*format_->oformat).has(fact::own_index) && file_ != nullptr &&
        file_->keeps_place() && !is_fragmented() && wants_fast_start(options_.muxer_options)) {
        room_ = room_for_index(input_, *format_);
        avio_seek(format_->pb, *room_, SEEK_SET);
    }
    {
        const ThreadComplaints heard;
        if (const int begun = avformat_write_header(format_.get(), settings.get()); begun < 0) {
            tell_refused_header(begun, heard.all());
        }
    }
    if (peer_) {
        peer_->note_connected();
    }
    for (const auto& [key, value] : options_.muxer_options) {
        if (av_dict_get(*settings.get(), key.c_str(), nullptr, 0) != nullptr) {
            throw Error(ExitCode::usage,
                        fmt::format("--muxer-option: {} knows no option '{}' (ffmpeg -h muxer={} lists them)",
                                    format_->oformat->name, key, format_->oformat->name));
        }
    }
}

// `heard` is what FFmpeg said meanwhile.
void Muxer::tell_refused_header(int error, const std::vector<std::string>& heard) const {
    if (file_ != nullptr) {
        file_->check();
    }
    const std::string why = complaints_.latest();
    if (peer_) {
        peer_->tell_refused_header(error, is_packets_fault(error, *format_, true), heard, why);
    }
    throw Error(ExitCode::output, fmt::format("{} cannot hold these streams: {}", format_->oformat->name,
                                              why.empty() ? av_message(error) : why));
}

// A context into which a header can be written, with everything that the old one has.
void Muxer::repeat_output() {
    OutputContextPtr again = make_output(*format_->oformat);
    again->io_open = format_->io_open;
    again->flags |= format_->flags & AVFMT_FLAG_BITEXACT;
    again->max_interleave_delta = format_->max_interleave_delta;
    repeat_streams(*format_, *again);
    copy_chapters(input_, *again, options_.strip);
    complaints_.listen(again.get());
    std::swap(format_, again);
    complaints_.forget(again.get());
    times_->go_on_in(*format_);
}

bool Muxer::in_fragments() const {
    return is_quicktime(*format_->oformat) && file_ != nullptr && (!file_->seekable() || input_.live());
}

// Also where the user asked for it.
bool Muxer::is_fragmented() const {
    return in_fragments() || (is_quicktime(*format_->oformat) && asks_for_fragments(options_.muxer_options));
}

void Muxer::find_phases(const std::vector<EncodedVideo>& videos) {
    for (const EncodedVideo& video : videos) {
        const AVRational unit = format_->streams[map_.place(video.stream)]->time_base;
        if (av_cmp_q(unit, av_inv_q(video.encoder->context().framerate)) == 0) {
            phases_.begin(video.stream, video.first->pts, video.made->time_base, unit);
        }
    }
}

void Muxer::add_copy(const AVStream& from) {
    AVStream& to = add_stream(*format_);
    if (is_matroska(*format_->oformat) && is_attached_picture(from)) {
        fill_attachment(from, to, options_.strip);
        return;
    }
    if (const SubtitleConverter* const converter = map_.converter(from.index); converter != nullptr) {
        av_check(avcodec_parameters_from_context(to.codecpar, &converter->context()),
                 "avcodec_parameters_from_context");
    } else {
        av_check(avcodec_parameters_copy(to.codecpar, from.codecpar), "avcodec_parameters_copy");
    }
    const bool sent = peer_ && has_one_sound_header(*format_->oformat);
    if (sent || (file_ != nullptr && (!file_->seekable() || input_.live() || is_fragmented()))) {
        complete_aac(to, input_.peek(from.index));
        if (sent || is_fragmented() || input_.live()) {
            // In fragments the mov muxer leaves the packets as they are, and RTSP describes the sound beforehand.
            adts_headers_.add(from.index, to);
        }
    }
    fill_copied_stream(*format_->oformat, from, to, options_.strip);
    if (peer_ && peer_->muxer_connects()) {
        to.id = 0;  // RTP takes a large number for the type of its payload
    }
    if (is_fragmented()) {
        set_clock_in_fragments(to);
    }
    if (is_avi(*format_->oformat)) {
        set_block_length(to);
    }
}

}  // namespace vfilter
