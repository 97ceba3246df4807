// The way to the wanted part of an input.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <utility>

#include "io/codec/entry_reader.h"
#include "io/input/demuxer.h"
#include "io/input/layers/clock_jumps.h"
#include "io/input/packet_times.h"
#include "io/output/container_rules.h"

namespace vfilter {

namespace {

// What libavcodec still holds at the end is lost where it has decoded nothing but one group of pictures that was open.
bool is_open_h264(const AVPacket& packet, const AVCodecParameters& codec) {
    return codec.codec_id == AV_CODEC_ID_H264 && EntryReader(codec).read(packet) != Entry::closed;
}

void tell_reading_from_the_beginning() {
    spdlog::warn("the input cannot be sought: it is read from the beginning up to --start");
}

}  // namespace

// Of a part that lies behind the beginning.
void Demuxer::go_to_part() {
    if (!part_.start || !can_seek(*part_.start)) {
        return;
    }
    if (!live_) {
        subtitles_.find(*source_, *own_, clock_.begin, part_.shift + EarlierSubtitles::rounding, interrupted_);
    }
    seek(*part_.start);
    if (!may_seek_) {
        tell_reading_from_the_beginning();
    }
    ahead_->put_back(subtitles_.take());
}

// Whether there is another place to begin at than the beginning.
bool Demuxer::can_seek(std::int64_t wanted) const {
    // By its first key frame, where a seek before it lands, sound may have gone on for seconds.
    if (wanted <= std::max(clock_.begin, clock_.first_picture) || !may_seek_) {
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
    const std::int64_t reordered = std::max<std::int64_t>(AV_TIME_BASE, microseconds(17, av_inv_q(frame_rate())));
    // FFmpeg goes by the stream that it takes for the best; one that was asked for by its number may be another.
    const int stream = options_.video_stream.empty() ? -1 : video_index();
    const auto in_its_clock = [&](std::int64_t time) {
        return stream < 0 ? time : av_rescale_q(time, microseconds_base, video().time_base);
    };
    for (std::int64_t back = 0; wanted - back > clock_.begin; back = 2 * back + AV_TIME_BASE) {
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
                keys.emplace(packet->stream_index, time == AV_NOPTS_VALUE ? wanted : microseconds(time, base) + later);
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
    av_check(source_->seek(-1, by_bytes ? 0 : clock_.begin, by_bytes ? AVSEEK_FLAG_BYTE : 0), "avformat_seek_file",
             ExitCode::input);
}

}  // namespace vfilter
