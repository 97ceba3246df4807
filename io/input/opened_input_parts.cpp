// What is missing of an input, and what only seems to be.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <span>
#include <utility>

#include "io/bitstream/bytes.h"
#include "io/demuxers.h"
#include "io/input/dv_codes.h"
#include "io/input/file_boxes.h"
#include "io/input/icon_masks.h"
#include "io/input/layers/known_streams.h"
#include "io/input/opened_input.h"
#include "io/input/picture_says.h"
#include "io/languages.h"
#include "io/packet_times.h"
#include "io/refused_memory.h"
#include "io/source.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// Matroska's other way to name a language, which wins where both are there.
void mend_language(AVStream& stream, const UnreadTrack& track) {
    const bool two_letters = track.language.find('-') == 2 || track.language.size() == 2;
    const std::string language = two_letters || track.only_that ? three_letters(track.language) : "";
    if (!language.empty() || track.only_that) {
        av_dict_set(&stream.metadata, "language", language.empty() ? nullptr : language.c_str(), 0);
    }
}

// FFmpeg puts the chapters of all editions in one list, as far as they come later than those before.
void leave_out_chapters(AVFormatContext& format, const std::vector<std::uint64_t>& uids) {
    unsigned kept = 0;
    for (unsigned i = 0; i < format.nb_chapters; ++i) {
        AVChapter* chapter = format.chapters[i];
        if (std::ranges::find(uids, static_cast<std::uint64_t>(chapter->id)) == uids.end()) {
            format.chapters[kept++] = chapter;
        } else {
            av_dict_free(&chapter->metadata);
            av_freep(&chapter);
        }
    }
    format.nb_chapters = kept;
}

// They may be as large as what they belong to, and better by FFmpeg's measure.
void mark_auxiliary_videos(AVFormatContext& format, const ReadBytes& read) {
    const std::span streams(format.streams, format.nb_streams);
    const auto is_video = [](const AVStream* stream) {
        return stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_attached_picture(*stream);
    };
    if (std::ranges::count_if(streams, is_video) < 2) {
        return;
    }
    const std::set<int> tracks = auxiliary_tracks(read);
    for (AVStream* const stream : streams) {
        if (is_video(stream) && tracks.contains(stream->id)) {
            stream->disposition &= ~AV_DISPOSITION_DEFAULT;
            stream->disposition |= AV_DISPOSITION_DEPENDENT;
        }
    }
}

// FFmpeg gives the pictures of bare Dirac and VC-2 their numbers for times.
void spread_numbers(AVPacket& packet, const AVStream& stream) {
    const std::int64_t first = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
    for (std::int64_t* const time : {&packet.pts, &packet.dts}) {
        if (*time != AV_NOPTS_VALUE && packet.duration > 0) {
            *time = first + (*time - first) * packet.duration;
        }
    }
}

}  // namespace

void OpenedInput::keep_front(std::int64_t offset, std::span<const std::uint8_t> bytes) {
    if (opening_ && is_pipe() && offset == static_cast<std::int64_t>(front_.size()) && front_.size() < max_front) {
        front_.insert(front_.end(), bytes.begin(), bytes.end());
    }
}

void OpenedInput::read_unread() {
    const std::vector<std::uint8_t> front = std::exchange(front_, {});
    const DemuxerFacts& facts = demuxer_facts(*format_->iformat);
    const auto read = [&](std::int64_t offset, std::span<std::uint8_t> to) {
        if (!is_pipe()) {
            return bytes_->read_at(offset, to);
        }
        const Bytes there = part(front, static_cast<std::size_t>(offset), to.size());
        std::ranges::copy(there, to.begin());
        return there.size();
    };
    if (bytes_ && facts.has(input_fact::movie)) {
        mark_auxiliary_videos(*format_, read);
        of_picture_ = said_in_heif(read);
        unread_ = unread_of_movie(*format_, read);
    }
    if (bytes_ && facts.has(input_fact::matroska)) {
        unread_ = unread_in_matroska(read);
    }
    for (const UnreadTrack& track : unread_.tracks) {
        if (track.stream < static_cast<int>(format_->nb_streams) && !track.language.empty()) {
            mend_language(*format_->streams[track.stream], track);
        }
    }
    leave_out_chapters(*format_, unread_.of_other_editions);
}

