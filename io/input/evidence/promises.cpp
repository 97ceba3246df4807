#include "io/input/evidence/promises.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>

#include "io/demuxers.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

constexpr std::size_t max_told_faults = 4;
// A stream ends early from so many pictures on, or so many seconds where it is none: clocks are rounded, and the last
// packet's duration may be unknown.
constexpr double early_pictures = 1.6;
constexpr double early_sound = 0.5;
constexpr double min_missing_seconds = 0.05;  // by count
constexpr std::int64_t hidden_sound = 4;      // packets before and behind what an edit list plays

bool is_judged(const AVStream& stream) {
    const AVMediaType type = stream.codecpar->codec_type;
    return (type == AVMEDIA_TYPE_VIDEO || type == AVMEDIA_TYPE_AUDIO) && !is_attached_picture(stream);
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

// The tracks of a kind stand in the same order in both, whatever their numbers are. Null where one of them sees what
// the other does not.
const TrackEvidence* track_of(const ContainerScan& scan, const AVFormatContext& format, unsigned index) {
    const AVMediaType type = format.streams[index]->codecpar->codec_type;
    const auto kind = type == AVMEDIA_TYPE_VIDEO ? TrackEvidence::Kind::video : TrackEvidence::Kind::audio;
    std::ptrdiff_t place = 0;
    std::ptrdiff_t streams = 0;
    for (unsigned i = 0; i < format.nb_streams; ++i) {
        if (format.streams[i]->codecpar->codec_type == type && !is_attached_picture(*format.streams[i])) {
            place += i < index ? 1 : 0;
            ++streams;
        }
    }
    if (streams != std::ranges::count(scan.tracks(), kind, &TrackEvidence::kind)) {
        return nullptr;
    }
    for (const TrackEvidence& track : scan.tracks()) {
        if (track.kind == kind && place-- == 0) {
            return &track;
        }
    }
    return nullptr;
}

// Pictures whose times are wrong lie outside of what an edit list shows, which is all that the file has.
void note_hidden(const AVStream& stream, const TrackEvidence* track, const StreamTally& tally, Damage& damage) {
    if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && track != nullptr && track->promised && track->shows_all &&
        tally.hidden > 0) {
        damage.pictures += tally.hidden;
        damage.note(fmt::format("{}: {} of {} pictures are hidden by their times, which its edit list shows",
                                describe(stream), tally.hidden, tally.packets));
    }
}

// Packets that a container promises of a stream, and how many of them came.
struct Promise {
    std::int64_t packets = 0;
    std::int64_t came = 0;
    std::string_view source;
};

Promise promise_of_table(const AVStream& stream, const TrackEvidence* track, std::int64_t came) {
    const std::int64_t counted = count_samples(stream);
    const std::int64_t few = stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO ? 0 : hidden_sound;
    // FFmpeg's own list lacks samples that it could not place. Of sound it leaves out what an edit list hides.
    const std::int64_t listed = track != nullptr ? track->promised.value_or(0) : 0;
    return {listed > std::max(counted, came) + few ? listed : counted, came, "sample table"};
}

Promise promise_of_track(const AVStream& stream, const TrackEvidence& track, std::int64_t came) {
    // Empty ones are not given to us. Where those are not counted many that did not come are hidden by an index.
    const std::int64_t few = std::max<std::int64_t>(2, track.found / 50);
    const bool video = stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    const bool all_count = track.counts_empty || !video || came + few >= track.found;
    return {*track.promised, all_count ? std::max(came, track.found) : came, track.source};
}

// Whether packets that the container has did not come.
bool judge_unread(const AVStream& stream, const TrackEvidence& track, StreamTally& tally, Damage& damage) {
    tally.empty = std::min(tally.empty, *track.empty);
    const std::int64_t lost = track.found - *track.empty - tally.packets;
    if (lost <= 0) {
        return false;
    }
    (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO ? damage.pictures : damage.packets) += lost;
    damage.note(
        fmt::format("{}: {} of {} packets were not read, though they are there", describe(stream), lost, track.found));
    return true;
}

void note_missing(const AVStream& stream, double rate, const Promise& promise, bool table, Damage& damage) {
    const bool video = stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    const std::int64_t missing = promise.packets - promise.came;
    (video ? damage.pictures : damage.packets) += missing;
    damage.note(fmt::format("{}: {} of {} packets are missing, by its {}", describe(stream), missing, promise.packets,
                            promise.source));
    const double seconds = static_cast<double>(missing) / rate;
    if (video && table && seconds > min_missing_seconds) {
        damage.missing_seconds = std::max(damage.missing_seconds, seconds);  // such a file is short of its end
    }
}

