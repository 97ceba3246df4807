#include "io/input/earlier_subtitles.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "io/demuxers.h"
#include "io/input/evidence/promises.h"
#include "io/input/layers/clock_jumps.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

constexpr std::int64_t looked_back = 10 * std::int64_t{AV_TIME_BASE};
constexpr int most_read = 200'000;  // packets, should a clock jump so that the place never comes
constexpr std::int64_t far_back_unindexed = 60 * std::int64_t{AV_TIME_BASE};

// By which one that is given at the beginning is known, however often it is read and put back.
char put_before = 0;

std::int64_t begin_of(const AVPacket& packet, const AVStream& stream, std::int64_t unknown) {
    const std::int64_t time = decoding_time(packet);
    return time == AV_NOPTS_VALUE ? unknown : microseconds(time, stream.time_base);
}

}  // namespace

void EarlierSubtitles::find(PacketSource& source, const AVFormatContext& format, std::int64_t first,
                            std::int64_t wanted, const std::function<bool()>& interrupted) {
    const std::span streams(format.streams, format.nb_streams);
    const bool jumps = ClockJumps::occur_in(format);
    const auto is_looked_for = [&](const AVStream* stream) {
        return is_subtitle(*stream) && (!jumps || is_picture_subtitle(stream->codecpar->codec_id));
    };
    if (std::ranges::none_of(streams, is_looked_for) || (jumps && is_playlist(*format.iformat))) {
        return;
    }
    const std::int64_t from = std::max(
        wanted - (demuxer_facts(*format.iformat).has(input_fact::movie) ? looked_back : far_back_unindexed), first);
    for (AVStream* const stream : streams) {
        if (is_subtitle(*stream)) {
            find_indexed(source, *stream, from, wanted, interrupted);
        }
    }
    // By time MPEG-TS lands behind its first packets.
    const bool by_bytes = jumps && from == first && (format.iformat->flags & AVFMT_NO_BYTE_SEEK) == 0;
    if (source.seek(-1, by_bytes ? 0 : from, by_bytes ? AVSEEK_FLAG_BYTE : 0) < 0) {
        return;
    }
    const bool only_words = std::ranges::all_of(streams, [](const AVStream* stream) { return is_subtitle(*stream); });
    int rest = jumps ? most_read : std::numeric_limits<int>::max();
    for (PacketPtr packet = make_packet(); rest-- > 0 && !interrupted() && source.read(*packet) >= 0;
         packet = make_packet()) {
        const AVStream& stream = *format.streams[packet->stream_index];
        const std::int64_t begin = begin_of(*packet, stream, wanted);
        if (is_subtitle(stream)) {
            add(std::move(packet), stream, begin, wanted);
        }
        if (begin > wanted && (only_words || !is_subtitle(stream))) {
            break;
        }
    }
}

void EarlierSubtitles::add(PacketPtr packet, const AVStream& stream, std::int64_t begin, std::int64_t wanted) {
    const auto is_same = [&](const PacketPtr& other) {
        return other->stream_index == packet->stream_index && presentation_time(*other) == presentation_time(*packet) &&
               other->size == packet->size;
    };
    if (begin >= wanted || std::ranges::any_of(found_, is_same)) {
        return;
    }
    if (!shown_.take(*packet, stream, wanted) && begin + microseconds(packet->duration, stream.time_base) > wanted) {
        packet->opaque = &put_before;
        keys_.emplace(packet->stream_index, presentation_time(*packet));
        found_.push_back(std::move(packet));
    }
}

// The last one of a stream before `from`, behind which all are read anyway.
void EarlierSubtitles::find_indexed(PacketSource& source, AVStream& stream, std::int64_t from, std::int64_t wanted,
                                    const std::function<bool()>& interrupted) {
    constexpr int most_between = 1000;  // packets of other streams
    const std::int64_t before = av_rescale_q(from, microseconds_base, stream.time_base) - 1;
    const AVIndexEntry* const entry = avformat_index_get_entry_from_timestamp(&stream, before, AVSEEK_FLAG_BACKWARD);
    if (entry == nullptr || source.seek(stream.index, entry->timestamp, 0) < 0) {
        return;
    }
    for (int i = 0; i < most_between && !interrupted(); ++i) {
        PacketPtr packet = make_packet();
        if (source.read(*packet) < 0) {
            return;
        }
        if (packet->stream_index == stream.index) {
            const std::int64_t begin = begin_of(*packet, stream, wanted);
            add(std::move(packet), stream, begin, wanted);
            return;
        }
    }
}

std::deque<PacketPtr> EarlierSubtitles::take() {
    return std::exchange(found_, {});
}

bool EarlierSubtitles::knows_shown(std::int64_t begin, const AVPacket* packet, const AVFormatContext& format) const {
    if (!shown_.any() || packet == nullptr) {
        return shown_.any();
    }
    const std::int64_t time = decoding_time(*packet);
    return time != AV_NOPTS_VALUE &&
           microseconds(time, format.streams[packet->stream_index]->time_base) >= begin + rounding;
}

std::deque<PacketPtr> EarlierSubtitles::take_shown(std::int64_t begin, const AVFormatContext& format) {
    std::deque<PacketPtr> shown = shown_.give(begin, format);
    for (const PacketPtr& packet : shown) {
        packet->opaque = &put_before;
    }
    return shown;
}

bool EarlierSubtitles::takes(AVPacket& packet, const AVStream& stream, std::optional<std::int64_t> wanted) {
    if (packet.opaque == &put_before) {
        return false;
    }
    return (wanted && shown_.take(packet, stream, *wanted)) ||
           keys_.contains({packet.stream_index, presentation_time(packet)});
}

}  // namespace vfilter