// Of a Filmstrip, whose demuxer goes on behind the last picture: what says how many there are lies there.
bool OpenedInput::is_film_trailer(const AVPacket& packet) const {
    const std::int64_t pictures = format_->streams[packet.stream_index]->nb_frames;
    return pictures > 0 && packet.dts >= pictures && demuxer_facts(*format_->iformat).has(input_fact::trailer);
}

// Streams of MPEG-TS, of which FFmpeg gives nothing, or what nobody can read. No video to filter is an error by itself.
void OpenedInput::note_scrambled() {
    const std::span streams(format_->streams, format_->nb_streams);
    const auto is_video = [](const AVStream* stream) { return kind_of(*stream) == kind::video; };
    const bool nothing_else =
        std::ranges::any_of(streams, is_video) && std::ranges::none_of(streams, [&](const AVStream* stream) {
            return is_video(stream) && !is_scrambled(*stream);
        });
    for (const AVStream* const stream : streams) {
        if (!is_scrambled(*stream)) {
            continue;
        }
        UnreadTrack& track = unread_.tracks.emplace_back();
        track.stream = stream->index;
        track.scrambled = true;
        if (!nothing_else && (kind_of(*stream) & options_.wanted) != 0) {
            ++scrambled_.packets;
            scrambled_.note(fmt::format("{} cannot be read: it is scrambled, as its packets say", describe(*stream)));
        }
    }
}

int OpenedInput::read_packet(AVPacket& packet) {
    if (overlooked_->size > 0) {
        av_packet_move_ref(&packet, overlooked_.get());
        later_by_ += packet.duration;
    } else if (const int got = av_read_frame(format_, &packet); got < 0) {
        return got;
    }
    if (demuxer_facts(*format_->iformat).has(input_fact::numbers)) {
        spread_numbers(packet, *format_->streams[packet.stream_index]);
    }
    if (later_by_ > 0) {
        packet.pts = packet.pts == AV_NOPTS_VALUE ? packet.pts : packet.pts + later_by_;
        packet.dts = packet.dts == AV_NOPTS_VALUE ? packet.dts : packet.dts + later_by_;
    }
    return 0;
}

// Parsers find the end of a JPEG, and what looks like another one behind it; but where the bytes of a motion photo's
// video look like the beginning of a segment they go on behind that, and over a picture.
bool OpenedInput::is_left_out(AVPacket& packet) {
    const JpegParts::Judgement judged = jpeg_parts_.judge(Bytes(packet.data, static_cast<std::size_t>(packet.size)));
    if (judged.movie && std::exchange(tells_movies_, false)) {
        spdlog::warn("{}: the video behind the picture (motion photo) is left out", shown_name(options_.path));
    }
    if (judged.preview && std::exchange(tells_previews_, false)) {
        spdlog::warn("{}: previews, gain maps or the like behind the picture are left out", shown_name(options_.path));
    }
    if (const int size = static_cast<int>(judged.size); size < packet.size) {
        av_check(av_packet_ref(overlooked_.get(), &packet), "av_packet_ref");
        // With what was added to the packets behind it, it gets that itself when it is read.
        overlooked_->pts = packet.pts == AV_NOPTS_VALUE ? packet.pts : packet.pts - later_by_;
        overlooked_->dts = packet.dts == AV_NOPTS_VALUE ? packet.dts : packet.dts - later_by_;
        overlooked_->data += size;
        overlooked_->size -= size;
        packet.size = size;
    }
    return !judged.picture;
}

// False of one that is none by itself.
bool OpenedInput::take_picture(AVPacket& packet) {
    const AVStream& stream = *format_->streams[packet.stream_index];
    if (stream.codecpar->codec_id == AV_CODEC_ID_MJPEG && bytes_ && bytes_->seekable() && is_left_out(packet)) {
        av_packet_unref(&packet);
        return false;
    }
    if (const std::string wrong = add_what_picture_says(packet, stream.codecpar->codec_id); !wrong.empty()) {
        note_complaint(format_, wrong);
    }
    return true;
}

// Beside a picture's samples, and outside of its bytes.
void OpenedInput::add_what_file_says(AVPacket& packet) const {
    if (format_->streams[packet.stream_index]->codecpar->codec_id == AV_CODEC_ID_BMP &&
        demuxer_facts(*format_->iformat).has(input_fact::icons)) {
        put_icon_mask(packet);
    }
    if (format_->streams[packet.stream_index]->codecpar->codec_id == AV_CODEC_ID_DVVIDEO) {
        put_dv_time_code(packet);
    }
    if (of_picture_) {
        PictureSays says{.orientation = of_picture_->orientation, .profile = of_picture_->profile};
        says.add(of_picture_->exif ? "EXIF" : "");
        says.add(of_picture_->xmp ? "XMP" : "");
        add_said(packet, says);
    }
}

