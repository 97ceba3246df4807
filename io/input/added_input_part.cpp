// Where the packets of an added file begin: by the input's clock, at its beginning or in a part of it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "io/input/added_input.h"
#include "io/input/layers/clock_jumps.h"
#include "io/input/part_entry.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

std::int64_t begin_of(std::int64_t told) {
    return told == AV_NOPTS_VALUE || is_priming(told) ? 0 : told;
}

}  // namespace

void AddedInput::begin(const WantedPart& part) {
    const AVFormatContext& format = source_->format();
    const std::int64_t own = own_begin();
    first_ = begin_of(part.input_begin);
    offset_ = first_ - own + std::llround(file_.later * AV_TIME_BASE);
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const AVStream& stream = *format.streams[i];
        if (places_[i] >= 0 && stream.start_time != AV_NOPTS_VALUE) {
            AVStream& copy = *description_->streams[places_[i]];
            const std::int64_t begins = microseconds(stream.start_time, stream.time_base) + offset_;
            // Of what begins earlier is left out what lies before the input's beginning.
            copy.start_time =
                av_rescale_q(file_.later < 0 ? std::max(begins, first_) : begins, microseconds_base, copy.time_base);
        }
    }
    wanted_ = part.start;
    if (wanted_ || file_.later < 0) {
        // A little later, as what is shown then would be of what lies before the part.
        begin_ = std::max(wanted_ ? part.shift : INT64_MIN, file_.later < 0 ? first_ : INT64_MIN);
        from_ = std::max(wanted_ ? *wanted_ + 1 : INT64_MIN, file_.later < 0 ? first_ : INT64_MIN);
    }
    if (from_ && *from_ - offset_ > own) {
        seek(*from_ - offset_);
    }
}

// Of words alone the clock is that of the film that they were made for, which does not begin with the first of them.
std::int64_t AddedInput::own_begin() const {
    const AVFormatContext& format = source_->format();
    const auto has_clock = [](const AVStream* stream) {
        const AVMediaType type = stream->codecpar->codec_type;
        return (type == AVMEDIA_TYPE_VIDEO && !is_attached_picture(*stream)) || type == AVMEDIA_TYPE_AUDIO;
    };
    const bool words = std::ranges::none_of(std::span(format.streams, format.nb_streams), has_clock);
    return words && !ClockJumps::occur_in(format) ? 0 : begin_of(format.start_time);
}

// By its own clock. What has no index is read from its beginning: it is small, or has no times but by what is before.
void AddedInput::seek(std::int64_t wanted) {
    const AVFormatContext& format = source_->format();
    const std::int64_t own = own_begin();
    const bool seekable = format.pb != nullptr && (format.pb->seekable & AVIO_SEEKABLE_NORMAL) != 0;
    const bool plain = std::ranges::all_of(std::span(format.streams, format.nb_streams), [](const AVStream* stream) {
        return av_get_bits_per_sample(stream->codecpar->codec_id) > 0;
    });
    if (!seekable || (!plain && (format.iformat->flags & (AVFMT_NOTIMESTAMPS | AVFMT_GENERIC_INDEX)) != 0)) {
        return;
    }
    subtitles_.find(*source_, format, own, begin_ + EarlierSubtitles::rounding - offset_, interrupted_);
    // What decoders of sound want to have heard before.
    const SeekBack seek_back{.source = *source_, .begin = own, .first = AV_TIME_BASE, .factor = 4};
    if (seek_back.before(wanted, [&] { return lands_early_enough(wanted); }) != Landing::early_enough) {
        return open();
    }
    account_->forgive();
    std::deque<PacketPtr> shown = subtitles_.take();
    earlier_.insert(earlier_.begin(), std::make_move_iterator(shown.begin()), std::make_move_iterator(shown.end()));
}

// Formats without an index (MPEG-TS) land anywhere.
bool AddedInput::lands_early_enough(std::int64_t wanted) {
    constexpr std::size_t looked_at = 1000;  // packets
    earlier_.clear();
    const AVFormatContext& format = source_->format();
    const std::span streams(format.streams, format.nb_streams);
    const auto is_sound = [](const AVStream& stream) { return stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO; };
    if (std::ranges::none_of(streams, [&](const AVStream* stream) { return is_sound(*stream); })) {
        return true;
    }
    while (earlier_.size() < looked_at) {
        PacketPtr packet = make_packet();
        if (source_->read(*packet) < 0) {
            return true;  // behind the end
        }
        const AVStream& stream = *format.streams[packet->stream_index];
        const std::int64_t time = decoding_time(*packet);
        earlier_.push_back(std::move(packet));
        if (is_sound(stream)) {
            return time != AV_NOPTS_VALUE && microseconds(time, stream.time_base) <= wanted;
        }
    }
    return true;
}

// What is on the screen at the beginning, whose own times are over, and what is decoded then and shown later.
void AddedInput::give_shown() {
    for (PacketPtr& packet : subtitles_.take_shown(begin_ - offset_, source_->format())) {
        const bool now = packet->pts == packet->dts;
        make_utf8(*packet);
        fit(*packet);
        packet->dts = av_rescale_q_rnd(begin_, microseconds_base,
                                       description_->streams[packet->stream_index]->time_base, AV_ROUND_UP);
        packet->pts = now ? packet->dts : std::max(packet->pts, packet->dts);
        shown_.push_back(std::move(packet));
    }
}

// Long before the wanted part, where it is read from its beginning: of no use to decoders either.
bool AddedInput::is_before_part(const AVPacket& packet) const {
    const AVStream& as = *description_->streams[packet.stream_index];
    const std::int64_t time = decoding_time(packet);
    const std::int64_t lead = is_subtitle(as) ? 0 : AV_TIME_BASE;
    return wanted_ && time != AV_NOPTS_VALUE &&
           microseconds(av_sat_add64(time, packet.duration), as.time_base) + lead < *wanted_;
}

// Or seen, and not only read for what comes after it.
bool AddedInput::is_heard(const AVPacket& packet) const {
    const AVStream& as = *description_->streams[packet.stream_index];
    const std::int64_t time = presentation_time(packet);
    return is_subtitle(as) || time == AV_NOPTS_VALUE ||
           microseconds(av_sat_add64(time, packet.duration), as.time_base) > first_;
}

// What is moved to where the input has not begun, but for what decoders of sound want to have heard before.
bool AddedInput::is_before_input(const AVPacket& packet) const {
    const AVStream& as = *description_->streams[packet.stream_index];
    const std::int64_t time = presentation_time(packet);
    const std::int64_t lead = is_subtitle(as) ? 0 : AV_TIME_BASE;
    return file_.later < 0 && time != AV_NOPTS_VALUE &&
           microseconds(av_sat_add64(time, is_subtitle(as) ? 0 : packet.duration), as.time_base) + lead < first_;
}

bool AddedInput::has_packets(int stream) const {
    return account_->has_packets(static_cast<int>(std::ranges::find(places_, stream) - places_.begin()));
}

// A track without anything in it would look like what was asked for.
void AddedInput::refuse_nothing() const {
    const bool packets = std::ranges::any_of(places_, [&](int place) {
        return place >= 0 && description_->streams[place]->codecpar->codec_type != AVMEDIA_TYPE_ATTACHMENT;
    });
    if (packets && file_.later < 0 && !wanted_ && !account_->damage().any()) {
        throw Error(ExitCode::input,
                    fmt::format("{}: nothing of it is left: it ends before {:g} s, which --add lets it "
                                "begin before the input",
                                file_.path, -file_.later));
    }
}

}  // namespace vfilter
