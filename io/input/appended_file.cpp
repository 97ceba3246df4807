#include "io/input/appended_file.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <span>
#include <utility>

#include "io/formats/format_facts.h"
#include "io/formats/orientation.h"
#include "io/input/evidence/promises.h"
#include "io/input/file_layers.h"
#include "io/input/frame_rates.h"
#include "io/input/layers/with_files.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

InputRequest options_behind(const InputRequest& input, std::string path) {
    InputRequest options = input;
    options.path = std::move(path);
    options.added.clear();
    options.appended.clear();
    return options;
}

std::span<AVStream* const> streams_of(const AVFormatContext& format) {
    return {format.streams, format.nb_streams};
}

bool is_of_kind(const AVStream& stream, AVMediaType kind) {
    return stream.codecpar->codec_type == kind && !is_attached_picture(stream);
}

// A stream in words: "sound 1", counted from 0 as options do.
std::string name_of(const AVFormatContext& format, const AVStream& stream) {
    const AVMediaType kind = stream.codecpar->codec_type;
    const auto before = std::ranges::count_if(streams_of(format).first(static_cast<std::size_t>(stream.index)),
                                              [&](const AVStream* other) { return is_of_kind(*other, kind); });
    const char* const word = kind == AVMEDIA_TYPE_VIDEO      ? "video"
                             : kind == AVMEDIA_TYPE_AUDIO    ? "audio"
                             : kind == AVMEDIA_TYPE_SUBTITLE ? "subtitles"
                             : kind == AVMEDIA_TYPE_DATA     ? "data"
                                                             : "attachments";
    return fmt::format("{} {}", word, before);
}

bool is_rgb_video(const AVCodecParameters& codec) {
    return is_rgb(static_cast<AVPixelFormat>(codec.format));
}

// Those that go on in time.
bool goes_on(const AVStream& stream) {
    return !is_attached_picture(stream) && stream.codecpar->codec_type != AVMEDIA_TYPE_ATTACHMENT &&
           stream.codecpar->codec_type != AVMEDIA_TYPE_UNKNOWN;
}

}  // namespace

std::int64_t end_of_packet(const AVPacket& packet, const AVStream& stream, AVRational rate) {
    const bool pictures = is_of_kind(stream, AVMEDIA_TYPE_VIDEO);
    const std::int64_t time = presentation_time(packet);
    if (time == AV_NOPTS_VALUE || (!pictures && !is_of_kind(stream, AVMEDIA_TYPE_AUDIO))) {
        return AV_NOPTS_VALUE;
    }
    const std::int64_t end = microseconds(av_sat_add64(time, packet.duration), stream.time_base);
    return packet.duration == 0 && pictures ? av_sat_add64(end, microseconds(1, av_inv_q(rate))) : end;
}

AppendedFile::AppendedFile(const InputRequest& input, std::string path, const AVFormatContext& first,
                           const std::vector<int>& videos, const std::function<bool()>& interrupted)
    : options_(options_behind(input, std::move(path))), interrupted_(interrupted) {
    look();
    find_places(first, videos);
    check_times(format(), videos_, name());
}

void check_times(const AVFormatContext& format, const std::vector<int>& videos, const std::string& name) {
    if (std::ranges::any_of(videos, [&](int video) { return format.streams[video]->start_time == AV_NOPTS_VALUE; })) {
        throw Error(ExitCode::input,
                    fmt::format("{}: its pictures have no times, by which files follow each other", name));
    }
}