int OpenedInput::seek(int stream, std::int64_t latest, int flags) {
    const MissingParts::Hearing hearing(parts_);
    parts_.sought();
    given_up_ = -1;
    for (AVStream* const ended : std::exchange(left_, {})) {
        ended->discard = AVDISCARD_DEFAULT;
    }
    std::ranges::fill(latest_, 0);
    const int error = avformat_seek_file(format_, stream, INT64_MIN, latest, latest, flags);
    if (error >= 0 && format_->pb != nullptr) {
        av_packet_unref(overlooked_.get());
        later_by_ = 0;
        jpeg_parts_.go_to(avio_tell(format_->pb));
    }
    return error;
}

bool OpenedInput::may_tell_more() const {
    return bytes_ && bytes_->seekable() && !is_live(options_) &&
           std::any_of(format_->streams, format_->streams + format_->nb_streams,
                       [](const AVStream* stream) { return lacks_parameters(*stream->codecpar); });
}

// What it reads meanwhile is kept in memory. In a transport stream it would take the first table of programs for the
// only one.
void look_farther(InputOptions& options, const AVInputFormat& format) {
    OptionPairs more = {{"analyzeduration", "60000000"}, {"probesize", "200000000"}};
    if (is_transport_stream(format)) {
        more.emplace_back("scan_all_pmts", "1");
    }
    for (const auto& option : more) {
        if (find_option(options.input_options, option.first) == nullptr) {
            options.input_options.push_back(option);
        }
    }
}

// Where memory was refused some of FFmpeg's demuxers go on with what comes next, or end as at their end. What they got
// otherwise leaves no such trace.
void OpenedInput::note_memory(int got, const AVPacket& packet) {
    largest_packet_ = std::max(largest_packet_, got >= 0 ? packet.size : 0);
    if (got != AVERROR(ENOMEM) && memory_was_refused(static_cast<std::size_t>(largest_packet_))) {
        ++met_.packets;
        met_.note("memory was refused while it was read");
    }
}

// What is cut off at a packet's end looks whole in many containers.
void OpenedInput::note_lost_bytes() {
    if (const std::int64_t lost = bytes_ ? bytes_->lost_bytes() : 0; lost > 0) {
        ++met_.faults;
        met_.note(fmt::format("the file became shorter by {} bytes while it was read", lost));
    }
}

std::string OpenedInput::sha256(const std::function<bool()>& stop) {
    if (bytes_ && bytes_->was_changed()) {
        spdlog::warn(
            "{}: was written to while it was being read, so each part was filtered as it was at that "
            "moment; run again once the file is complete",
            shown_name(options_.path));
    }
    return bytes_ ? bytes_->sha256(stop) : "";
}

void OpenedInput::note_end(const AVPacket& packet) {
    if (bytes_) {
        return;
    }
    const auto index = static_cast<std::size_t>(packet.stream_index);
    const AVRational base = format_->streams[index]->time_base;
    latest_.resize(std::max<std::size_t>(latest_.size(), format_->nb_streams));
    latest_[index] = packet.pts == AV_NOPTS_VALUE ? latest_[index] : microseconds(packet.pts, base);
    if (packet.dts == AV_NOPTS_VALUE) {
        return;
    }
    ends_.resize(std::max<std::size_t>(ends_.size(), format_->nb_streams), AV_NOPTS_VALUE);
    std::int64_t& end = ends_[index];
    end = std::max(end, microseconds(av_sat_add64(packet.dts, packet.duration), base));
}

// FFmpeg's reader of DASH reads from the stream that is farthest behind, and ends with the first that has an end. The
// others go on without it.
bool OpenedInput::leave_ended_stream() {
    if (!demuxer_facts(*format_->iformat).has(input_fact::first_end)) {
        return false;
    }
    latest_.resize(std::max<std::size_t>(latest_.size(), format_->nb_streams));
    const std::span streams(format_->streams, format_->nb_streams);
    const auto is_read = [](const AVStream* stream) { return stream->discard < AVDISCARD_ALL; };
    AVStream* behind = nullptr;
    for (AVStream* const stream : streams) {
        const auto latest = [&](const AVStream* of) { return latest_[static_cast<std::size_t>(of->index)]; };
        if (is_read(stream) && (behind == nullptr || latest(stream) < latest(behind))) {
            behind = stream;
        }
    }
    if (behind != nullptr) {
        behind->discard = AVDISCARD_ALL;
        left_.push_back(behind);
    }
    return std::ranges::any_of(streams, is_read);
}

