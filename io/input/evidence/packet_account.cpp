#include "io/input/evidence/packet_account.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "io/demuxers.h"
#include "io/input/layers/reconnecting.h"
#include "io/packet_times.h"
#include "io/source.h"
#include "io/stream_facts.h"

namespace vfilter {

PacketAccount::PacketAccount(const InputOptions& options, const AVFormatContext& format, std::vector<int> filtered,
                             std::vector<AVRational> rates)
    : options_(options),
      format_(format),
      filtered_(std::move(filtered)),
      rates_(std::move(rates)),
      live_(is_live(options)) {}

double PacketAccount::seconds(std::int64_t time, int stream) const {
    return static_cast<double>(time) * av_q2d(format_.streams[stream]->time_base);
}

std::optional<double> PacketAccount::output_place() const {
    return output_begin_ && latest_ != AV_NOPTS_VALUE
               ? std::optional(std::max(0.0, seconds_of(av_sat_sub64(latest_, *output_begin_))))
               : std::nullopt;
}

// For messages. The clock of a live input began anywhere, and begins anew where it comes back: there it is where the
// output is when the packet comes.
double PacketAccount::place_of(std::int64_t time, int stream) const {
    return live_ ? output_place().value_or(0) : seconds(time, stream);
}

void PacketAccount::sought() {
    from_beginning_ = false;
    damage_ = lasting_;
    marked_ = {};
    tallies_.clear();
    end_ = pictures_end_ = AV_NOPTS_VALUE;
}

void PacketAccount::came(const AVPacket& packet, const Complaints& complaints, std::optional<std::int64_t> faults) {
    note_complaint(complaints, &packet);
    seen_.insert(packet.stream_index);
    const bool corrupt = (packet.flags & AV_PKT_FLAG_CORRUPT) != 0;
    if (corrupt) {
        note_corrupt(packet, faults);
    }
    if (live_) {
        return;  // of what never ends as it should nothing is promised
    }
    tallies_.resize(std::max<std::size_t>(tallies_.size(), format_.nb_streams));
    StreamTally& tally = tallies_[static_cast<std::size_t>(packet.stream_index)];
    ++tally.packets;
    tally.last_corrupt = corrupt;
    const std::int64_t shown = presentation_time(packet);
    if (shown == AV_NOPTS_VALUE) {
        return;
    }
    if (tally.last != AV_NOPTS_VALUE) {
        tally.longest = std::max(tally.longest, shown - tally.last);
    }
    tally.last = shown;
    tally.first = tally.first == AV_NOPTS_VALUE ? shown : tally.first;
    tally.hidden += (packet.flags & AV_PKT_FLAG_DISCARD) != 0 && shown > tally.first ? 1 : 0;
    if (shown + packet.duration > tally.end) {
        tally.end = shown + packet.duration;
        tally.last_duration = packet.duration;
    }
}

void PacketAccount::given(const AVPacket& packet) {
    if (packet.dts != AV_NOPTS_VALUE) {
        const AVRational base = format_.streams[packet.stream_index]->time_base;
        end_ = std::max(end_, microseconds(packet.dts + packet.duration, base));
    }
    const std::int64_t shown = presentation_time(packet);
    if (live_ && shown != AV_NOPTS_VALUE) {
        latest_ = microseconds(shown, format_.streams[packet.stream_index]->time_base);
    }
    if (shown != AV_NOPTS_VALUE && std::ranges::find(filtered_, packet.stream_index) != filtered_.end()) {
        const AVRational base = format_.streams[packet.stream_index]->time_base;
        pictures_end_ = std::max(pictures_end_, microseconds(av_sat_add64(shown, packet.duration), base));
    }
}

// What the demuxer marks in MPEG-TS may be a joint of two files, as the scan alone tells: while that has found nothing
// the end judges.
void PacketAccount::note_corrupt(const AVPacket& packet, std::optional<std::int64_t> faults) {
    ++marked_.packets;
    if (const std::int64_t time = decoding_time(packet); time != AV_NOPTS_VALUE) {
        marked_.note(fmt::format("stream {}: a damaged packet at {:.3f} s", packet.stream_index,
                                 place_of(time, packet.stream_index)));
    }
    if (!from_beginning_ || !is_transport_stream(*format_.iformat) || faults != 0) {
        refuse_corrupt();
    }
}

void PacketAccount::refuse_corrupt() const {
    if (options_.strict && marked_.packets > 0) {
        throw Error(ExitCode::damaged, "a packet of the input is damaged, and --strict was given");
    }
}

// Errors that the demuxer has logged since the last packet: with the place where it went on.
void PacketAccount::note_complaint(const Complaints& complaints, const AVPacket* packet) {
    const std::int64_t now = complaints.count();
    if (now == told_complaints_) {
        return;
    }
    damage_.complaints += std::max<std::int64_t>(0, now - told_complaints_);
    told_complaints_ = now;
    const std::int64_t time = packet != nullptr ? decoding_time(*packet) : AV_NOPTS_VALUE;
    const std::string what = complaints.latest();
    damage_.note(time == AV_NOPTS_VALUE
                     ? fmt::format("reading: {}", what)
                     : fmt::format("reading, before {:.3f} s: {}", place_of(time, packet->stream_index), what));
    if (options_.strict) {
        throw Error(ExitCode::damaged, fmt::format("the input is damaged ({}), and --strict was given", what));
    }
}

void PacketAccount::end(int error, bool interrupted, PacketSource& source, std::int64_t told_end) {
    if (interrupted) {
        damage_ += marked_;
        return;
    }
    // A live input that ends as it should is no loss, unless the user wanted it back.
    if (error == AVERROR(ETIMEDOUT) || (live_ && (error != AVERROR_EOF || reopens(options_)))) {
        spdlog::warn("{}: lost: {}", shown_name(options_.path), why_lost(error, options_));
        damage_.lost = true;
        damage_ += marked_;
        return;
    }
    const bool whole = from_beginning_ && !live_;
    const ContainerScan* const scan = whole ? source.scan() : nullptr;
    // Demuxers of old formats call every end an error.
    const bool forgiven = scan != nullptr && scan->is_whole() && format_.pb != nullptr && format_.pb->eof_reached != 0;
    if (error != AVERROR_EOF && !forgiven) {
        spdlog::warn("reading the input: {}", av_message(error));
        ++damage_.packets;
    }
    if (format_.pb != nullptr && format_.pb->error < 0 && format_.pb->error != AVERROR_EOF &&
        format_.pb->error != error) {
        spdlog::warn("reading the input: {}", av_message(format_.pb->error));
        ++damage_.packets;
    }
    if (const Complaints* const complaints = source.complaints(); complaints != nullptr && !forgiven) {
        note_complaint(*complaints, nullptr);
    }
    judge_corrupt_packets(scan);
    if (scan != nullptr) {
        judge_structure(*scan, damage_);
    }
    if (whole) {
        judge_streams(format_, rates_, scan, tallies_, damage_);
        tell_early_end();
    }
    judge_duration(scan, told_end);
}

// Of MPEG-TS the demuxer marks what stands where two files were put together as well. There the scan knows better, but
// for the last packet of a stream, which is cut short without a contradiction.
void PacketAccount::judge_corrupt_packets(const ContainerScan* scan) {
    if (scan != nullptr && is_transport_stream(*format_.iformat) && scan->fault_count() == 0) {
        marked_ = {};
        for (std::size_t i = 0; i < tallies_.size(); ++i) {
            if (tallies_[i].last_corrupt) {
                ++marked_.packets;
                marked_.note(fmt::format("stream {}: the last packet is damaged", i));
            }
        }
    }
    refuse_corrupt();
    damage_ += marked_;
}

// Whether the input ended where its header says; a guess from the bit rate is no promise. What knows of each stream
// needs no duration of the whole file, of which chapters are a part, and which files that were written through a pipe
// do not know.
void PacketAccount::judge_duration(const ContainerScan* scan, std::int64_t told_end) {
    const DemuxerFacts& facts = demuxer_facts(*format_.iformat);
    const bool streams_are_known = scan != nullptr && (facts.has(input_fact::indexed) ||
                                                       (facts.has(input_fact::matroska) && scan->fault_count() == 0));
    if (told_end == AV_NOPTS_VALUE || end_ == AV_NOPTS_VALUE ||
        format_.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE || streams_are_known) {
        return;
    }
    const double missing = seconds_of(av_sat_sub64(told_end, end_));
    // Sparse streams, rounding, B-frames; sound alone (WAV, FLAC, MP3) is as long as its header says, but for padding.
    const double pictures = filtered_.empty() ? 0 : 2 / av_q2d(rates_[static_cast<std::size_t>(filtered_.front())]);
    const bool sound_alone = format_.nb_streams == 1 && format_.streams[0]->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
    // And of a playlist the lengths of all segments, which have two or three digits behind the point.
    constexpr double of_lengths = 0.001;
    const double lengths = is_playlist(*format_.iformat) ? of_lengths * seconds_of(format_.duration) : 0;
    const double tolerance = sound_alone ? 0.1 : 1.0 + pictures + lengths;
    if (missing > tolerance) {
        damage_.missing_seconds = std::max(damage_.missing_seconds, missing);
    }
}

// Times and durations of Matroska's streams are those of the whole file where they are not told.
bool PacketAccount::has_packets(int stream) const {
    const AVStream& of = *format_.streams[stream];
    const auto tells = [&](const char* tag) {
        const AVDictionaryEntry* const told = av_dict_get(of.metadata, tag, nullptr, 0);
        return told != nullptr && std::string_view(told->value).find_first_of("123456789") != std::string_view::npos;
    };
    return seen_.contains(stream) || of.nb_frames > 0 || avformat_index_get_entries_count(&of) > 0 ||
           tells("DURATION") || tells("NUMBER_OF_FRAMES");
}

std::int64_t PacketAccount::empty_packets(int stream) const {
    const auto index = static_cast<std::size_t>(stream);
    return index < tallies_.size() ? tallies_[index].empty : 0;
}

// Nothing in the file may say that the end of the video is missing where sound goes on without it. Often it was made
// so; whoever knows better has to see it.
void PacketAccount::tell_early_end() const {
    constexpr double min_told = 1.0;
    double sound = 0;
    double pictures = 0;
    for (std::size_t i = 0; i < tallies_.size(); ++i) {
        const AVStream& stream = *format_.streams[i];
        if (tallies_[i].end == AV_NOPTS_VALUE || is_attached_picture(stream)) {
            continue;
        }
        const double end = seconds(tallies_[i].end, static_cast<int>(i));
        if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO) {
            sound = std::max(sound, end);
        } else if (std::ranges::find(filtered_, static_cast<int>(i)) != filtered_.end()) {
            pictures = std::max(pictures, end);
        }
    }
    if (pictures > 0 && sound - pictures > min_told && !damage_.any()) {
        spdlog::warn("the video ends {:.1f} s before the sound; the file does not say that it should not",
                     sound - pictures);
    }
}

}  // namespace vfilter