void AppendedFile::look() {
    facts_ = facts_of_file(name());
    const std::unique_ptr<OpenedInput> opened = open_file(options_, interrupted_);
    AVFormatContext& format = opened->format();
    if (std::ranges::any_of(opened->unread().tracks,
                            [](const UnreadTrack& track) { return track.encrypted || track.scrambled; })) {
        throw Error(ExitCode::input, fmt::format("{}: some of it is encrypted, and cannot follow the input", name()));
    }
    for (AVStream* const stream : streams_of(format)) {
        rates_.push_back(usual_frame_rate(format, *stream));
    }
    // What codecs of sound put before their beginning is none, unless pictures begin there, too.
    const bool sound_alone = std::ranges::none_of(streams_of(format), [](const AVStream* stream) {
        return is_of_kind(*stream, AVMEDIA_TYPE_VIDEO) && stream->start_time != AV_NOPTS_VALUE &&
               stream->start_time < 0;
    });
    const bool told = format.start_time != AV_NOPTS_VALUE && !(is_priming(format.start_time) && sound_alone);
    begin_ = told ? format.start_time : 0;
    // Lengths count from there all the same.
    const std::int64_t first = format.start_time == AV_NOPTS_VALUE ? 0 : format.start_time;
    if (const std::int64_t end = told_end_of(format, first); end != AV_NOPTS_VALUE && end > begin_) {
        length_ = av_sat_sub64(end, begin_);
    }
    description_ = describe_file(format);
    description_->pb = nullptr;  // it is closed now
}

// What the run would end with in its middle.
void AppendedFile::check_decoder(const AVCodecParameters& codec) const {
    if (avcodec_find_decoder(codec.codec_id) == nullptr) {
        throw Error(ExitCode::input,
                    fmt::format("{}: this FFmpeg has no decoder for {}", name(), avcodec_get_name(codec.codec_id)));
    }
    if (std::int64_t{codec.width} * codec.height > options_.max_pixels) {
        throw Error(ExitCode::input,
                    fmt::format("{}: pictures of {}x{} are more than the limit, which --max-pixels raises", name(),
                                codec.width, codec.height));
    }
}

// The nth of a kind goes on the nth of that kind.
void AppendedFile::find_places(const AVFormatContext& first, const std::vector<int>& videos) {
    places_.assign(description_->nb_streams, -1);
    std::string left;
    for (const AVStream* const stream : streams_of(*description_)) {
        if (!goes_on(*stream)) {
            continue;
        }
        const auto place = std::ranges::find_if(streams_of(first), [&](const AVStream* other) {
            return is_of_kind(*other, stream->codecpar->codec_type) &&
                   std::ranges::find(places_, other->index) == places_.end();
        });
        if (place == streams_of(first).end()) {
            left += fmt::format("{}{}", left.empty() ? "" : ", ", name_of(*description_, *stream));
            continue;
        }
        places_[static_cast<std::size_t>(stream->index)] = (*place)->index;
        if (std::ranges::find(videos, (*place)->index) != videos.end()) {
            videos_.push_back(stream->index);
            check_decoder(*stream->codecpar);
            if (is_rgb_video(*stream->codecpar) != is_rgb_video(*(*place)->codecpar)) {
                throw Error(
                    ExitCode::usage,
                    fmt::format("--append: {}: RGB and YUV files cannot be joined in one output; ffmpeg -i FILE -vf "
                                "format=yuv444p makes YUV of the RGB one",
                                name()));
            }
            if (display_turn(*stream) != display_turn(**place)) {
                throw Error(ExitCode::usage, fmt::format("--append: {}: its pictures are turned otherwise than the "
                                                         "input's when they are shown; --vf transpose makes them stand "
                                                         "upright by themselves, each file for itself",
                                                         name()));
            }
        }
    }
    if (!left.empty()) {
        spdlog::warn("{}: streams without a counterpart in the input are left out: {}", name(), left);
    }
    std::string missing;
    for (const AVStream* const stream : streams_of(first)) {
        if (!goes_on(*stream) || own_of(stream->index) >= 0) {
            continue;
        }
        if (std::ranges::find(videos, stream->index) != videos.end()) {
            throw Error(ExitCode::input, fmt::format("{}: has no {} to continue that of the input, which is filtered",
                                                     name(), name_of(first, *stream)));
        }
        missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name_of(first, *stream));
    }
    if (!missing.empty()) {
        spdlog::warn("{}: lacks what the input has: {}", name(), missing);
    }
}

