#include "io/input/layers/with_appended.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "io/input/evidence/promises.h"
#include "io/input/layers/with_files.h"
#include "io/packet_times.h"

namespace vfilter {

namespace {

constexpr int before_clip = 1 << 29;  // of AVPacket::flags, where FFmpeg has none

// What AVPacket::opaque points to: the place of its clip. Others point elsewhere.
std::array<char, max_appended + 1> clip_marks;

std::int64_t begin_of_input(const AVFormatContext& format) {
    return format.start_time == AV_NOPTS_VALUE ? 0 : format.start_time;
}

}  // namespace

int clip_of(const AVPacket& packet) {
    const auto* const mark = static_cast<const char*>(packet.opaque);
    const bool marked =
        std::greater_equal<>()(mark, clip_marks.data()) && std::less<>()(mark, clip_marks.data() + clip_marks.size());
    return marked ? static_cast<int>(mark - clip_marks.data()) : 0;
}

bool is_before_clip(const AVPacket& packet) {
    return (packet.flags & before_clip) != 0;
}

WithAppended::WithAppended(std::unique_ptr<PacketSource> inner, PacketAccount& account, std::int64_t end,
                           std::vector<std::unique_ptr<AppendedFile>> files, const AVFormatContext& description,
                           const std::vector<AVRational>& rates, const std::function<bool()>& interrupted)
    : PacketLayer(std::move(inner)),
      account_(account),
      end_(end),
      files_(std::move(files)),
      description_(description),
      rates_(rates),
      interrupted_(interrupted),
      begins_{begin_of_input(description)} {
    reckon_begins();
}

// Of all files behind one whose beginning is known, by what they say.
void WithAppended::reckon_begins() {
    while (static_cast<int>(begins_.size()) < count()) {
        const int last = static_cast<int>(begins_.size()) - 1;
        const std::optional<std::int64_t> length = last > 0 ? at(last).length()
                                                   : end_ == AV_NOPTS_VALUE
                                                       ? std::nullopt
                                                       : std::optional(av_sat_sub64(end_, begins_.front()));
        if (!length) {
            return;
        }
        begins_.push_back(av_sat_add64(begins_.back(), *length));
    }
}

const Complaints* WithAppended::complaints() const {
    return clip_ == 0 ? PacketLayer::complaints() : file(clip_).complaints();
}

int WithAppended::read(AVPacket& packet) {
    while (ended_ == 0) {
        const int got = clip_ == 0 ? inner().read(packet) : at(clip_).read(packet);
        if (got < 0) {
            ended_ = end_clip(got);
            continue;
        }
        if (clip_ == 0) {
            account_.given(packet);
        }
        read_to_ = std::max(read_to_, clip_ == 0 ? end_in_input(packet) : at(clip_).end_of(packet));
        if (fits(packet)) {
            return got;
        }
        av_packet_unref(&packet);
    }
    return ended_;
}

// Returns the error that ends all, 0 where there is another file.
int WithAppended::end_clip(int error) {
    const bool first = clip_ == 0;
    if (first) {
        account_.end(error, interrupted_(), inner(), end_);
    } else {
        at(clip_).close(error);
    }
    if (interrupted_() || clip_ + 1 == count()) {
        return error;
    }
    const std::int64_t own_begin = first ? begin_of(0) : at(clip_).begin();
    std::int64_t begin =
        av_sat_add64(begin_of(clip_), read_to_ == AV_NOPTS_VALUE ? 0 : av_sat_sub64(read_to_, own_begin));
    ++clip_;
    read_to_ = AV_NOPTS_VALUE;
    if (clip_ < static_cast<int>(begins_.size())) {
        begin = std::max(begin, begin_of(clip_));
    }
    begins_.resize(static_cast<std::size_t>(clip_) + 1);
    begin_of(clip_) = begin;
    reckon_begins();
    spdlog::debug("{} begins at {:.6f} s", at(clip_).name(), seconds_of(begin));
    at(clip_).open();
    return 0;
}

std::int64_t WithAppended::end_in_input(const AVPacket& packet) const {
    const auto stream = static_cast<std::size_t>(packet.stream_index);
    return stream < rates_.size() ? end_of_packet(packet, *PacketLayer::format().streams[stream], rates_[stream])
                                  : AV_NOPTS_VALUE;
}

// As a packet of the first file's stream; false for one that goes on none of it.
bool WithAppended::fits(AVPacket& packet) {
    packet.opaque = &clip_marks[static_cast<std::size_t>(clip_)];
    if (clip_ == 0) {
        const AVStream& stream = *PacketLayer::format().streams[packet.stream_index];
        av_packet_rescale_ts(&packet, stream.time_base, description_.streams[packet.stream_index]->time_base);
        return true;
    }
    const AppendedFile& file = at(clip_);
    const int place = file.place_of(packet.stream_index);
    if (place < 0) {
        return false;
    }
    const AVRational own = file.format().streams[packet.stream_index]->time_base;
    const AVRational base = description_.streams[place]->time_base;
    packet.stream_index = place;
    move_times(packet, -av_rescale_q(file.begin(), microseconds_base, own));
    av_packet_rescale_ts(&packet, own, base);
    const std::int64_t begin = av_rescale_q(begin_of(clip_), microseconds_base, base);
    move_times(packet, begin);
    const bool sound = description_.streams[place]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
    if (sound && packet.pts != AV_NOPTS_VALUE &&
        av_sat_add64(packet.pts, std::max<std::int64_t>(packet.duration, 1)) <= begin) {
        packet.flags |= before_clip;
    }
    return true;
}

int WithAppended::seek(int stream, std::int64_t latest, int flags) {
    if (static_cast<int>(begins_.size()) < count()) {
        return AVERROR(ENOSYS);
    }
    const bool by_bytes = (flags & AVSEEK_FLAG_BYTE) != 0;
    const AVRational base = stream < 0 ? microseconds_base : description_.streams[stream]->time_base;
    const std::int64_t wanted = microseconds(latest, base);
    const auto later = std::ranges::upper_bound(begins_, wanted);
    const int clip = by_bytes || later == begins_.begin() ? 0 : static_cast<int>(later - begins_.begin()) - 1;
    for (const std::unique_ptr<AppendedFile>& file : files_) {
        file->forget();
    }
    account_.sought();
    ended_ = 0;
    read_to_ = AV_NOPTS_VALUE;
    clip_ = clip;
    if (clip == 0) {
        const bool by_stream = stream >= 0 && !by_bytes;
        const AVRational own = by_stream ? PacketLayer::format().streams[stream]->time_base : base;
        return PacketLayer::seek(stream, av_rescale_q(latest, base, own), flags);
    }
    AppendedFile& file = at(clip);
    file.open();
    const int own = stream < 0 ? -1 : file.own_of(stream);
    const AVRational own_base = own < 0 ? microseconds_base : file.format().streams[own]->time_base;
    return file.seek(own, av_rescale_q(wanted - begin_of(clip) + file.begin(), microseconds_base, own_base), flags);
}

void WithAppended::forgive() {
    if (clip_ > 0 && at(clip_).is_open()) {
        at(clip_).forgive();
    }
}

Damage WithAppended::damage() const {
    Damage damage;
    for (const std::unique_ptr<AppendedFile>& file : files_) {
        damage += file->damage();
    }
    return damage;
}

std::int64_t WithAppended::pictures_end() const {
    for (int clip = count() - 1; clip > 0; --clip) {
        const std::int64_t end = file(clip).pictures_end();
        if (end != AV_NOPTS_VALUE && clip < static_cast<int>(begins_.size())) {
            return begins_[static_cast<std::size_t>(clip)] + end - file(clip).begin();
        }
    }
    return account_.pictures_end();
}

std::int64_t WithAppended::empty_packets(int stream) const {
    std::int64_t all = account_.empty_packets(stream);
    for (const std::unique_ptr<AppendedFile>& file : files_) {
        all += file->empty_packets(stream);
    }
    return all;
}

bool WithAppended::has_packets(int stream) const {
    return account_.has_packets(stream) ||
           std::ranges::any_of(files_, [&](const auto& file) { return file->has_packets(stream); });
}

std::vector<std::string> WithAppended::sums() const {
    std::vector<std::string> sums;
    for (const std::unique_ptr<AppendedFile>& file : files_) {
        sums.push_back(file->sha256());
    }
    return sums;
}

namespace {

// Chapters of a file that begins later by `offset`, microseconds, than its own clock says.
void add_chapters(const AVFormatContext& from, std::int64_t offset, AVFormatContext& to) {
    for (unsigned i = 0; i < from.nb_chapters; ++i) {
        const AVChapter& chapter = *from.chapters[i];
        AVChapter& copy = add_chapter(to);
        copy.id = static_cast<std::int64_t>(to.nb_chapters);
        copy.time_base = chapter.time_base;
        const std::int64_t moved = av_rescale_q(offset, microseconds_base, chapter.time_base);
        copy.start = av_sat_add64(chapter.start, moved);
        copy.end = av_sat_add64(chapter.end, moved);
        av_check(av_dict_copy(&copy.metadata, chapter.metadata, 0), "av_dict_copy");
    }
}

constexpr AVRational fine_clock{1, 1000};
constexpr AVRational finer_clock{1, 90000};

// A clock whose ticks are whole ones of both, if there is one that containers have.
AVRational common_clock(AVRational one, AVRational other) {
    constexpr std::int64_t finest = 10'000'000;
    const std::int64_t common = std::lcm<std::int64_t>(one.den, other.den);
    const std::int64_t ticks = std::gcd<std::int64_t>(one.num * (common / one.den), other.num * (common / other.den));
    const std::int64_t per_second = common / std::gcd(common, ticks);
    return per_second > finest || ticks > finest
               ? AVRational{1, AV_TIME_BASE}
               : AVRational{static_cast<int>(ticks / std::gcd(common, ticks)), static_cast<int>(per_second)};
}

void add_length(const AppendedFile& file, AVFormatContext& description) {
    for (unsigned i = 0; i < description.nb_streams; ++i) {
        AVStream& stream = *description.streams[i];
        stream.duration = AV_NOPTS_VALUE;  // all of them end together
        const int own = file.own_of(static_cast<int>(i));
        if (own < 0) {
            continue;
        }
        const AVStream& next = *file.format().streams[own];
        // Of a clock that counts pictures the joint would be rounded to one.
        const AVRational clock =
            common_clock(common_clock(stream.time_base, next.time_base),
                         av_cmp_q(stream.time_base, fine_clock) > 0 ? finer_clock : stream.time_base);
        stream.start_time = stream.start_time == AV_NOPTS_VALUE
                                ? AV_NOPTS_VALUE
                                : av_rescale_q(stream.start_time, stream.time_base, clock);
        stream.time_base = clock;
        stream.nb_frames = stream.nb_frames > 0 && next.nb_frames > 0 ? stream.nb_frames + next.nb_frames : 0;
        if (av_cmp_q(stream.r_frame_rate, next.r_frame_rate) != 0) {
            stream.r_frame_rate = {0, 1};  // no rate is that of all
        }
    }
}

}  // namespace

DescriptionPtr describe_appended(const AVFormatContext& input, std::int64_t end,
                                 const std::vector<std::unique_ptr<AppendedFile>>& files) {
    DescriptionPtr description = describe_file(input);
    const std::int64_t first = begin_of_input(input);
    for (const std::unique_ptr<AppendedFile>& file : files) {
        add_length(*file, *description);
        if (end == AV_NOPTS_VALUE) {
            continue;
        }
        add_chapters(file->format(), end - file->begin(), *description);
        end = file->length() ? av_sat_add64(end, *file->length()) : AV_NOPTS_VALUE;
    }
    description->duration = end == AV_NOPTS_VALUE ? AV_NOPTS_VALUE : end - first;
    description->duration_estimation_method = AVFMT_DURATION_FROM_PTS;  // it counts from the first timestamp
    return description;
}

}  // namespace vfilter
