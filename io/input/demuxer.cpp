#include "io/input/demuxer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "io/input/added_input.h"
#include "io/input/evidence/promises.h"
#include "io/input/file_layers.h"
#include "io/input/frame_rates.h"
#include "io/input/layers/from_key_frame.h"
#include "io/input/layers/known_streams.h"
#include "io/input/layers/same_streams.h"
#include "io/input/packet_times.h"
#include "io/input/part_entry.h"
#include "io/input/picture_sequence.h"
#include "io/input/source.h"
#include "io/input/video_choice.h"
#include "io/output/container_rules.h"

namespace vfilter {

namespace {

// Whether libavformat says by how many pictures the decoder is late: of MPEG-1 it does not.
bool tells_delay(const AVStream& video) {
    return video.codecpar->codec_id != AV_CODEC_ID_MPEG1VIDEO;
}

}  // namespace

Demuxer::Demuxer(InputOptions options, std::function<bool()> interrupted)
    : options_(std::move(options)), interrupted_(std::move(interrupted)), live_(is_live(options_)) {
    check_source(options_);
    begin();
    if (!may_seek_) {
        source_.reset();  // before what it counts for
        appended_ = nullptr;
        with_files_ = nullptr;
        joint_.reset();
        description_.reset();
        frame_rates_.clear();
        subtitles_ = {};
        ended_ = false;
        begin();
    }
}

Demuxer::~Demuxer() = default;

void Demuxer::begin() {
    std::unique_ptr<PacketSource> opened;
    AVFormatContext& context = open(opened);
    if (videos_.empty()) {
        videos_ = choose_videos(context, options_);
    }
    for (unsigned i = 0; i < context.nb_streams; ++i) {
        frame_rates_.push_back(usual_frame_rate(context, *context.streams[i]));
    }
    format_ = own_ = &context;
    std::unique_ptr<SoundDevice> sound;
    if (!options_.audio_device.empty()) {
        sound = std::make_unique<SoundDevice>(options_, interrupted_);
    }
    if (reopens(options_) || sound) {
        // Others keep looking at format() while the input is closed and opened again.
        description_ = describe_input(context);
        format_ = own_ = description_.get();
    }
    std::vector<std::unique_ptr<AppendedFile>> behind = look_at_appended(context);
    std::vector<std::unique_ptr<AddedInput>> files = open_added();
    if (sound) {
        device_sound_ = static_cast<int>(description_->nb_streams);
        describe_stream(sound->stream(), *description_);
        frame_rates_.push_back({25, 1});
    }
    own_streams_ = static_cast<int>(format_->nb_streams);
    account_.emplace(options_, behind.empty() ? *own_ : context, videos_, frame_rates_);
    for (const std::unique_ptr<AddedInput>& file : files) {
        file->describe(*description_);
        waits_ = waits_ || file->waits();
        file->add_unread(unread_);
    }
    frame_rates_.resize(format_->nb_streams, {25, 1});
    compose(std::move(opened), std::move(sound), std::move(behind), std::move(files));
    const std::int64_t begin = format_->start_time == AV_NOPTS_VALUE ? 0 : format_->start_time;
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
    part_ = wanted_part(options_, clock_, live());
    go_to_part();
    if (with_files_ != nullptr) {
        with_files_->begin(part_);
    }
}

// Of a part that lies behind the beginning.
void Demuxer::go_to_part() {
    PartEntry entry(*source_, *format_, videos_, clock_, !options_.video_stream.empty());
    if (!part_.start || !may_seek_ || !entry.possible(*part_.start)) {
        return;
    }
    if (!live_) {
        subtitles_.find(*source_, *own_, clock_.begin, part_.shift + EarlierSubtitles::rounding, interrupted_);
    }
    const Landing landing = entry.seek(*part_.start, [this](bool anew) {
        ended_ = ended_ && !anew;
        return read_next();
    });
    ended_ = false;
    may_seek_ = landing != Landing::refused;
    if (landing == Landing::early_enough) {
        unread(entry.take());
        account_->forgive();
        if (appended_ != nullptr) {
            appended_->forgive();
        }
    }
    ahead_->put_back(subtitles_.take());
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
    if (format_->start_time == AV_NOPTS_VALUE) {
        clock_.begin = clock_.first_picture;
    }
    unread(std::move(begin));
    ended_ = false;
}

// A file, or the pictures that a name stands for, of which none is a file's.
AVFormatContext& Demuxer::open(std::unique_ptr<PacketSource>& opened) {
    if (auto pictures = is_file_input(options_.path) ? find_pictures(options_.path) : std::nullopt) {
        auto sequence = std::make_unique<PictureSequence>(options_, std::move(*pictures), interrupted_);
        AVFormatContext& context = sequence->streams();
        opened = std::move(sequence);
        return context;
    }
    std::unique_ptr<OpenedInput> input = open_file(options_, interrupted_);
    waits_ = input->waits();
    unread_ = input->unread();
    AVFormatContext& context = input->format();
    opened = std::move(input);
    return context;
}

void Demuxer::compose(std::unique_ptr<PacketSource> opened, std::unique_ptr<SoundDevice> sound,
                      std::vector<std::unique_ptr<AppendedFile>> behind,
                      std::vector<std::unique_ptr<AddedInput>> files) {
    source_ = compose_opening(std::move(opened));
    if (!behind.empty()) {
        appended_ =
            lay<WithAppended>(source_, *account_, own_end_, std::move(behind), *own_, frame_rates_, interrupted_);
    }
    if (reopens(options_)) {
        const auto open_again = [this] {
            return compose_opening(std::make_unique<OpenedInput>(options_, interrupted_));
        };
        reconnecting_ = lay<Reconnecting>(source_, open_again, *format_, options_, interrupted_);
    }
    if (sound) {
        with_sound_ = lay<WithSound>(source_, std::move(sound), *format_, video_index());
    }
    // Pipes, and addresses whose sender waits for its reader.
    if (const Source& kind = source_of(options_.path);
        live_ && waits_ && !kind.live && !kind.device() && !is_playlist(*format_->iformat)) {
        backlog_ = lay<Backlog>(source_, video_index());
    }
    ahead_ = lay<ReadAhead>(source_);
    if (!files.empty()) {
        with_files_ = lay<WithFiles>(source_, std::move(files), *format_, own_streams_);
    }
    if ((live_ || options_.streamed) && !source_of(options_.path).live) {
        paced_ = lay<Paced>(source_, video_index(), frame_rate(), interrupted_);
    }
}

// What begins anew with each opening. Null if the input does not have the video any more.
std::unique_ptr<PacketSource> Demuxer::compose_opening(std::unique_ptr<PacketSource> source) {
    if (live_) {
        const auto places = std::make_shared<StreamPlaces>(*format_, format_->nb_streams - (device_sound_ < 0 ? 0 : 1),
                                                           source->format(), reconnecting_ != nullptr);
        if (!places->has(video_index())) {
            return nullptr;
        }
        lay<KnownStreams>(source, videos_, options_.wanted, options_.strict, places);
        lay<SameStreams>(source, places, options_.wanted, options_.strict);
        lay<FromKeyFrame>(source, video_index());
        lay_counting_layers(source, *account_);
    } else {
        lay_file_layers(source, videos_, options_, *account_);
    }
    return source;
}

bool Demuxer::is_filtered(int stream) const {
    return std::ranges::find(videos_, stream) != videos_.end();
}

// Time begins with the first picture that can be shown, whatever a camera's clock said then.
void Demuxer::begin_live() {
    PacketPtr packet = read();
    if (backlog_ != nullptr && ((format_->iformat->flags & AVFMT_NOTIMESTAMPS) != 0 || backlog_->timeless())) {
        spdlog::warn(
            "the input has no times: its pictures come at {:.5g} a second (--input-option framerate=N), and what was "
            "sent before it was opened is not left out",
            av_q2d(frame_rate()));
    }
    if (packet) {
        const std::int64_t time = presentation_time(*packet);
        clock_.first_picture = time == AV_NOPTS_VALUE ? 0 : microseconds(time, video().time_base);
        clock_.begin = clock_.first_picture;
        if (backlog_ != nullptr && backlog_->edge()) {
            paced_->begin_at(backlog_->edge()->came, backlog_->edge()->time,
                             microseconds(decoding_time(*packet), video().time_base));
        }
        std::deque<PacketPtr> first;
        first.push_back(std::move(packet));
        unread(std::move(first));
    }
}

std::int64_t Demuxer::expected_frames(int stream) const {
    if (const std::int64_t told = format_->streams[stream]->nb_frames; !part_.takes_part() && told > 0) {
        return told;
    }
    if (format_->duration == AV_NOPTS_VALUE || format_->duration <= 0) {
        const double seconds = part_.end ? static_cast<double>(*part_.end - part_.input_begin) / AV_TIME_BASE : 0;
        return options_.frames.value_or(std::llround(seconds * av_q2d(frame_rate(stream))));
    }
    const std::int64_t end = std::min(told_end(), part_.end.value_or(INT64_MAX));
    const double seconds = static_cast<double>(end - part_.start.value_or(part_.input_begin)) / AV_TIME_BASE;
    return std::max<std::int64_t>(0, std::llround(seconds * av_q2d(frame_rate(stream))));
}

std::int64_t Demuxer::told_end() const {
    return told_end_of(*own_, clock_.begin);
}

double Demuxer::average_rate(int stream) const {
    return average_frame_rate(*format_->streams[stream], frame_rate(stream));
}

std::optional<std::int64_t> Demuxer::pictures_before(int stream) const {
    const auto found = pictures_before_.find(stream);
    return found == pictures_before_.end() ? std::nullopt : std::optional(found->second);
}

std::string Demuxer::complaint() const {
    const Complaints* const complaints = source_->complaints();
    return complaints != nullptr ? complaints->latest() : "";
}

PacketPtr Demuxer::read() {
    PacketPtr packet = read_next();
    if (subtitles_.knows_shown(part_.shift, packet.get(), *format_)) {
        if (auto shown = subtitles_.take_shown(part_.shift, *format_); !shown.empty()) {
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
    if (ahead_->empty() && (ended_ || interrupted_())) {
        return nullptr;
    }
    PacketPtr packet = make_packet();
    int got = source_->read(*packet);
    const auto moment = part_.start ? std::optional(part_.shift + EarlierSubtitles::rounding) : std::nullopt;
    while (got >= 0 && packet->stream_index < own_streams_ &&
           subtitles_.takes(*packet, *format_->streams[packet->stream_index], moment)) {
        av_packet_unref(packet.get());
        got = source_->read(*packet);
    }
    if (with_sound_ != nullptr) {
        account_->found(with_sound_->take_damage());
    }
    if (got < 0) {
        ended_ = true;
        if (appended_ == nullptr) {
            account_->end(got, interrupted_(), *source_, told_end());
        }
        return nullptr;
    }
    if (packet->stream_index < own_streams_ && appended_ == nullptr) {
        account_->given(*packet);
    }
    return packet;
}

void Demuxer::unread(std::deque<PacketPtr> packets) {
    if (with_files_ != nullptr) {
        with_files_->leave(packets);
    }
    ahead_->put_back(std::move(packets));
    if (paced_ != nullptr) {
        paced_->restart();
    }
}

}  // namespace vfilter
