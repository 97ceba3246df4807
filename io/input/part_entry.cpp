#include "io/input/part_entry.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "io/bitstream/entry_reader.h"
#include "io/bitstream/random_access.h"
#include "io/demuxers.h"
#include "io/input/layers/clock_jumps.h"
#include "io/packet_times.h"

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

Landing SeekBack::before(std::int64_t wanted, const std::function<bool()>& lands) const {
    for (std::int64_t back = first; wanted - back > begin; back = factor * back + more) {
        if (source.seek(stream, av_rescale_q(wanted - back, microseconds_base, clock), 0) < 0) {
            return Landing::refused;
        }
        if (lands()) {
            return Landing::early_enough;
        }
    }
    return Landing::too_late;
}

bool PartEntry::possible(std::int64_t wanted) const {
    // By its first key frame, where a seek before it lands, sound may have gone on for seconds.
    if (wanted <= std::max(clock_.begin, clock_.first_picture)) {
        return false;
    }
    // FFmpeg would look for what it seeks in bytes that are gone. A playlist's parts are opened anew.
    const bool gone =
        format_.pb != nullptr && (format_.pb->seekable & (AVIO_SEEKABLE_NORMAL | AVIO_SEEKABLE_TIME)) == 0;
    // HLS reads its segments by one demuxer. That of MP4 knows fragments by their places, which begin anew where it is
    // sent elsewhere, and gives nothing then (FFmpeg 5.1 to 7.1). Streams of MPEG-TS have numbers for tags.
    const DemuxerFacts& facts = demuxer_facts(*format_.iformat);
    const bool fragments = facts.has(input_fact::same_reader) && video().codecpar->codec_tag > 0xffff;
    const bool bare = (format_.iformat->flags & (AVFMT_NOTIMESTAMPS | AVFMT_GENERIC_INDEX)) != 0;
    // Without times FFmpeg would read to the end, in search of one.
    if (facts.has(input_fact::from_front) || (gone && !facts.has(input_fact::playlist)) || fragments ||
        (bare && video().start_time == AV_NOPTS_VALUE)) {
        tell_reading_from_the_beginning();
        return false;
    }
    return true;
}

Landing PartEntry::seek(std::int64_t wanted, const Read& read) {
    const SeekBack seek_back{.source = source_,
                             .begin = clock_.begin,
                             .factor = 2,
                             .more = AV_TIME_BASE,
                             .stream = by_number_ ? videos_.front() : -1,
                             .clock = by_number_ ? video().time_base : microseconds_base};
    const Landing landing = seek_back.before(wanted, [&] { return lands(wanted, read); });
    if (landing == Landing::early_enough) {
        drop_before_keys();
    }
    if (landing == Landing::refused) {
        tell_reading_from_the_beginning();
    } else if (landing == Landing::too_late) {
        // By bytes where the clock may jump, because by time MPEG-TS lands after its first key frame. A playlist has no
        // bytes, and begins with its first segment.
        const bool by_bytes = ClockJumps::occur_in(format_) && (format_.iformat->flags & AVFMT_NO_BYTE_SEEK) == 0;
        // Of AVI the first key frame may be later than the first packet, and FFmpeg refuses to go there.
        if (source_.seek(-1, by_bytes ? 0 : clock_.begin, by_bytes ? AVSEEK_FLAG_BYTE : 0) < 0) {
            tell_reading_from_the_beginning();
            return Landing::refused;
        }
    }
    return landing;
}

bool PartEntry::lands(std::int64_t wanted, const Read& read) {
    // Where the key frame is not a clean beginning (open groups of pictures), the decoder keeps the next few to itself.
    const std::int64_t margin = ClockJumps::occur_in(format_) ? AV_TIME_BASE : 0;
    ahead_.clear();
    keys_.clear();
    while (keys_.size() < videos_.size() && ahead_.size() < max_read_ahead) {
        PacketPtr packet = read(ahead_.empty());
        if (!packet) {
            break;
        }
        note_key(*packet, wanted);
        ahead_.push_back(std::move(packet));
    }
    return keys_.size() == videos_.size() &&
           std::ranges::all_of(keys_, [&](const auto& key) { return key.second <= wanted - margin; });
}

// Of what lies before its first key frame a decoder makes nothing that is wanted, and MPEG-TS lands anywhere.
void PartEntry::drop_before_keys() {
    std::set<int> begun;
    std::erase_if(ahead_, [&](const PacketPtr& packet) {
        if (!keys_.contains(packet->stream_index)) {
            return false;
        }
        if ((packet->flags & AV_PKT_FLAG_KEY) != 0) {
            begun.insert(packet->stream_index);
        }
        return !begun.contains(packet->stream_index);
    });
}

void PartEntry::note_key(AVPacket& packet, std::int64_t wanted) {
    if (std::ranges::find(videos_, packet.stream_index) == videos_.end() || (packet.flags & AV_PKT_FLAG_KEY) == 0) {
        return;
    }
    // Some files mark every packet, and of VC-1 FFmpeg's parser, which knows better, forgets the header where it is
    // sought.
    if (RandomAccess(*format_.streams[packet.stream_index]->codecpar).leans_on_others(packet)) {
        packet.flags &= ~AV_PKT_FLAG_KEY;
        return;
    }
    // Of a packet that tells only when it is decoded (AVI) nobody knows how much later its picture is shown.
    const std::int64_t reordered = std::max<std::int64_t>(AV_TIME_BASE, microseconds(17, av_inv_q(clock_.rate)));
    const AVStream& stream = *format_.streams[packet.stream_index];
    const std::int64_t time = presentation_time(packet);
    const bool unclear = packet.pts == AV_NOPTS_VALUE || is_open_h264(packet, *stream.codecpar);
    keys_.emplace(packet.stream_index,
                  time == AV_NOPTS_VALUE ? wanted : microseconds(time, stream.time_base) + (unclear ? reordered : 0));
}

}  // namespace vfilter
