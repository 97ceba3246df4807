#include "io/input/demuxer.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <map>
#include <new>
#include <optional>
#include <string_view>
#include <thread>

#include "io/compat.h"
#include "io/input/source.h"
#include "io/output/container_rules.h"

namespace vfilter {

namespace {

constexpr std::size_t most_read_ahead = 5000;  // packets, while seeking
constexpr std::int64_t least_jump = AV_TIME_BASE / 10;
constexpr int most_skipped = 600;               // pictures without a key frame after which what comes is taken
constexpr std::chrono::milliseconds slice{50};  // how late an interrupt may be seen while nothing else is done
constexpr std::chrono::milliseconds first_delay{500};
constexpr std::chrono::milliseconds longest_delay{5000};
constexpr std::int64_t longest_gap = 2 * std::int64_t{AV_TIME_BASE};  // between pictures that are paced
constexpr AVRational ticks_base{1, AV_TIME_BASE};
constexpr std::size_t told_faults = 4;
// A stream ends early from so many pictures on, or so many seconds where it is none: clocks are rounded, and the last
// packet's duration may be unknown.
constexpr double early_pictures = 1.6;
constexpr double early_sound = 0.5;

std::int64_t stamp_of(const AVPacket& packet) {
    return packet.dts != AV_NOPTS_VALUE ? packet.dts : packet.pts;
}

std::string describe_video(const AVStream& stream) {
    return fmt::format("{} {}x{}", describe(stream), stream.codecpar->width, stream.codecpar->height);
}

bool is_mov(const AVFormatContext& format) {
    return std::string_view(format.iformat->name).starts_with("mov,");
}

// By the table, to which edit lists have been applied; an empty sample, as some recorders write at the end, is not
// given.
std::int64_t count_samples(const AVStream& stream) {
    std::int64_t count = 0;
    auto& entries = const_cast<AVStream&>(stream);  // libavformat only reads it
    for (int i = 0; i < avformat_index_get_entries_count(&stream); ++i) {
        const AVIndexEntry* const entry = avformat_index_get_entry(&entries, i);
        count += entry != nullptr && entry->size > 0 ? 1 : 0;
    }
    return count;
}

// The tracks of a kind stand in the same order in both, whatever their numbers are.
const TrackEvidence* track_of(const ContainerScan& scan, const AVFormatContext& format, unsigned index) {
    const AVMediaType type = format.streams[index]->codecpar->codec_type;
    if ((type != AVMEDIA_TYPE_VIDEO && type != AVMEDIA_TYPE_AUDIO) || is_attached_picture(*format.streams[index])) {
        return nullptr;
    }
    const auto kind = type == AVMEDIA_TYPE_VIDEO ? TrackEvidence::Kind::video : TrackEvidence::Kind::audio;
    const auto tracks = std::ranges::count(scan.tracks(), kind, &TrackEvidence::kind);
    std::ptrdiff_t place = 0;
    std::ptrdiff_t streams = 0;
    for (unsigned i = 0; i < format.nb_streams; ++i) {
        if (format.streams[i]->codecpar->codec_type == type && !is_attached_picture(*format.streams[i])) {
            place += i < index ? 1 : 0;
            ++streams;
        }
    }
    if (streams != tracks) {
        return nullptr;  // one of them sees what the other does not
    }
    for (const TrackEvidence& track : scan.tracks()) {
        if (track.kind == kind && place-- == 0) {
            return &track;
        }
    }
    return nullptr;
}

void move_stamps(AVPacket& packet, std::int64_t offset) {
    packet.pts += packet.pts == AV_NOPTS_VALUE ? 0 : offset;
    packet.dts += packet.dts == AV_NOPTS_VALUE ? 0 : offset;
}

}  // namespace

Demuxer::Demuxer(InputOptions options, std::function<bool()> interrupted)
    : options_(std::move(options)),
      interrupted_(std::move(interrupted)),
      live_(is_live(options_)),
      paced_(live_ && !source_of(options_.path).live) {
    check_source(options_);
    input_ = std::make_unique<OpenedInput>(options_, interrupted_);
    format_ = &input_->format();
    known_streams_ = format_->nb_streams;
    waits_ = input_->waits();
    choose_videos();
    AVFormatContext& context = input_->format();
    for (unsigned i = 0; i < context.nb_streams; ++i) {
        const AVRational rate = av_guess_frame_rate(&context, context.streams[i], nullptr);
        frame_rates_.push_back(rate.num > 0 && rate.den > 0 ? rate : AVRational{25, 1});
    }
    frame_rate_ = frame_rate(video_);
    if (options_.reconnect > 0) {
        describe();
    }
    first_ = format_->start_time == AV_NOPTS_VALUE ? 0 : format_->start_time;
    first_picture_ =
        video().start_time == AV_NOPTS_VALUE ? first_ : av_rescale_q(video().start_time, video().time_base, ticks_base);
    if (live()) {
        begin_live();
    }
    choose_part();
}

Demuxer::~Demuxer() = default;

void Demuxer::choose_videos() {
    const std::string name = shown_name(options_.path);
    // A cover is a video stream of one picture: never one to filter.
    std::vector<int> real;
    for (unsigned i = 0; i < format_->nb_streams; ++i) {
        if (format_->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
            !is_attached_picture(*format_->streams[i])) {
            real.push_back(static_cast<int>(i));
        }
    }
    if (real.empty()) {
        throw Error(ExitCode::input, fmt::format("{}: holds no video", name));
    }
    const std::string& wanted = options_.video_stream;
    if (wanted == "all") {
        videos_ = real;
    } else if (!wanted.empty()) {
        const auto number = static_cast<std::size_t>(std::stoul(wanted));
        if (number >= real.size()) {
            throw Error(ExitCode::usage, fmt::format("--video-stream: {} has {} video stream{}, numbered from 0", name,
                                                     real.size(), real.size() == 1 ? "" : "s"));
        }
        videos_ = {real[number]};
    } else {
        const int best = av_find_best_stream(&input_->format(), AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
        videos_ = {std::ranges::find(real, best) != real.end() ? best : real.front()};
    }
    video_ = videos_.front();
    if (real.size() > videos_.size()) {
        tell_choice();
    }
}

// Two cameras in one file look like one where only one is filtered: whoever wanted faces blurred has to know.
void Demuxer::tell_choice() const {
    std::string others;
    for (unsigned i = 0; i < format_->nb_streams; ++i) {
        const AVStream& stream = *format_->streams[i];
        if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_attached_picture(stream) &&
            !is_filtered(static_cast<int>(i))) {
            others += fmt::format("{}{}", others.empty() ? "" : ", ", describe_video(stream));
        }
    }
    spdlog::warn("of several videos only {} is filtered; not filtered: {}. --video-stream chooses, or takes all",
                 describe_video(video()), others);
}

bool Demuxer::is_filtered(int stream) const {
    return std::ranges::find(videos_, stream) != videos_.end();
}

// Others keep looking at format() while the input is closed and opened again: what it tells is copied.
void Demuxer::describe() {
    description_.reset(avformat_alloc_context());
    if (!description_) {
        throw std::bad_alloc();
    }
    const AVFormatContext& from = *format_;
    description_->iformat = from.iformat;
    description_->start_time = from.start_time;
    description_->duration = from.duration;
    av_dict_copy(&description_->metadata, from.metadata, 0);
    for (unsigned i = 0; i < from.nb_streams; ++i) {
        const AVStream& stream = *from.streams[i];
        AVStream* const copy = avformat_new_stream(description_.get(), nullptr);
        if (copy == nullptr) {
            throw std::bad_alloc();
        }
        av_check(avcodec_parameters_copy(copy->codecpar, stream.codecpar), "avcodec_parameters_copy");
        copy->id = stream.id;
        copy->time_base = stream.time_base;
        copy->start_time = stream.start_time;
        copy->disposition = stream.disposition;
        copy->avg_frame_rate = stream.avg_frame_rate;
        copy->r_frame_rate = stream.r_frame_rate;
        copy->sample_aspect_ratio = stream.sample_aspect_ratio;
        av_dict_copy(&copy->metadata, stream.metadata, 0);
        copy_side_data(stream, *copy);
    }
    format_ = description_.get();
}

void Demuxer::choose_part() {
    const double rate = av_q2d(frame_rate());
    const auto ticks = [](double seconds) { return static_cast<std::int64_t>(seconds * AV_TIME_BASE); };
    // Limits lie a little early, so that a rounded time means the frame that has it, and a number that frame.
    const auto early = [&](const Position& position) { return position.frames ? 0.5 / rate : 0.001; };
    // Frames are counted from the first picture, which sound may precede.
    const auto at = [&](const Position& position) {
        return (position.frames ? first_picture_ : first_) + ticks(position.seconds(rate));
    };
    std::int64_t from = first_;
    if (options_.start) {
        from = shift_ = at(*options_.start);
        start_ = shift_ - ticks(early(*options_.start));
        seek(*start_);
    }
    if (options_.end) {
        end_ = at(*options_.end) - ticks(early(*options_.end));
    } else if (options_.duration) {
        const bool counted = !options_.start && options_.duration->frames;
        end_ = (counted ? first_picture_ : from) + ticks(options_.duration->seconds(rate) - early(*options_.duration));
    }
    if (options_.frames) {
        const std::int64_t last =
            (options_.start ? from : first_picture_) + ticks((static_cast<double>(*options_.frames) - 0.5) / rate);
        end_ = std::min(last, end_.value_or(last));
    }
}

// To a key frame from which the wanted picture can be decoded. Formats without an index (MPEG-TS) land anywhere, so it
// is looked at where: if the next key frame comes too late, the way leads further back.
void Demuxer::seek(std::int64_t wanted) {
    if (wanted <= first_) {
        return;
    }
    from_beginning_ = false;
    // Where the key frame is not a clean beginning (open groups of pictures), the decoder keeps the next few to itself.
    const std::int64_t margin = (format_->iformat->flags & AVFMT_TS_DISCONT) != 0 ? AV_TIME_BASE : 0;
    const auto forget = [&] {
        ended_ = false;
        damage_ = {};
        corrupt_ = 0;
        tallies_.clear();
        jumps_ = {0};
        clocks_.clear();
        last_end_ = AV_NOPTS_VALUE;
    };
    // FFmpeg goes by the stream that it takes for the best; one that was asked for by its number may be another.
    const int stream = options_.video_stream.empty() ? -1 : video_;
    const auto in_its_clock = [&](std::int64_t time) {
        return stream < 0 ? time : av_rescale_q(time, ticks_base, video().time_base);
    };
    for (std::int64_t back = 0; wanted - back > first_; back = 2 * back + AV_TIME_BASE) {
        const std::int64_t at = in_its_clock(wanted - back);
        if (avformat_seek_file(&input_->format(), stream, INT64_MIN, at, at, 0) < 0) {
            spdlog::warn("the input cannot be sought: it is read from the beginning up to --start");
            return;
        }
        std::deque<PacketPtr> read_ahead;
        std::map<int, std::int64_t> keys;  // of each filtered video, the first one
        while (keys.size() < videos_.size() && read_ahead.size() < most_read_ahead) {
            PacketPtr packet = read();
            if (!packet) {
                break;
            }
            if (is_filtered(packet->stream_index) && (packet->flags & AV_PKT_FLAG_KEY) != 0) {
                const std::int64_t stamp = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
                const AVRational base = format_->streams[packet->stream_index]->time_base;
                keys.emplace(packet->stream_index,
                             stamp == AV_NOPTS_VALUE ? wanted : av_rescale_q(stamp, base, ticks_base));
            }
            read_ahead.push_back(std::move(packet));
        }
        const bool early_enough = keys.size() == videos_.size() && std::ranges::all_of(keys, [&](const auto& key) {
                                      return key.second <= wanted - margin;
                                  });
        if (early_enough) {
            unread(std::move(read_ahead));
            damage_ = {};  // what a demuxer says of landing in the middle is about no damage
            return;
        }
        forget();
    }
    // The very beginning: by bytes where the clock may jump, because by time MPEG-TS lands behind its first key frame.
    const bool bytes = (format_->iformat->flags & AVFMT_TS_DISCONT) != 0;
    const std::int64_t beginning = bytes ? 0 : first_;
    av_check(avformat_seek_file(&input_->format(), -1, INT64_MIN, beginning, beginning, bytes ? AVSEEK_FLAG_BYTE : 0),
             "avformat_seek_file", ExitCode::input);
}

// Some formats' clocks jump back: a recorder restarted, two files put together. Time goes on from where the streams
// were. Each stream meets the jump at a place of its own; the first one to do so says by how much all are moved.
void Demuxer::bridge_jump(AVPacket& packet) {
    if ((format_->iformat->flags & AVFMT_TS_DISCONT) == 0) {
        return;
    }
    clocks_.resize(std::max<std::size_t>(clocks_.size(), format_->nb_streams));
    Clock& clock = clocks_[static_cast<std::size_t>(packet.stream_index)];
    const AVRational base = format_->streams[packet.stream_index]->time_base;
    const AVRational ticks = ticks_base;
    if (packet.dts != AV_NOPTS_VALUE) {
        const std::int64_t dts = av_rescale_q(packet.dts, base, ticks) + jumps_[clock.jump];
        if (clock.due != AV_NOPTS_VALUE && dts < clock.due - least_jump) {
            if (++clock.jump == jumps_.size()) {
                const auto latest = std::ranges::max_element(clocks_, {}, &Clock::due);
                jumps_.push_back(jumps_.back() + latest->due - dts);
                spdlog::debug("stream {}: the clock jumps by {:.3f} s", packet.stream_index,
                              static_cast<double>(dts - clock.due) / AV_TIME_BASE);
            }
        }
    }
    move_stamps(packet, av_rescale_q(jumps_[clock.jump], ticks, base));
    if (packet.dts != AV_NOPTS_VALUE) {
        clock.due = av_rescale_q(packet.dts + packet.duration, base, ticks);
    }
}

// Where a header tells the duration it counts from 0; where it was measured, from the first timestamp.
std::int64_t Demuxer::told_end() const {
    const bool header = format_->duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
    return format_->duration + (header ? std::min<std::int64_t>(first_, 0) : first_);
}

std::int64_t Demuxer::expected_frames(int stream) const {
    if (const std::int64_t told = format_->streams[stream]->nb_frames; !start_ && !end_ && told > 0) {
        return told;
    }
    if (format_->duration == AV_NOPTS_VALUE || format_->duration <= 0) {
        const double seconds = end_ ? static_cast<double>(*end_ - first_) / AV_TIME_BASE : 0;
        return options_.frames.value_or(std::llround(seconds * av_q2d(frame_rate(stream))));
    }
    const std::int64_t end = std::min(told_end(), end_.value_or(INT64_MAX));
    const double seconds = static_cast<double>(end - start_.value_or(first_)) / AV_TIME_BASE;
    return std::max<std::int64_t>(0, std::llround(seconds * av_q2d(frame_rate(stream))));
}

PacketPtr Demuxer::read() {
    PacketPtr packet;
    if (unread_.empty()) {
        packet = read_new();
    } else {
        packet = std::move(unread_.front());
        unread_.pop_front();
    }
    if (packet && paced_ && packet->stream_index == video_) {
        pace(*packet);
    }
    return packet;
}

PacketPtr Demuxer::read_new() {
    for (;;) {
        if (ended_ || interrupted_()) {
            return nullptr;
        }
        PacketPtr packet = make_packet();
        const int got = input_->read(*packet);
        if (got < 0) {
            if (reopen(got)) {
                continue;
            }
            ended_ = true;
            note_end(got);
            return nullptr;
        }
        if (live() && !take_live(*packet)) {
            continue;
        }
        note_complaint(packet.get());
        if ((packet->flags & AV_PKT_FLAG_CORRUPT) != 0) {
            ++corrupt_;
            const std::int64_t stamp = stamp_of(*packet);
            if (stamp != AV_NOPTS_VALUE) {
                damage_.note(fmt::format(
                    "stream {}: a damaged packet at {:.3f} s", packet->stream_index,
                    static_cast<double>(stamp) * av_q2d(format_->streams[packet->stream_index]->time_base)));
            }
            if (options_.strict) {
                throw Error(ExitCode::damaged, "a packet of the input is damaged, and --strict was given");
            }
        }
        if (!live()) {
            tallies_.resize(std::max<std::size_t>(tallies_.size(), format_->nb_streams));
            Tally& tally = tallies_[static_cast<std::size_t>(packet->stream_index)];
            ++tally.packets;
            if (const std::int64_t shown = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
                shown != AV_NOPTS_VALUE && shown + packet->duration > tally.end) {
                tally.end = shown + packet->duration;
                tally.last_duration = packet->duration;
            }
            tally.last_corrupt = (packet->flags & AV_PKT_FLAG_CORRUPT) != 0;
        }
        bridge_jump(*packet);
        const AVStream& stream = *format_->streams[packet->stream_index];
        if (live()) {
            bridge_loss(*packet);
        }
        if (packet->dts != AV_NOPTS_VALUE) {
            const std::int64_t end =
                av_rescale_q(packet->dts + packet->duration, stream.time_base, AVRational{1, AV_TIME_BASE});
            last_end_ = std::max(last_end_, end);  // AV_NOPTS_VALUE is the least of all
        }
        return packet;
    }
}

// Time begins with the first picture that can be shown, whatever a camera's clock said then.
void Demuxer::begin_live() {
    headless_ = true;
    std::deque<PacketPtr> first;
    PacketPtr packet = read_new();
    if (packet) {
        const std::int64_t stamp = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
        first_picture_ = stamp == AV_NOPTS_VALUE ? 0 : av_rescale_q(stamp, video().time_base, ticks_base);
        first_ = first_picture_;
        shift_ = first_;
        first.push_back(std::move(packet));
        unread(std::move(first));
    }
}

// Gives a packet the number and the clock that its stream had at first. False for those that nobody can use: of streams
// that were not there then, and before the first key frame.
bool Demuxer::take_live(AVPacket& packet) {
    const auto index = static_cast<std::size_t>(packet.stream_index);
    if (!streams_.empty()) {
        if (index >= streams_.size() || streams_[index] < 0) {
            return false;
        }
        packet.stream_index = streams_[index];
        av_packet_rescale_ts(&packet, time_bases_[index], format_->streams[packet.stream_index]->time_base);
    } else if (index >= known_streams_) {
        return false;
    }
    if (headless_) {
        const bool key =
            packet.stream_index == video_ && ((packet.flags & AV_PKT_FLAG_KEY) != 0 || ++skipped_ > most_skipped);
        if (!key) {
            return false;
        }
        headless_ = false;
        skipped_ = 0;
        failures_ = 0;
    }
    return true;
}

// After a loss time goes on by as much as has passed meanwhile, whatever the input's clock says now.
void Demuxer::bridge_loss(AVPacket& packet) {
    const AVRational base = format_->streams[packet.stream_index]->time_base;
    const std::int64_t stamp = stamp_of(packet);
    const auto now = SteadyClock::now();
    if (lost_) {
        const double seconds = std::chrono::duration<double>(now - *lost_).count();
        if (stamp != AV_NOPTS_VALUE && live_stamp_ != AV_NOPTS_VALUE) {
            const std::int64_t passed = live_stamp_ + static_cast<std::int64_t>(seconds * AV_TIME_BASE);
            offset_ = std::max(live_end_, passed) - av_rescale_q(stamp, base, ticks_base);
        }
        lost_.reset();
        reconnects_.fetch_add(1, std::memory_order_relaxed);
        spdlog::info("{}: is back after {:.1f} s", shown_name(options_.path), seconds);
    }
    heard_ = now;
    move_stamps(packet, av_rescale_q(offset_, ticks_base, base));
    if (stamp != AV_NOPTS_VALUE) {
        const std::int64_t begin = av_rescale_q(stamp, base, ticks_base) + offset_;
        live_stamp_ = std::max(live_stamp_, begin);
        live_end_ =
            std::max(live_end_, begin + std::max(av_rescale_q(packet.duration, base, ticks_base), std::int64_t{1000}));
    }
}

std::string Demuxer::why_lost(int error) const {
    return error == AVERROR_EOF          ? "it ended"
           : error == AVERROR(ETIMEDOUT) ? fmt::format("nothing came for {:g} s", options_.timeout)
                                         : av_message(error);
}

// False if it stays lost.
bool Demuxer::reopen(int error) {
    if (options_.reconnect == 0 || interrupted_()) {
        return false;
    }
    if (!lost_) {
        lost_ = heard_;
    }
    const std::string name = shown_name(options_.path);
    std::string why = why_lost(error);
    while (failures_ < options_.reconnect) {
        input_.reset();  // a camera is not opened twice
        const auto delay = std::min(longest_delay, first_delay * (1 << std::min(failures_, 4)));
        ++failures_;
        spdlog::warn("{}: {}; it is opened again in {:.1f} s ({} of {})", name, why,
                     std::chrono::duration<double>(delay).count(), failures_, options_.reconnect);
        if (!wait_until(SteadyClock::now() + delay)) {
            return false;
        }
        try {
            input_ = std::make_unique<OpenedInput>(options_, interrupted_);
            complaints_ = 0;
        } catch (const Error& failure) {
            why = failure.what();
            if (const std::string_view rest = why;
                rest.starts_with(name) && rest.substr(name.size()).starts_with(": ")) {
                why.erase(0, name.size() + 2);
            }
            continue;
        }
        if (!map_streams()) {
            spdlog::error("{}: came back as something else, with other streams", name);
            return false;
        }
        headless_ = true;
        skipped_ = 0;
        clocks_.clear();
        jumps_ = {0};
        return true;
    }
    return false;
}

// Finds each stream of before among those of now: the first of a type and codec stays the first. False if the video is
// not there.
bool Demuxer::map_streams() {
    const AVFormatContext& now = input_->format();
    streams_.assign(now.nb_streams, -1);
    time_bases_.clear();
    for (unsigned i = 0; i < now.nb_streams; ++i) {
        const AVStream& stream = *now.streams[i];
        time_bases_.push_back(stream.time_base);
        for (unsigned before = 0; before < format_->nb_streams; ++before) {
            const AVCodecParameters& codec = *format_->streams[before]->codecpar;
            const bool taken = std::ranges::find(streams_, static_cast<int>(before)) != streams_.end();
            if (!taken && codec.codec_type == stream.codecpar->codec_type &&
                codec.codec_id == stream.codecpar->codec_id) {
                streams_[i] = static_cast<int>(before);
                break;
            }
        }
    }
    return std::ranges::find(streams_, video_) != streams_.end();
}

// False if it was interrupted.
bool Demuxer::wait_until(SteadyClock::time_point time) const {
    for (;;) {
        if (interrupted_()) {
            return false;
        }
        const auto now = SteadyClock::now();
        if (now >= time) {
            return true;
        }
        std::this_thread::sleep_for(std::min<SteadyClock::duration>(slice, time - now));
    }
}

// A file at its own pace. By decoding time, so that pictures are there when they are to be shown. Where the timestamps
// jump the clock begins anew, and where there are none the rate counts.
void Demuxer::pace(const AVPacket& packet) {
    const std::int64_t stamp = stamp_of(packet);
    const std::int64_t frame = av_rescale_q(1, av_inv_q(frame_rate()), ticks_base);
    const std::int64_t time = stamp != AV_NOPTS_VALUE ? av_rescale_q(stamp, video().time_base, ticks_base)
                              : pace_                 ? pace_->last + frame
                                                      : 0;
    if (!pace_ || time < pace_->last || time > pace_->last + std::max(longest_gap, 2 * frame)) {
        pace_ = Pace{SteadyClock::now(), time, time};
        return;
    }
    pace_->last = time;
    // Interrupted, what is there is given all the same.
    static_cast<void>(wait_until(pace_->begin + std::chrono::microseconds(time - pace_->first)));
}

const AVPacket* Demuxer::peek(int stream) const {
    const auto found = std::ranges::find(unread_, stream, [](const PacketPtr& packet) { return packet->stream_index; });
    return found == unread_.end() ? nullptr : found->get();
}

void Demuxer::unread(std::deque<PacketPtr> packets) {
    pace_.reset();
    unread_.insert(unread_.begin(), std::make_move_iterator(packets.begin()), std::make_move_iterator(packets.end()));
}

// Whether the input ended where its header says. A guess from the bit rate is no promise.
void Demuxer::note_end(int error) {
    if (interrupted_()) {
        damage_.packets += corrupt_;
        return;
    }
    const std::string name = shown_name(options_.path);
    // A live input that ends as it should is no loss, unless the user wanted it back.
    if (error == AVERROR(ETIMEDOUT) || (live() && (error != AVERROR_EOF || options_.reconnect > 0))) {
        spdlog::warn("{}: lost: {}", name, why_lost(error));
        damage_.lost = true;
        damage_.packets += corrupt_;
        return;
    }
    if (error != AVERROR_EOF) {
        spdlog::warn("reading the input: {}", av_message(error));
        ++damage_.packets;
    }
    if (format_->pb != nullptr && format_->pb->error < 0 && format_->pb->error != AVERROR_EOF) {
        spdlog::warn("reading the input: {}", av_message(format_->pb->error));
        ++damage_.packets;
    }
    note_complaint(nullptr);
    const ContainerScan* const scan = from_beginning_ && !live() ? input_->scan() : nullptr;
    judge_corrupt_packets(scan);
    if (scan != nullptr) {
        judge_structure(*scan);
    }
    if (from_beginning_ && !live()) {
        judge_streams(scan);
        tell_early_end();
    }
    // What knows of each stream needs no duration of the whole file, of which chapters are a part, and which files that
    // were written through a pipe do not know.
    const std::string_view container = format_->iformat->name;
    if (format_->duration == AV_NOPTS_VALUE || last_end_ == AV_NOPTS_VALUE ||
        format_->duration_estimation_method == AVFMT_DURATION_FROM_BITRATE ||
        (scan != nullptr && (is_mov(*format_) || container == "avi"))) {
        return;
    }
    const double missing = static_cast<double>(told_end() - last_end_) / AV_TIME_BASE;
    const double tolerance = 1.0 + 2 / av_q2d(frame_rate());  // sparse streams, rounding, B-frames
    if (missing > tolerance) {
        damage_.missing_seconds = std::max(damage_.missing_seconds, missing);
    }
}

// Of MPEG-TS the demuxer marks what stands where two files were put together as well. There the scan knows better, but
// for the last packet of a stream, which is cut short without a contradiction.
void Demuxer::judge_corrupt_packets(const ContainerScan* scan) {
    const bool scanned = scan != nullptr && std::string_view(format_->iformat->name) == "mpegts";
    if (scanned && scan->fault_count() == 0) {
        corrupt_ = std::ranges::count(tallies_, true, &Tally::last_corrupt);
    }
    damage_.packets += corrupt_;
}

// Errors that the demuxer has logged since the last packet: with the place where it went on.
void Demuxer::note_complaint(const AVPacket* packet) {
    if (!input_ || input_->complaints().count() == complaints_) {
        return;
    }
    const std::int64_t now = input_->complaints().count();
    damage_.complaints += std::max<std::int64_t>(0, now - complaints_);
    complaints_ = now;
    const std::int64_t stamp = packet != nullptr ? stamp_of(*packet) : AV_NOPTS_VALUE;
    damage_.note(stamp == AV_NOPTS_VALUE ? fmt::format("reading: {}", input_->complaints().latest())
                                         : fmt::format("reading, before {:.3f} s: {}",
                                                       static_cast<double>(stamp) *
                                                           av_q2d(format_->streams[packet->stream_index]->time_base),
                                                       input_->complaints().latest()));
    if (options_.strict) {
        throw Error(ExitCode::damaged,
                    fmt::format("the input is damaged ({}), and --strict was given", input_->complaints().latest()));
    }
}

void Demuxer::judge_structure(const ContainerScan& scan) {
    damage_.faults += scan.fault_count();
    for (std::size_t i = 0; i < std::min(told_faults, scan.faults().size()); ++i) {
        damage_.note(fmt::format("container: {} at byte {}", scan.faults()[i].what, scan.faults()[i].offset));
    }
}

void Demuxer::judge_streams(const ContainerScan* scan) {
    tallies_.resize(std::max<std::size_t>(tallies_.size(), format_->nb_streams));
    for (unsigned i = 0; i < format_->nb_streams; ++i) {
        const AVMediaType type = format_->streams[i]->codecpar->codec_type;
        if ((type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO) && !is_attached_picture(*format_->streams[i])) {
            judge_stream(static_cast<int>(i), scan != nullptr ? track_of(*scan, *format_, i) : nullptr);
        }
    }
}

std::int64_t Demuxer::empty_packets(int stream) const {
    const auto index = static_cast<std::size_t>(stream);
    return index < tallies_.size() ? tallies_[index].empty : 0;
}

// Nothing in the file may say that the end of the video is missing where sound goes on without it. Often it was made
// so; whoever knows better has to see it.
void Demuxer::tell_early_end() const {
    constexpr double worth_telling = 1.0;
    double sound = 0;
    double pictures = 0;
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
        const AVStream& stream = *format_->streams[i];
        if (tallies_[i].end == AV_NOPTS_VALUE || is_attached_picture(stream)) {
            continue;
        }
        const double end = static_cast<double>(tallies_[i].end) * av_q2d(stream.time_base);
        double& latest = stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO ? sound : pictures;
        if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO || is_filtered(static_cast<int>(i))) {
            latest = std::max(latest, end);
        }
    }
    if (pictures > 0 && sound - pictures > worth_telling && !damage_.any()) {
        spdlog::warn("the video ends {:.1f} s before the sound; the file does not say that it should not",
                     sound - pictures);
    }
}

