#include "io/demuxer.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <new>
#include <string_view>

#include "io/container_rules.h"

namespace vfilter {

namespace {

constexpr std::size_t most_read_ahead = 5000;  // packets, while seeking
constexpr std::int64_t least_jump = AV_TIME_BASE / 10;
constexpr int stdin_buffer = 64 * 1024;
constexpr int stdin_poll_ms = 200;  // how late an interrupt may be seen that comes just before the wait

}  // namespace

// stdin through poll, so that a stalled pipe does not keep the program from ending.
struct Demuxer::Stdin {
    std::function<bool()> interrupted;
    AVIOContext* context = nullptr;

    explicit Stdin(std::function<bool()> stop) : interrupted(std::move(stop)) {
        auto* const buffer = static_cast<std::uint8_t*>(av_malloc(stdin_buffer));
        context = buffer != nullptr ? avio_alloc_context(buffer, stdin_buffer, 0, this, &Stdin::read, nullptr, nullptr)
                                    : nullptr;
        if (context == nullptr) {
            av_free(buffer);
            throw std::bad_alloc();
        }
    }
    ~Stdin() {
        av_freep(&context->buffer);
        avio_context_free(&context);
    }
    Stdin(const Stdin&) = delete;
    Stdin& operator=(const Stdin&) = delete;

    static int read(void* opaque, std::uint8_t* buffer, int size) {
        const auto* const self = static_cast<Stdin*>(opaque);
        for (;;) {
            if (self->interrupted()) {
                return AVERROR_EOF;
            }
            pollfd waiting{STDIN_FILENO, POLLIN, 0};
            if (poll(&waiting, 1, stdin_poll_ms) <= 0) {
                continue;
            }
            const ssize_t got = ::read(STDIN_FILENO, buffer, static_cast<std::size_t>(size));
            if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
                continue;
            }
            return got == 0 ? AVERROR_EOF : got < 0 ? AVERROR(errno) : static_cast<int>(got);
        }
    }
};

Demuxer::Demuxer(InputOptions options, std::function<bool()> interrupted)
    : options_(std::move(options)), interrupted_(std::move(interrupted)) {
    try {
        open();
        choose_video();
        choose_part();
    } catch (...) {
        avformat_close_input(&format_);
        throw;
    }
}

Demuxer::~Demuxer() {
    avformat_close_input(&format_);
}

void Demuxer::open() {
    format_ = avformat_alloc_context();
    if (format_ == nullptr) {
        throw std::bad_alloc();
    }
    const auto stop = [](void* self) { return static_cast<Demuxer*>(self)->interrupted_() ? 1 : 0; };
    format_->interrupt_callback = {stop, this};
    std::string url = "file:" + options_.path;
    if (options_.path == "-") {
        stdin_ = std::make_unique<Stdin>(interrupted_);
        format_->pb = stdin_->context;
        url = "stdin";
    } else {
        struct stat status {};
        if (stat(options_.path.c_str(), &status) != 0) {
            throw Error(ExitCode::input, fmt::format("{}: {}", options_.path, av_message(AVERROR(errno))));
        }
        if (S_ISDIR(status.st_mode)) {
            throw Error(ExitCode::input, fmt::format("{}: is a folder", options_.path));
        }
    }
    const AVInputFormat* format = nullptr;
    if (!options_.format.empty()) {
        format = av_find_input_format(options_.format.c_str());
        if (format == nullptr) {
            throw Error(ExitCode::usage, fmt::format("--input-format: FFmpeg knows no format '{}'", options_.format));
        }
    }
    Dictionary settings;
    settings.set("protocol_whitelist", "file,pipe");
    settings.set("format_whitelist", allowed_formats(format != nullptr));
    const int opened = avformat_open_input(&format_, url.c_str(), format, settings.get());
    if (opened < 0) {
        const char* const hint = opened == AVERROR(EINVAL) ? " (a playlist, or not a video file)" : "";
        throw Error(ExitCode::input, fmt::format("{}: {}{}", options_.path, av_message(opened), hint));
    }
    const int found = avformat_find_stream_info(format_, nullptr);
    if (found < 0) {
        throw Error(ExitCode::input, fmt::format("{}: {}", options_.path, av_message(found)));
    }
}