int AppendedFile::place_of(int own) const {
    return own >= 0 && own < static_cast<int>(places_.size()) ? places_[static_cast<std::size_t>(own)] : -1;
}

int AppendedFile::own_of(int stream) const {
    const auto found = std::ranges::find(places_, stream);
    return found == places_.end() ? -1 : static_cast<int>(found - places_.begin());
}

void AppendedFile::measure() {
    constexpr std::int64_t margin = AV_TIME_BASE;
    if (!length_) {
        return;
    }
    open();
    // From the beginning where it cannot be sought.
    if (const std::int64_t late = av_sat_sub64(av_sat_add64(begin_, *length_), margin); late > begin_) {
        seek(-1, late, 0);
    }
    PacketPtr packet = make_packet();
    while (read(*packet) >= 0) {
        if (const std::int64_t end = end_of(*packet); end != AV_NOPTS_VALUE) {
            length_ = std::max(*length_, av_sat_sub64(end, begin_));
        }
        av_packet_unref(packet.get());
    }
    forget();
}

std::int64_t AppendedFile::end_of(const AVPacket& packet) const {
    const auto own = static_cast<std::size_t>(packet.stream_index);
    return own < rates_.size() ? end_of_packet(packet, *description_->streams[packet.stream_index], rates_[own])
                               : AV_NOPTS_VALUE;
}

void AppendedFile::open() {
    forget();
    if (facts_of_file(name()) != facts_) {
        throw Error(ExitCode::input, fmt::format("{}: has changed since it was first looked at", name()));
    }
    std::unique_ptr<OpenedInput> opened = open_file(options_, interrupted_);
    if (opened->format().nb_streams < description_->nb_streams) {
        throw Error(ExitCode::input, fmt::format("{}: has fewer streams than when it was first looked at", name()));
    }
    account_.emplace(options_, opened->format(), videos_, rates_);
    source_ = std::move(opened);
    lay_file_layers(source_, videos_, options_, *account_);
}

int AppendedFile::read(AVPacket& packet) {
    return named([&] {
        const int got = source_->read(packet);
        if (got >= 0) {
            account_->given(packet);
        }
        return got;
    });
}

void AppendedFile::found(const Damage& damage) {
    if (account_) {
        account_->found(damage);
    } else {
        damage_ += damage;
    }
}

void AppendedFile::close(int error) {
    named([&] { judge(error); });
    source_.reset();  // before what it counts for
    account_.reset();
}

void AppendedFile::judge(int error) {
    account_->end(error, interrupted_(), *source_, length_ ? av_sat_add64(begin_, *length_) : AV_NOPTS_VALUE);
    if (options_.sha256 && error == AVERROR_EOF) {
        sum_ = source_->sha256(interrupted_);
    }
    for (int own = 0; own < static_cast<int>(tallies_.size()); ++own) {
        tallies_[static_cast<std::size_t>(own)] = {account_->has_packets(own), account_->empty_packets(own)};
    }
    pictures_end_ = account_->pictures_end();
    damage_ = account_->damage();
}

void AppendedFile::forget() {
    source_.reset();
    account_.reset();
    sum_.clear();
    tallies_.assign(places_.size(), {});
    pictures_end_ = AV_NOPTS_VALUE;
    damage_ = {};
}

Damage AppendedFile::damage() const {
    Damage damage = account_ ? account_->damage() : damage_;
    for (std::string& note : damage.notes) {
        note = fmt::format("{}: {}", name(), note);
    }
    return damage.give_to(name());
}

std::int64_t AppendedFile::empty_packets(int stream) const {
    const int own = own_of(stream);
    return own < 0 || tallies_.empty() ? 0
           : account_                  ? account_->empty_packets(own)
                                       : tallies_[static_cast<std::size_t>(own)].empty;
}

bool AppendedFile::has_packets(int stream) const {
    const int own = own_of(stream);
    return own >= 0 && !tallies_.empty() &&
           (account_ ? account_->has_packets(own) : tallies_[static_cast<std::size_t>(own)].any);
}

}  // namespace vfilter
