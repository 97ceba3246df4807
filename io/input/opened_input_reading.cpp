// OpenedInput once it is opened: its packets, and how it ends.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <span>
#include <thread>
#include <utility>

#include "io/bitstream/png_texts.h"
#include "io/demuxers.h"
#include "io/input/opened_input.h"
#include "io/input/picture_says.h"
#include "io/packet_times.h"
#include "io/refused_memory.h"
#include "io/source.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

// FFmpeg gives the pictures of bare Dirac and VC-2 their numbers for times.
void spread_numbers(AVPacket& packet, const AVStream& stream) {
    const std::int64_t first = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
    for (std::int64_t* const time : {&packet.pts, &packet.dts}) {
        if (*time != AV_NOPTS_VALUE && packet.duration > 0) {
            *time = first + (*time - first) * packet.duration;
        }
    }
}

// Of a Filmstrip, whose demuxer goes on behind the last picture: what says how many there are lies there.
bool is_film_trailer(const AVFormatContext& format, const AVPacket& packet) {
    const std::int64_t pictures = format.streams[packet.stream_index]->nb_frames;
    return pictures > 0 && packet.dts >= pictures && demuxer_facts(*format.iformat).has(input_fact::trailer);
}

// A WAV that was written into a pipe tells no length: its last packet is shorter than FFmpeg asks for.
bool tells_no_length(const InputBytes& bytes) {
    std::array<std::uint8_t, 4> length{};
    const bool read = bytes.read_at(4, length) == length.size();
    const auto is_all = [&](std::uint8_t value) {
        return std::ranges::all_of(length, [value](std::uint8_t byte) { return byte == value; });
    };
    return read && (is_all(0xff) || is_all(0));
}

}  // namespace

bool OpenedInput::stop() {
    constexpr std::chrono::milliseconds camera_poll{20};
    // What has no bytes to count (RTSP opens by asking to and fro) gets so much more while it is opened.
    constexpr std::chrono::seconds opening_allowance{10};
    if (interrupted_()) {
        return true;
    }
    if (opening_ && camera_.is_there()) {
        camera_.wait(camera_poll);  // FFmpeg, looking at the first pictures, asks in a loop
    }
    const AVIOContext* const countable = format_ != nullptr ? format_->pb : nullptr;
    const bool uncounted = opening_ && countable == nullptr && !bytes_;
    return patience_.is_over(countable, uncounted ? opening_allowance : InputPatience::Duration::zero());
}

const ContainerScan* OpenedInput::scan() {
    if (!scan_ || !bytes_) {
        return nullptr;
    }
    if (!scan_->complete()) {
        scan_->finish(bytes_->size(),
                      [this](std::int64_t offset, std::span<std::uint8_t> to) { return bytes_->read_at(offset, to); });
    }
    return scan_->complete() ? &scan_->scan() : nullptr;
}

int OpenedInput::read(AVPacket& packet) {
    const MissingParts::Hearing hearing(parts_);
    const SaidOnce once;
    patience_.hear();
    if (interrupted_()) {
        return AVERROR_EXIT;
    }
    holes_.begin_packet();
    for (;;) {
        errno = 0;
        const int got = read_packet(packet);
        note_memory(got, packet);
        if (got == AVERROR(EAGAIN)) {
            if (stop()) {
                return patience_.was_over() ? AVERROR(ETIMEDOUT) : AVERROR_EXIT;
            }
            wait();
            continue;
        }
        if (got >= 0) {
            mend(packet);
        }
        if (got == AVERROR_EOF && demuxer_facts(*format_->iformat).has(input_fact::first_end) &&
            streams_.leave_ended(*format_)) {
            continue;
        }
        if (got < 0 && goes_on_behind(got)) {
            continue;
        }
        if (got < 0) {
            return end(got);
        }
        if (is_left_out(packet)) {
            av_packet_unref(&packet);
            continue;
        }
        says_.add_to(*format_, packet);
        if (!bytes_) {
            streams_.note(*format_, packet);
        }
        forgive(packet);
        return got;
    }
}