// Where parts of a playlist are joined the counters of MPEG-TS begin anew, for which its demuxer marks the packet
// before.
void OpenedInput::forgive_joint(AVPacket& packet) {
    // A WAV that was written into a pipe tells no length: its last packet is shorter than FFmpeg asks for.
    if ((packet.flags & AV_PKT_FLAG_CORRUPT) != 0 && demuxer_facts(*format_->iformat).has(input_fact::short_packet) &&
        bytes_) {
        std::array<std::uint8_t, 4> length{};
        const bool read = bytes_->read_at(4, length) == length.size();
        const auto is_all = [&](std::uint8_t value) {
            return std::ranges::all_of(length, [value](std::uint8_t byte) { return byte == value; });
        };
        packet.flags &= read && (is_all(0xff) || is_all(0)) ? ~AV_PKT_FLAG_CORRUPT : ~0;
    }
    if (parts_.joints() == 0 || (packet.flags & AV_PKT_FLAG_CORRUPT) == 0) {
        return;
    }
    forgiven_.resize(std::max<std::size_t>(forgiven_.size(), format_->nb_streams));
    if (std::int64_t& forgiven = forgiven_[static_cast<std::size_t>(packet.stream_index)]; forgiven < parts_.joints()) {
        ++forgiven;
        packet.flags &= ~AV_PKT_FLAG_CORRUPT;
    }
}

// By the streams that had packets, and the duration of the whole.
MissingParts::End OpenedInput::how_ended() const {
    constexpr std::int64_t tolerance = AV_TIME_BASE / 2;
    if (format_->duration == AV_NOPTS_VALUE) {
        return MissingParts::End::as_promised;
    }
    const std::int64_t first = format_->start_time == AV_NOPTS_VALUE ? 0 : format_->start_time;
    const std::int64_t enough = av_sat_add64(first, format_->duration) - tolerance;
    const auto early = [&](std::int64_t end) { return end != AV_NOPTS_VALUE && end < enough; };
    const auto late = [&](std::int64_t end) { return end != AV_NOPTS_VALUE && end >= enough; };
    if (std::ranges::none_of(ends_, early)) {
        return MissingParts::End::as_promised;
    }
    return std::ranges::none_of(ends_, late) ? MissingParts::End::early : MissingParts::End::uneven;
}

int OpenedInput::why_ended(int error) {
    if (timed_out_) {
        return AVERROR(ETIMEDOUT);
    }
    if (interrupted_()) {
        return error;
    }
    parts_.end(how_ended());
    // With a connection that is closed FFmpeg takes that for the end.
    const bool list = is_playlist(*format_->iformat);
    if (error == AVERROR_EOF && !list && format_->pb != nullptr && format_->pb->eof_reached != 0 && parts_.in_chunk()) {
        return AVERROR(EIO);
    }
    if (error == AVERROR(EIO) && demuxer_facts(*format_->iformat).has(input_fact::trailer) &&
        format_->pb->eof_reached != 0) {
        return AVERROR_EOF;  // it calls every end so, and the number of pictures is known
    }
    if (!parts_.ends_anywhere() || error == AVERROR_EXIT) {
        return error;
    }
    // An answer of unknown size ends with its connection.
    if (format_->pb != nullptr && format_->pb->error == AVERROR(EIO)) {
        format_->pb->error = 0;
    }
    return error == AVERROR(EIO) ? AVERROR_EOF : error;
}

void OpenedInput::check_strictly(const Damage& damage) const {
    if (options_.strict && damage.any()) {
        throw Error(ExitCode::damaged,
                    fmt::format("{}: {}, and --strict was given", shown_name(options_.path), damage.notes.front()));
    }
}

Damage OpenedInput::take_damage() {
    Damage damage = parts_.take();
    damage += std::exchange(met_, {});
    check_strictly(damage);
    return damage;
}

}  // namespace vfilter