// Whether it ends before its own duration.
void judge_end(const AVStream& stream, double rate, const TrackEvidence& track, bool whole, const StreamTally& tally,
               Damage& damage) {
    const bool video = stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    const bool open_ended = tally.last_duration == 0;  // WavPack in Matroska, half a second or more in each packet
    // Where nothing is torn off the last one lasts as long as that, which blocks do not say: animations, slides.
    if ((video || open_ended) && whole && tally.packets >= track.found) {
        return;
    }
    const double missing = *track.seconds - static_cast<double>(tally.end) * av_q2d(stream.time_base);
    const double last_sound = open_ended ? static_cast<double>(tally.longest) * av_q2d(stream.time_base) : 0;
    const double tolerance = video ? (early_pictures + (open_ended ? 1 : 0)) / rate : early_sound + last_sound;
    if (missing > tolerance) {
        if (video) {
            damage.pictures += std::llround(missing * rate);
        }
        damage.missing_seconds = std::max(damage.missing_seconds, missing);
        damage.note(fmt::format("{}: ends {:.3f} s before its own duration", describe(stream), missing));
    }
}

void judge_stream(const AVFormatContext& format, const AVStream& stream, double rate, const TrackEvidence* track,
                  bool whole, StreamTally& tally, Damage& damage) {
    const bool table = demuxer_facts(*format.iformat).has(input_fact::movie);
    if (track != nullptr && !table && track->counts_empty) {
        tally.empty = std::max<std::int64_t>(0, track->found - tally.packets);
    }
    if (whole && track != nullptr && track->empty && tally.packets > 0 && stream.discard < AVDISCARD_ALL &&
        judge_unread(stream, *track, tally, damage)) {
        return;
    }
    Promise promise;
    if (table) {
        promise = promise_of_table(stream, track, tally.packets);
        note_hidden(stream, track, tally, damage);
    } else if (track != nullptr && track->promised) {
        promise = promise_of_track(stream, *track, tally.packets);
    }
    if (promise.packets > promise.came) {
        return note_missing(stream, rate, promise, table, damage);
    }
    // The end may be pictures that repeat the last one.
    if (!table && track != nullptr && track->seconds && tally.end != AV_NOPTS_VALUE && tally.empty <= 0) {
        judge_end(stream, rate, *track, whole, tally, damage);
    }
}

// Of the one that ends last, microseconds; AV_NOPTS_VALUE where one does not know.
std::int64_t end_of_streams(const AVFormatContext& format) {
    std::int64_t end = AV_NOPTS_VALUE;
    for (const AVStream* stream : std::span(format.streams, format.nb_streams)) {
        if (is_attached_picture(*stream)) {
            continue;
        }
        if (stream->duration <= 0 || stream->nb_frames <= 0) {
            return AV_NOPTS_VALUE;
        }
        const std::int64_t begin = stream->start_time == AV_NOPTS_VALUE ? 0 : stream->start_time;
        end = std::max(end, microseconds(av_sat_add64(begin, stream->duration), stream->time_base));
    }
    return end;
}

}  // namespace

// Where a header tells the duration it counts from 0; where it was measured, from the first timestamp.
std::int64_t told_end_of(const AVFormatContext& format, std::int64_t first) {
    if (format.duration == AV_NOPTS_VALUE) {
        return AV_NOPTS_VALUE;
    }
    // NUT's is the time of its end. That of HLS and DASH is a sum of lengths, which some round to whole seconds.
    const bool lengths = is_playlist(*format.iformat) && format.duration % AV_TIME_BASE != 0;
    const bool header = (format.duration_estimation_method == AVFMT_DURATION_FROM_STREAM && !lengths) ||
                        demuxer_facts(*format.iformat).has(input_fact::tells_end);
    const std::int64_t end = av_sat_add64(format.duration, header ? std::min<std::int64_t>(first, 0) : first);
    // In the header of mp4 the last picture may last as long as it likes, of which the tables know less.
    const std::int64_t listed =
        demuxer_facts(*format.iformat).has(input_fact::movie) ? end_of_streams(format) : AV_NOPTS_VALUE;
    return listed == AV_NOPTS_VALUE ? end : std::min(end, listed);
}

void judge_structure(const ContainerScan& scan, Damage& damage) {
    damage.faults += scan.fault_count();
    for (std::size_t i = 0; i < std::min(max_told_faults, scan.faults().size()); ++i) {
        damage.note(fmt::format("container: {} at byte {}", scan.faults()[i].what, scan.faults()[i].offset));
    }
}

void judge_streams(const AVFormatContext& format, const std::vector<AVRational>& rates, const ContainerScan* scan,
                   std::vector<StreamTally>& tallies, Damage& damage) {
    tallies.resize(std::max<std::size_t>(tallies.size(), format.nb_streams));
    for (unsigned i = 0; i < format.nb_streams; ++i) {
        const AVStream& stream = *format.streams[i];
        if (is_judged(stream)) {
            const AVRational rate = i < rates.size() ? rates[i] : AVRational{25, 1};
            judge_stream(format, stream, av_q2d(rate), scan != nullptr ? track_of(*scan, format, i) : nullptr,
                         scan != nullptr && scan->fault_count() == 0, tallies[i], damage);
        }
    }
}

}  // namespace vfilter
