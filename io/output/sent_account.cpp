#include "io/output/sent_account.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "io/containers.h"
#include "io/output/transport_pids.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

constexpr double least_heard = 0.1;  // seconds

}  // namespace

SentAccount::SentAccount(const AVFormatContext& output) {
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        const AVStream& stream = *output.streams[i];
        streams_.push_back({.type = stream.codecpar->codec_type,
                            .codec = stream.codecpar->codec_id,
                            .pid = pid_of(output, stream),
                            .header_only = is_attached_picture(stream)});
    }
}

void SentAccount::watch_sounds(const AVFormatContext& output) {
    for (unsigned i = 0; i < output.nb_streams; ++i) {
        const AVStream& stream = *output.streams[i];
        const bool none = only_counts_sound(*output.oformat, stream.codecpar->codec_id);
        const bool plain = is_quicktime(*output.oformat) && av_get_bits_per_sample(stream.codecpar->codec_id) > 0;
        if (stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO && (none || plain)) {
            sounds_.emplace(static_cast<int>(i), CountedSound(stream, none));
        }
    }
}

void SentAccount::watch_pictures(int index, AVRational rate, AVRational time_base, CountedTimes::Places places,
                                 std::int64_t begin) {
    pictures_.emplace(index, CountedTimes(rate, time_base, places));
    begins_.emplace(index, begin);
}

void SentAccount::add_picture(int index, std::int64_t pts) {
    if (const auto counted = pictures_.find(index); counted != pictures_.end()) {
        counted->second.add(pts);
    }
}

void SentAccount::add(const AVPacket& packet, AVRational clock) {
    if (const auto counted = sounds_.find(packet.stream_index); counted != sounds_.end()) {
        counted->second.add(packet);
    }
    SentStream& sent = streams_[static_cast<std::size_t>(packet.stream_index)];
    if (sent.type == AVMEDIA_TYPE_AUDIO && packet.size == 0) {
        ++sent.silent;  // with it FLAC's encoder tells what belongs into the header
        return;
    }
    ++sent.packets;
    sent.empty += packet.size == 0 ? 1 : 0;
    if (packet.pts != AV_NOPTS_VALUE) {
        const double tick = av_q2d(clock);
        const double at = static_cast<double>(packet.pts) * tick;
        sent.first = std::min(at, sent.first.value_or(at));
        sent.last = std::max(at, sent.last.value_or(at));
        sent.packet_seconds = static_cast<double>(packet.duration) * tick;
    }
}

void SentAccount::finish(const AVOutputFormat& container, const std::map<int, EncodedSoundEnds>& encoded) {
    for (auto& [index, counted] : pictures_) {
        counted.finish();
    }
    for (const auto& [index, counted] : sounds_) {
        if (counted.length() > 0) {
            streams_[static_cast<std::size_t>(index)].counted = counted.length();
        }
    }
    tell_pictures(container);
    tell_sounds(container, encoded);
    tell_begins(container, encoded);
    tell_ends(container, encoded);
}

void SentAccount::tell_pictures(const AVOutputFormat& container) const {
    for (const auto& [index, counted] : pictures_) {
        if (counted.displaced() > 0) {
            const AVRational rate = counted.rate();
            const std::string text =
                rate.den == 1 ? fmt::format("{}", rate.num) : fmt::format("{}/{}", rate.num, rate.den);
            const bool none = counted.places() == CountedTimes::Places::all_taken;
            spdlog::warn(
                "{}: at {} pictures a second {} of {} are shown up to {:.3f} s before or after "
                "their time; --vf fps={} repeats and leaves out pictures instead",
                none ? fmt::format("{} holds no times", container.name)
                     : fmt::format("{} holds times of a constant rate", container.name),
                text, counted.displaced(), counted.pictures(), counted.farthest(), text);
        }
    }
}

void SentAccount::tell_sounds(const AVOutputFormat& container, const std::map<int, EncodedSoundEnds>& encoded) const {
    for (const auto& [index, counted] : sounds_) {
        if (counted.farthest() > least_heard) {
            spdlog::warn(
                "{} holds {}: stream {} is heard up to {:.3f} s before or after its time{}", container.name,
                is_quicktime(container) ? "no gaps of this sound" : "no times of sound", index, counted.farthest(),
                encoded.contains(index) ? "" : "; --audio CODEC encodes it anew, with silence where nothing is");
        }
    }
}

void SentAccount::tell_begins(const AVOutputFormat& container, const std::map<int, EncodedSoundEnds>& encoded) const {
    for (const auto& [index, ends] : encoded) {
        if (ends.left_out_before > least_heard) {
            spdlog::warn(
                "stream {}: {:.3f} s of its sound before the pictures are left out, as {} begins with them; mov and "
                "mkv hold both",
                index, ends.left_out_before, container.name);
        }
    }
    if (sounds_.empty() || !only_counts_pictures(container)) {
        return;
    }
    for (const auto& [index, counted] : pictures_) {
        const double late = seconds_of(counted.begin().value_or(begins_.at(index)) - begins_.at(index));
        if (std::abs(late) > least_heard) {
            spdlog::warn(
                "{} holds no times: stream {} begins with a picture that was moved, so that sound is heard {:.3f} s {} "
                "beside it; mov and mkv hold both, and --start cuts both",
                container.name, index, std::abs(late), late > 0 ? "late" : "early");
        }
    }
}

// MXF has a packet of sound for each picture, and its muxer ends with the pictures.
void SentAccount::tell_ends(const AVOutputFormat& container, const std::map<int, EncodedSoundEnds>& encoded) const {
    if (!is_mxf(container)) {
        return;
    }
    double length = 0;
    for (const auto& [index, counted] : pictures_) {
        length = std::max(length, static_cast<double>(counted.pictures()) / av_q2d(counted.rate()));
    }
    for (const auto& [index, counted] : sounds_) {
        const auto ends = encoded.find(index);
        const double own = counted.length() - (ends == encoded.end() ? 0 : ends->second.silence_behind);
        if (const double more = own - length; more > least_heard) {
            spdlog::warn("stream {}: {:.3f} s of its sound are left out, as mxf ends with the pictures", index, more);
        }
    }
}

std::int64_t SentAccount::displaced_pictures() const {
    std::int64_t displaced = 0;
    for (const auto& [index, counted] : pictures_) {
        CountedTimes whole = counted;  // a run that was broken off has not counted the last ones
        whole.finish();
        displaced += whole.displaced();
    }
    return displaced;
}

}  // namespace vfilter