// Each stream against what the container says of it alone: whole sound hides no missing end of the video.
void Demuxer::judge_stream(int index, const TrackEvidence* track) {
    const AVStream& stream = *format_->streams[index];
    Tally& tally = tallies_[static_cast<std::size_t>(index)];
    // Of a transport stream the scan counts other things.
    if (track != nullptr && !is_mov(*format_) && std::string_view(format_->iformat->name) != "mpegts") {
        tally.empty = std::max<std::int64_t>(0, track->found - tally.packets);
    }
    const bool video = stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    constexpr double worth_telling = 0.05;
    std::int64_t promised = 0;
    std::int64_t came = tally.packets;
    std::string_view source;
    if (is_mov(*format_)) {
        promised = count_samples(stream);
        source = "sample table";
    } else if (track != nullptr && track->promised) {
        promised = *track->promised;
        came = std::max(came, track->found);  // empty ones are not given to us
        source = track->source;
    }
    if (promised > came) {
        (video ? damage_.pictures : damage_.packets) += promised - came;
        damage_.note(fmt::format("{}: {} of {} packets are missing, by its {}", vfilter::describe(stream),
                                 promised - came, promised, source));
        const double seconds = static_cast<double>(promised - came) / av_q2d(frame_rate(index));
        if (video && is_mov(*format_) && seconds > worth_telling) {
            damage_.missing_seconds = std::max(damage_.missing_seconds, seconds);  // such a file is short of its end
        }
        return;
    }
    // The end may be pictures that repeat the last one.
    if (is_mov(*format_) || track == nullptr || !track->seconds || tally.end == AV_NOPTS_VALUE || tally.empty > 0) {
        return;
    }
    const double missing = *track->seconds - static_cast<double>(tally.end) * av_q2d(stream.time_base);
    const double rate = av_q2d(frame_rate(index));
    const double tolerance = video ? (early_pictures + (tally.last_duration > 0 ? 0 : 1)) / rate : early_sound;
    if (missing > tolerance) {
        if (video) {
            damage_.pictures += std::llround(missing * rate);
        }
        damage_.missing_seconds = std::max(damage_.missing_seconds, missing);
        damage_.note(fmt::format("{}: ends {:.3f} s before its own duration", vfilter::describe(stream), missing));
    }
}

}  // namespace vfilter