// Nothing has come so far.
void OpenedInput::wait() const {
    constexpr std::chrono::milliseconds camera_poll{100};
    constexpr std::chrono::milliseconds nap{2};
    if (camera_.is_there()) {
        camera_.wait(camera_poll);
    } else {
        std::this_thread::sleep_for(nap);
    }
}

int OpenedInput::read_packet(AVPacket& packet) {
    if (!behind_.take(packet)) {
        if (const int got = av_read_frame(format_, &packet); got < 0) {
            return got;
        }
    }
    if (demuxer_facts(*format_->iformat).has(input_fact::numbers)) {
        spread_numbers(packet, *format_->streams[packet.stream_index]);
    }
    behind_.delay(packet);
    return 0;
}

void OpenedInput::mend(AVPacket& packet) const {
    const AVStream& stream = *format_->streams[packet.stream_index];
    if (lends_buffers_) {
        OpenedCamera::make_own(packet);
    }
    if (bound_times(packet, stream.time_base)) {
        note_complaint(format_, "a time that no clock shows");
    }
    // Each is a picture by itself, which libavfilter's device does not say of them (since FFmpeg 7).
    if (stream.codecpar->codec_id == AV_CODEC_ID_WRAPPED_AVFRAME) {
        packet.flags |= AV_PKT_FLAG_KEY;
    }
}

bool OpenedInput::goes_on_behind(int error) {
    const bool gave_up = error != AVERROR_EOF && error != AVERROR_EXIT && error != AVERROR(ENOMEM);
    return bytes_ && gave_up && !interrupted_() && holes_.go_on(*format_->pb, error, met_);
}

// What nobody can read, or is no picture by itself. Throws Error(input) for pictures that are not to be decoded.
bool OpenedInput::is_left_out(AVPacket& packet) {
    const AVStream& stream = *format_->streams[packet.stream_index];
    if (is_scrambled(stream) || is_film_trailer(*format_, packet)) {
        return true;
    }
    // Nobody decodes a cover.
    if (is_png(stream) && !is_attached_picture(stream)) {
        refuse_picture(options_, excess_of_png(std::span(packet.data, static_cast<std::size_t>(packet.size))));
    }
    if (!holds_picture_files(*format_, stream)) {
        return false;
    }
    if (stream.codecpar->codec_id == AV_CODEC_ID_MJPEG && bytes_ && bytes_->seekable() && !behind_.is_picture(packet)) {
        return true;
    }
    if (const std::string wrong = add_what_picture_says(packet, stream.codecpar->codec_id); !wrong.empty()) {
        note_complaint(format_, wrong);
    }
    return false;
}

// What its demuxer marks as damaged, and is not.
void OpenedInput::forgive(AVPacket& packet) {
    if ((packet.flags & AV_PKT_FLAG_CORRUPT) != 0 && bytes_ &&
        demuxer_facts(*format_->iformat).has(input_fact::short_packet) && tells_no_length(*bytes_)) {
        packet.flags &= ~AV_PKT_FLAG_CORRUPT;
    }
    streams_.forgive_joint(*format_, packet, parts_.joints());
}

int OpenedInput::seek(int stream, std::int64_t latest, int flags) {
    const MissingParts::Hearing hearing(parts_);
    parts_.sought();
    holes_.sought();
    streams_.sought();
    const int error = avformat_seek_file(format_, stream, INT64_MIN, latest, latest, flags);
    if (error >= 0 && format_->pb != nullptr) {
        behind_.go_to(avio_tell(format_->pb));
    }
    return error;
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

int OpenedInput::end(int error) {
    if (error == AVERROR_EOF && !ended_) {
        ended_ = true;
        note_lost_bytes();
    }
    return why_ended(error);
}

int OpenedInput::why_ended(int error) {
    if (patience_.was_over()) {
        return AVERROR(ETIMEDOUT);
    }
    if (interrupted_()) {
        return error;
    }
    parts_.end(streams_.how_ended(*format_));
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

Damage OpenedInput::take_damage() {
    Damage damage = parts_.take();
    damage += std::exchange(met_, {});
    check_strictly(damage);
    return damage;
}

}  // namespace vfilter