void Demuxer::choose_video() {
    video_ = av_find_best_stream(format_, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    // A cover is a video stream of one picture: never the one to filter.
    for (unsigned i = 0; i < format_->nb_streams && video_ >= 0 && is_attached_picture(*format_->streams[video_]);
         ++i) {
        if (format_->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
            !is_attached_picture(*format_->streams[i])) {
            video_ = static_cast<int>(i);
        }
    }
    if (video_ < 0 || is_attached_picture(*format_->streams[video_])) {
        throw Error(ExitCode::input, fmt::format("{}: holds no video", options_.path));
    }
}

AVRational Demuxer::frame_rate() const {
    const AVRational rate = av_guess_frame_rate(format_, format_->streams[video_], nullptr);
    return rate.num > 0 && rate.den > 0 ? rate : AVRational{25, 1};
}

void Demuxer::choose_part() {
    first_ = format_->start_time == AV_NOPTS_VALUE ? 0 : format_->start_time;
    const double rate = av_q2d(frame_rate());
    const auto ticks = [](double seconds) { return static_cast<std::int64_t>(seconds * AV_TIME_BASE); };
    // Limits lie a little early, so that a rounded time means the frame that has it, and a number that frame.
    const auto early = [&](const Position& position) { return position.frames ? 0.5 / rate : 0.001; };
    // Frames are counted from the first picture, which sound may precede.
    const std::int64_t first_picture =
        video().start_time == AV_NOPTS_VALUE
            ? first_
            : av_rescale_q(video().start_time, video().time_base, AVRational{1, AV_TIME_BASE});
    const auto at = [&](const Position& position) {
        return (position.frames ? first_picture : first_) + ticks(position.seconds(rate));
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
        end_ = (counted ? first_picture : from) + ticks(options_.duration->seconds(rate) - early(*options_.duration));
    }
    if (options_.frames) {
        const std::int64_t last =
            (options_.start ? from : first_picture) + ticks((static_cast<double>(*options_.frames) - 0.5) / rate);
        end_ = std::min(last, end_.value_or(last));
    }
}

// To a key frame from which the wanted picture can be decoded. Formats without an index (MPEG-TS) land anywhere, so it
// is looked at where: if the next key frame comes too late, the way leads further back.
void Demuxer::seek(std::int64_t wanted) {
    if (wanted <= first_) {
        return;
    }
    // Where the key frame is not a clean beginning (open groups of pictures), the decoder keeps the next few to itself.
    const std::int64_t margin = (format_->iformat->flags & AVFMT_TS_DISCONT) != 0 ? AV_TIME_BASE : 0;
    const auto forget = [&] {
        ended_ = false;
        damage_ = {};
        jumps_ = {0};
        clocks_.clear();
        last_end_ = AV_NOPTS_VALUE;
    };
    for (std::int64_t back = 0; wanted - back > first_; back = 2 * back + AV_TIME_BASE) {
        if (avformat_seek_file(format_, -1, INT64_MIN, wanted - back, wanted - back, 0) < 0) {
            spdlog::warn("the input cannot be sought: it is read from the beginning up to --start");
            return;
        }
        std::deque<PacketPtr> read_ahead;
        std::optional<std::int64_t> key;
        while (!key && read_ahead.size() < most_read_ahead) {
            PacketPtr packet = read();
            if (!packet) {
                break;
            }
            if (packet->stream_index == video_ && (packet->flags & AV_PKT_FLAG_KEY) != 0) {
                const std::int64_t stamp = packet->pts != AV_NOPTS_VALUE ? packet->pts : packet->dts;
                key = stamp == AV_NOPTS_VALUE ? wanted
                                              : av_rescale_q(stamp, video().time_base, AVRational{1, AV_TIME_BASE});
            }
            read_ahead.push_back(std::move(packet));
        }
        if (key && *key <= wanted - margin) {
            unread(std::move(read_ahead));
            return;
        }
        forget();
    }
    // The very beginning: by bytes where the clock may jump, because by time MPEG-TS lands behind its first key frame.
    const bool bytes = (format_->iformat->flags & AVFMT_TS_DISCONT) != 0;
    const std::int64_t beginning = bytes ? 0 : first_;
    av_check(avformat_seek_file(format_, -1, INT64_MIN, beginning, beginning, bytes ? AVSEEK_FLAG_BYTE : 0),
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
    const AVRational ticks{1, AV_TIME_BASE};
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
    const std::int64_t offset = av_rescale_q(jumps_[clock.jump], ticks, base);
    packet.pts += packet.pts == AV_NOPTS_VALUE ? 0 : offset;
    if (packet.dts != AV_NOPTS_VALUE) {
        packet.dts += offset;
        clock.due = av_rescale_q(packet.dts + packet.duration, base, ticks);
    }
}

// Where a header tells the duration it counts from 0; where it was measured, from the first timestamp.
std::int64_t Demuxer::told_end() const {
    const bool header = format_->duration_estimation_method == AVFMT_DURATION_FROM_STREAM;
    return format_->duration + (header ? std::min<std::int64_t>(first_, 0) : first_);
}

std::int64_t Demuxer::expected_frames() const {
    if (!start_ && !end_ && video().nb_frames > 0) {
        return video().nb_frames;
    }
    if (format_->duration == AV_NOPTS_VALUE) {
        return options_.frames.value_or(0);
    }
    const std::int64_t end = std::min(told_end(), end_.value_or(INT64_MAX));
    const double seconds = static_cast<double>(end - start_.value_or(first_)) / AV_TIME_BASE;
    return std::max<std::int64_t>(0, std::llround(seconds * av_q2d(frame_rate())));
}

PacketPtr Demuxer::read() {
    if (!unread_.empty()) {
        PacketPtr packet = std::move(unread_.front());
        unread_.pop_front();
        return packet;
    }
    for (;;) {
        if (ended_ || interrupted_()) {
            return nullptr;
        }
        PacketPtr packet = make_packet();
        const int got = av_read_frame(format_, packet.get());
        if (got == AVERROR(EAGAIN)) {
            continue;
        }
        if (got < 0) {
            ended_ = true;
            note_end(got);
            return nullptr;
        }
        if ((packet->flags & AV_PKT_FLAG_CORRUPT) != 0) {
            ++damage_.packets;
            if (options_.strict) {
                throw Error(ExitCode::damaged, "a packet of the input is damaged, and --strict was given");
            }
        }
        bridge_jump(*packet);
        const AVStream& stream = *format_->streams[packet->stream_index];
        if (packet->dts != AV_NOPTS_VALUE) {
            const std::int64_t end =
                av_rescale_q(packet->dts + packet->duration, stream.time_base, AVRational{1, AV_TIME_BASE});
            last_end_ = std::max(last_end_, end);  // AV_NOPTS_VALUE is the least of all
        }
        return packet;
    }
}

const AVPacket* Demuxer::peek(int stream) const {
    const auto found = std::ranges::find(unread_, stream, [](const PacketPtr& packet) { return packet->stream_index; });
    return found == unread_.end() ? nullptr : found->get();
}

void Demuxer::unread(std::deque<PacketPtr> packets) {
    unread_.insert(unread_.begin(), std::make_move_iterator(packets.begin()), std::make_move_iterator(packets.end()));
}

// Whether the input ended where its header says. A guess from the bit rate is no promise.
void Demuxer::note_end(int error) {
    if (interrupted_()) {
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
    if (format_->duration == AV_NOPTS_VALUE || last_end_ == AV_NOPTS_VALUE ||
        format_->duration_estimation_method == AVFMT_DURATION_FROM_BITRATE) {
        return;
    }
    const double missing = static_cast<double>(told_end() - last_end_) / AV_TIME_BASE;
    const double tolerance = 1.0 + 2 / av_q2d(frame_rate());  // sparse streams, rounding, B-frames
    if (missing > tolerance) {
        damage_.missing_seconds = missing;
    }
}

}  // namespace vfilter
