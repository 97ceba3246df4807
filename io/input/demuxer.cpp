#include "io/input/demuxer.h"
#include "io/input/source_check.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "io/demuxers.h"
#include "io/input/evidence/promises.h"
#include "io/input/frame_rates.h"
#include "io/input/part_entry.h"
#include "io/packet_times.h"
#include "io/source.h"

namespace vfilter {

namespace {

// Whether libavformat says by how many pictures the decoder is late: of MPEG-1 it does not.
bool tells_delay(const AVStream& video) {
    return video.codecpar->codec_id != AV_CODEC_ID_MPEG1VIDEO;
}

}  // namespace

Demuxer::Demuxer(InputRequest options, std::function<bool()> interrupted)
    : options_(std::move(options)), interrupted_(std::move(interrupted)), live_(is_live(options_)) {
    check_source(options_);
    stack_ = open_stack(options_, interrupted_);
    if (!begin(true)) {
        // Nobody knows where it is now.
        const std::vector<int> videos = stack_->videos;
        stack_.reset();  // a pipe or a device is not opened twice
        stack_ = open_stack(options_, interrupted_, videos);
        static_cast<void>(begin(false));
    }
}

Demuxer::~Demuxer() = default;

// False where the input has been sought in vain.
bool Demuxer::begin(bool seeks) {
    const std::int64_t begin = stack_->format->start_time == AV_NOPTS_VALUE ? 0 : stack_->format->start_time;
    clock_ = {.begin = begin,
              .first_picture =
                  video().start_time == AV_NOPTS_VALUE ? begin : microseconds(video().start_time, video().time_base),
              .rate = frame_rate(),
              .average_rate = average_rate(video_index())};
    if (live()) {
        begin_live();
    } else if (options_.start || options_.end || options_.duration || options_.frames || !tells_delay(video())) {
        find_first_picture();
    }
    const bool by_chapters = (options_.start && options_.start->chapter) || (options_.end && options_.end->chapter);
    part_ = wanted_part(options_, clock_, live(),
                        by_chapters ? chapter_places(*stack_->own, told_end()) : std::vector<ChapterPlace>{});
    const bool there = !seeks || go_to_part();
    if (stack_->with_files != nullptr) {
        stack_->with_files->begin(part_);
    }
    return there;
}

// Of a part that lies behind the beginning. False where nobody knows where the input is now.
bool Demuxer::go_to_part() {
    PartEntry entry(*stack_->source, *stack_->format, stack_->videos, clock_, !options_.video_stream.empty());
    if (!part_.start || !entry.possible(*part_.start)) {
        return true;
    }
    if (!live_) {
        stack_->subtitles.find(*stack_->source, *stack_->own, clock_.begin, part_.shift + EarlierSubtitles::rounding,
                               interrupted_);
    }
    const Landing landing = entry.seek(*part_.start, [this](bool anew) {
        stack_->ended = stack_->ended && !anew;
        return read_next();
    });
    stack_->ended = false;
    if (landing == Landing::early_enough) {
        unread(entry.take());
        stack_->account->forgive();
        if (stack_->appended != nullptr) {
            stack_->appended->forgive();
        }
    }
    stack_->ahead->put_back(stack_->subtitles.take());
    return landing != Landing::refused;
}

bool Demuxer::go_to(std::int64_t moment) {
    const bool by_number = !options_.video_stream.empty();
    const PartEntry entry(*stack_->source, *stack_->format, stack_->videos, clock_, by_number);
    const std::int64_t latest = by_number ? av_rescale_q(moment, microseconds_base, video().time_base) : moment;
    if (!entry.possible(moment) || stack_->source->seek(by_number ? video_index() : -1, latest, 0) < 0) {
        return false;
    }
    stack_->ended = false;
    stack_->account->forgive();
    return true;
}

// Of packets that tell only when they are decoded (AVI, bare streams), the first picture comes with the decoder's
// delay. Where that is not told, the first packet says that it is shown at once.
void Demuxer::find_first_picture() {
    std::deque<PacketPtr> begin;
    std::vector<AVPacket*> pictures;
    const std::size_t wanted = tells_delay(video()) ? 1 : 2;
    while (pictures.size() < wanted && begin.size() < PartEntry::max_read_ahead) {
        begin.push_back(read());
        if (!begin.back()) {
            begin.pop_back();
            break;
        }
        if (begin.back()->stream_index == video_index()) {
            pictures.push_back(begin.back().get());
        }
    }
    const auto only_decoding = [](const AVPacket& packet) {
        return packet.pts == AV_NOPTS_VALUE && packet.dts != AV_NOPTS_VALUE;
    };
    if (!tells_delay(video()) && pictures.size() == wanted && only_decoding(*pictures.back()) &&
        pictures.front()->pts == pictures.front()->dts) {
        pictures.front()->pts = AV_NOPTS_VALUE;
    }
    if (!pictures.empty() && only_decoding(*pictures.front())) {
        const int delay = tells_delay(video()) ? video().codecpar->video_delay : 1;
        clock_.first_picture += microseconds(delay, av_inv_q(frame_rate()));
    } else if (!pictures.empty() && pictures.front()->pts != AV_NOPTS_VALUE && video().start_time == AV_NOPTS_VALUE) {
        // Of a reordered video in NUT FFmpeg does not say when it begins.
        clock_.first_picture = microseconds(pictures.front()->pts, video().time_base);
    }
    if (stack_->format->start_time == AV_NOPTS_VALUE) {
        clock_.begin = clock_.first_picture;
    }
    unread(std::move(begin));
    stack_->ended = false;
}

void Demuxer::settle_use(std::set<int> unused) {
    stack_->watch->settle(std::move(unused));
    stack_->account->found(stack_->watch->take());  // nothing may be left to read
}

bool Demuxer::is_filtered(int stream) const {
    return std::ranges::find(stack_->videos, stream) != stack_->videos.end();
}

// Time begins with the first picture that can be shown, whatever a camera's clock said then.
void Demuxer::begin_live() {
    PacketPtr packet = read();
    if (stack_->backlog != nullptr && stack_->backlog->timeless() && !takes_wall_clock(options_.input_options)) {
        const AVClass* options = stack_->format->iformat->priv_class;
        const bool has_rate =
            options != nullptr && av_opt_find(&options, "framerate", nullptr, 0, AV_OPT_SEARCH_FAKE_OBJ) != nullptr;
        spdlog::warn(
            "the input has no times: its pictures come at {:.5g} a second, and what was sent before it was opened is "
            "not left out; --input-option use_wallclock_as_timestamps=1 takes the times at which they arrive{}",
            av_q2d(frame_rate()), has_rate ? ", and --input-option framerate=N is for another rate" : "");
    }
    if (packet) {
        const std::int64_t time = presentation_time(*packet);
        clock_.first_picture = time == AV_NOPTS_VALUE ? 0 : microseconds(time, video().time_base);
        clock_.begin = clock_.first_picture;
        stack_->account->output_begins(clock_.begin);
        if (stack_->paced != nullptr && stack_->backlog != nullptr && stack_->backlog->edge()) {
            stack_->paced->begin_at(stack_->backlog->edge()->came, stack_->backlog->edge()->time,
                                    microseconds(decoding_time(*packet), video().time_base));
        }
        std::deque<PacketPtr> first;
        first.push_back(std::move(packet));
        unread(std::move(first));
    }
}

std::int64_t Demuxer::expected_frames(int stream) const {
    if (const std::int64_t told = stack_->format->streams[stream]->nb_frames; !part_.takes_part() && told > 0) {
        return told;
    }
    if (stack_->format->duration == AV_NOPTS_VALUE || stack_->format->duration <= 0) {
        const double seconds = part_.end ? static_cast<double>(*part_.end - part_.input_begin) / AV_TIME_BASE : 0;
        return options_.frames.value_or(std::llround(seconds * av_q2d(frame_rate(stream))));
    }
    const std::int64_t end = std::min(told_end(), part_.end.value_or(INT64_MAX));
    const double seconds = static_cast<double>(end - part_.start.value_or(part_.input_begin)) / AV_TIME_BASE;
    return std::max<std::int64_t>(0, std::llround(seconds * av_q2d(frame_rate(stream))));
}

std::int64_t Demuxer::told_end() const {
    return told_end_of(*stack_->own, clock_.begin);
}

double Demuxer::average_rate(int stream) const {
    return average_frame_rate(*stack_->format->streams[stream], frame_rate(stream));
}

std::optional<std::int64_t> Demuxer::pictures_before(int stream) const {
    const auto found = pictures_before_.find(stream);
    return found == pictures_before_.end() ? std::nullopt : std::optional(found->second);
}

std::string Demuxer::complaint() const {
    const Complaints* const complaints = stack_->source->complaints();
    return complaints != nullptr ? complaints->latest() : "";
}

PacketPtr Demuxer::read() {
    PacketPtr packet = read_next();
    if (stack_->subtitles.knows_shown(part_.shift, packet.get(), *stack_->format)) {
        if (auto shown = stack_->subtitles.take_shown(part_.shift, *stack_->format); !shown.empty()) {
            if (packet) {
                shown.push_back(std::move(packet));
            }
            unread(std::move(shown));
            packet = read_next();
        }
    }
    return packet;
}

PacketPtr Demuxer::read_next() {
    if (stack_->ahead->empty() && (stack_->ended || interrupted_())) {
        return nullptr;
    }
    PacketPtr packet = make_packet();
    int got = stack_->source->read(*packet);
    const auto moment = part_.start ? std::optional(part_.shift + EarlierSubtitles::rounding) : std::nullopt;
    while (got >= 0 && packet->stream_index < stack_->own_streams &&
           stack_->subtitles.takes(*packet, *stack_->format->streams[packet->stream_index], moment)) {
        av_packet_unref(packet.get());
        got = stack_->source->read(*packet);
    }
    if (stack_->with_sound != nullptr) {
        stack_->account->found(stack_->with_sound->take_damage());
    }
    if (got < 0) {
        stack_->ended = true;
        if (stack_->reconnecting != nullptr && stack_->reconnecting->away() && interrupted_()) {
            stack_->account->found({.lost = true});  // nobody waits for it any longer
        }
        if (stack_->appended == nullptr) {
            stack_->account->end(got, interrupted_(), *stack_->source, told_end());
        }
        return nullptr;
    }
    if (packet->stream_index < stack_->own_streams && stack_->appended == nullptr) {
        stack_->account->given(*packet);
    }
    return packet;
}

void Demuxer::unread(std::deque<PacketPtr> packets) {
    if (stack_->with_files != nullptr) {
        stack_->with_files->leave(packets);
    }
    stack_->ahead->put_back(std::move(packets));
    if (stack_->paced != nullptr) {
        stack_->paced->restart();
    }
}

}  // namespace vfilter
