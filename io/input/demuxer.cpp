#include "io/input/demuxer.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "io/codec/entry_reader.h"
#include "io/input/added_input.h"
#include "io/input/evidence/promises.h"
#include "io/input/frame_rates.h"
#include "io/input/layers/clock_jumps.h"
#include "io/input/layers/from_key_frame.h"
#include "io/input/layers/known_streams.h"
#include "io/input/layers/lone_holes.h"
#include "io/input/layers/same_streams.h"
#include "io/input/layers/stray_times.h"
#include "io/input/packet_times.h"
#include "io/input/picture_sequence.h"
#include "io/input/source.h"
#include "io/input/video_choice.h"
#include "io/output/container_rules.h"

namespace vfilter {

namespace {

constexpr std::size_t max_read_ahead = 5000;  // packets, while seeking

// Whether libavformat says by how many pictures the decoder is late: of MPEG-1 it does not.
bool tells_delay(const AVStream& video) {
    return video.codecpar->codec_id != AV_CODEC_ID_MPEG1VIDEO;
}

// What libavcodec still holds at the end is lost where it has decoded nothing but one group of pictures that was open.
bool is_open_h264(const AVPacket& packet, const AVCodecParameters& codec) {
    return codec.codec_id == AV_CODEC_ID_H264 && EntryReader(codec).read(packet) != Entry::closed;
}

void tell_reading_from_the_beginning() {
    spdlog::warn("the input cannot be sought: it is read from the beginning up to --start");
}

}  // namespace

Demuxer::Demuxer(InputOptions options, std::function<bool()> interrupted)
    : options_(std::move(options)), interrupted_(std::move(interrupted)), live_(is_live(options_)) {
    check_source(options_);
    begin();
    if (!may_seek_) {
        tell_reading_from_the_beginning();
        source_.reset();  // before what it counts for
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
    std::vector<std::unique_ptr<AddedInput>> files;
    if (!options_.added.empty()) {
        if (description_) {
            throw Error(ExitCode::usage,
                        "--add is for an input that is not live and stays open, without --audio-device");
        }
        description_ = describe_file(context);
        format_ = description_.get();
        for (const AddedFile& file : options_.added) {
            files.push_back(std::make_unique<AddedInput>(options_, file, interrupted_));
        }
    }
    if (sound) {
        device_sound_ = static_cast<int>(description_->nb_streams);
        describe_stream(sound->stream(), *description_);
        frame_rates_.push_back({25, 1});
    }
    own_streams_ = static_cast<int>(format_->nb_streams);
    account_.emplace(options_, *own_, videos_, frame_rates_);
    for (std::size_t i = 0; i < files.size(); ++i) {
        files[i]->describe(static_cast<int>(i) + 1, *description_);
        waits_ = waits_ || files[i]->waits();
        files[i]->add_unread(unread_);
    }
    frame_rates_.resize(format_->nb_streams, {25, 1});
    compose(std::move(opened), std::move(sound), std::move(files));
    first_ = format_->start_time == AV_NOPTS_VALUE ? 0 : format_->start_time;
    first_picture_ = video().start_time == AV_NOPTS_VALUE
                         ? first_
                         : av_rescale_q(video().start_time, video().time_base, microseconds_base);
    if (live()) {
        begin_live();
    } else if (options_.start || options_.end || options_.duration || options_.frames || !tells_delay(video())) {
        find_first_picture();
    }
    choose_part();
    if (with_files_ != nullptr) {
        with_files_->begin(first_, start_);
    }
}

// Of packets that tell only when they are decoded (AVI, bare streams), the first picture comes with the decoder's
// delay. Where that is not told, the first packet says that it is shown at once.
void Demuxer::find_first_picture() {
    std::deque<PacketPtr> begin;
    std::vector<AVPacket*> pictures;
    const std::size_t wanted = tells_delay(video()) ? 1 : 2;
    while (pictures.size() < wanted && begin.size() < max_read_ahead) {
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
        first_picture_ += av_rescale_q(delay, av_inv_q(frame_rate()), microseconds_base);
    } else if (!pictures.empty() && pictures.front()->pts != AV_NOPTS_VALUE && video().start_time == AV_NOPTS_VALUE) {
        // Of a reordered video in NUT FFmpeg does not say when it begins.
        first_picture_ = av_rescale_q(pictures.front()->pts, video().time_base, microseconds_base);
    }
    if (format_->start_time == AV_NOPTS_VALUE) {
        first_ = first_picture_;
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
                      std::vector<std::unique_ptr<AddedInput>> files) {
    source_ = compose_opening(std::move(opened));
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
        live_ && waits_ && !kind.live && !kind.device && !is_playlist(*format_->iformat)) {
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
    } else {
        lay<KnownStreams>(source, videos_, options_.wanted, options_.strict);
        if (source_of(options_.path).prefix.empty() && !is_playlist(*format_->iformat)) {
            lay<StrayTimes>(source, options_.strict);
        }
    }
    lay<Counted>(source, *account_);
    if (ClockJumps::occur_in(*format_)) {
        lay<ClockJumps>(source);
    }
    if (!live_) {
        lay<LoneHoles>(source, videos_);
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
        first_picture_ = time == AV_NOPTS_VALUE ? 0 : av_rescale_q(time, video().time_base, microseconds_base);
        first_ = first_picture_;
        shift_ = first_;
        if (backlog_ != nullptr && backlog_->edge()) {
            paced_->begin_at(backlog_->edge()->came, backlog_->edge()->time,
                             av_rescale_q(decoding_time(*packet), video().time_base, microseconds_base));
        }
        std::deque<PacketPtr> first;
        first.push_back(std::move(packet));
        unread(std::move(first));
    }
}

// Whether there is another place to begin at than the beginning.
bool Demuxer::can_seek(std::int64_t wanted) const {
    // By its first key frame, where a seek before it lands, sound may have gone on for seconds.
    if (wanted <= std::max(first_, first_picture_) || !may_seek_) {
        return false;
    }
    // FFmpeg would look for what it seeks in bytes that are gone. A playlist's parts are opened anew.
    const bool gone =
        format_->pb != nullptr && (format_->pb->seekable & (AVIO_SEEKABLE_NORMAL | AVIO_SEEKABLE_TIME)) == 0;
    // HLS reads its segments by one demuxer. That of MP4 knows fragments by their places, which begin anew where it is
    // sent elsewhere, and gives nothing then (FFmpeg 5.1 to 7.1). Streams of MPEG-TS have numbers for tags.
    const bool fragments =
        std::string_view(format_->iformat->name).starts_with("hls") && video().codecpar->codec_tag > 0xffff;
    const bool bare = (format_->iformat->flags & (AVFMT_NOTIMESTAMPS | AVFMT_GENERIC_INDEX)) != 0;
    // Without times FFmpeg would read to the end, in search of one.
    if ((gone && !is_playlist(*format_->iformat)) || fragments || (bare && video().start_time == AV_NOPTS_VALUE)) {
        tell_reading_from_the_beginning();
        return false;
    }
    return true;
}

// To a key frame from which the wanted picture can be decoded. Formats without an index (MPEG-TS) land anywhere, so it
// is looked at where: if the next key frame comes too late, the way leads further back.
void Demuxer::seek(std::int64_t wanted) {
    const bool clock_may_jump = ClockJumps::occur_in(*format_);
    // Where the key frame is not a clean beginning (open groups of pictures), the decoder keeps the next few to itself.
    const std::int64_t margin = clock_may_jump ? AV_TIME_BASE : 0;
    // Of a packet that tells only when it is decoded (AVI) nobody knows how much later its picture is shown.
    const std::int64_t reordered =
        std::max<std::int64_t>(AV_TIME_BASE, av_rescale_q(17, av_inv_q(frame_rate()), microseconds_base));
    // FFmpeg goes by the stream that it takes for the best; one that was asked for by its number may be another.
    const int stream = options_.video_stream.empty() ? -1 : video_index();
    const auto in_its_clock = [&](std::int64_t time) {
        return stream < 0 ? time : av_rescale_q(time, microseconds_base, video().time_base);
    };
    for (std::int64_t back = 0; wanted - back > first_; back = 2 * back + AV_TIME_BASE) {
        ended_ = false;
        if (source_->seek(stream, in_its_clock(wanted - back), 0) < 0) {
            may_seek_ = false;  // and nobody knows where it is now
            return;
        }
        std::deque<PacketPtr> read_ahead;
        std::map<int, std::int64_t> keys;  // of each filtered video, the first one
        while (keys.size() < videos_.size() && read_ahead.size() < max_read_ahead) {
            PacketPtr packet = read_next();
            if (!packet) {
                break;
            }
            if (is_filtered(packet->stream_index) && (packet->flags & AV_PKT_FLAG_KEY) != 0) {
                const std::int64_t time = presentation_time(*packet);
                const AVRational base = format_->streams[packet->stream_index]->time_base;
                const bool unclear = packet->pts == AV_NOPTS_VALUE ||
                                     is_open_h264(*packet, *format_->streams[packet->stream_index]->codecpar);
                const std::int64_t later = unclear ? reordered : 0;
                keys.emplace(packet->stream_index,
                             time == AV_NOPTS_VALUE ? wanted : av_rescale_q(time, base, microseconds_base) + later);
            }
            read_ahead.push_back(std::move(packet));
        }
        const bool early_enough = keys.size() == videos_.size() && std::ranges::all_of(keys, [&](const auto& key) {
                                      return key.second <= wanted - margin;
                                  });
        if (early_enough) {
            unread(std::move(read_ahead));
            account_->forgive();
            return;
        }
    }
    ended_ = false;
    // The very beginning: by bytes where the clock may jump, because by time MPEG-TS lands after its first key frame. A
    // playlist has no bytes, and begins with its first segment.
    const bool by_bytes = clock_may_jump && (format_->iformat->flags & AVFMT_NO_BYTE_SEEK) == 0;
    av_check(source_->seek(-1, by_bytes ? 0 : first_, by_bytes ? AVSEEK_FLAG_BYTE : 0), "avformat_seek_file",
             ExitCode::input);
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
    PacketPtr packet = read_next();
    if (subtitles_.any_shown() && (!packet || is_of_part(*packet))) {
        // A little later, as they would be of what lies before the part.
        if (auto shown = subtitles_.take_shown(*start_ + 1, *format_); !shown.empty()) {
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
    while (got >= 0 && subtitles_.takes(*packet, *format_->streams[packet->stream_index], start_)) {
        av_packet_unref(packet.get());
        got = source_->read(*packet);
    }
    if (with_sound_ != nullptr) {
        account_->found(with_sound_->take_damage());
    }
    if (got < 0) {
        ended_ = true;
        account_->end(got, interrupted_(), *source_, told_end());
        return nullptr;
    }
    if (packet->stream_index < own_streams_) {
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
