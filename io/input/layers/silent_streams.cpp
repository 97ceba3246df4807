#include "io/input/layers/silent_streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "config/io_options.h"
#include "io/packet_times.h"
#include "io/stream_facts.h"

namespace vfilter {

namespace {

constexpr double least_patience = 3;  // seconds
// Longer steps are pauses, or of the clock.
constexpr std::int64_t longest_step = AV_TIME_BASE;
// Of pictures, steps that are longer than this, and than a few usual ones, are uneven.
constexpr std::int64_t even_step = AV_TIME_BASE / 4;
constexpr std::int64_t even_steps = 4;
// After an uneven step, such as for lost packets, before a stream counts as steady again.
constexpr std::int64_t steady_again = 60 * std::int64_t{AV_TIME_BASE};
// A stream whose packets come in bursts may pause for longer than it ever has, and a slow one misses some.
constexpr std::int64_t usual_pauses = 3;
constexpr std::int64_t missed_packets = 10;

}  // namespace

SilentStreams::SilentStreams(std::unique_ptr<PacketSource> inner, std::shared_ptr<StreamWatch> watch, double patience)
    : PacketLayer(std::move(inner)),
      watch_(std::move(watch)),
      patience_(static_cast<std::int64_t>(std::max(patience, least_patience) * AV_TIME_BASE)) {}

int SilentStreams::read(AVPacket& packet) {
    const int got = inner().read(packet);
    if (got >= 0 && counts(packet.stream_index)) {
        hear(packet);
    }
    return got;
}

// Words and data may be silent for long. What the run has no use for shows that time goes on.
bool SilentStreams::counts(int stream) const {
    return (kind_of(*format().streams[stream]) & (kind::audio | kind::video)) != 0;
}

std::int64_t SilentStreams::longest_but(std::size_t stream) const {
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < heard_.size(); ++i) {
        longest = i == stream ? longest : std::max(longest, heard_[i].length);
    }
    return longest;
}

void SilentStreams::hear(const AVPacket& packet) {
    const auto index = static_cast<std::size_t>(packet.stream_index);
    heard_.resize(std::max<std::size_t>(heard_.size(), format().nb_streams));
    Heard& heard = heard_[index];
    const std::int64_t others = longest_but(index);
    heard.longest_pause = std::max(heard.longest_pause, others - std::exchange(heard.others, others));
    const std::int64_t stamp = decoding_time(packet);
    if (stamp == AV_NOPTS_VALUE) {
        return;
    }
    const AVStream& stream = *format().streams[packet.stream_index];
    const std::int64_t time = microseconds(stamp, stream.time_base);
    const std::int64_t before = std::exchange(heard.last, time);
    const std::int64_t step = before == INT64_MIN ? 0 : av_sat_sub64(time, before);
    const std::int64_t usual = heard.packets > 1 ? heard.length / (heard.packets - 1) : longest_step;
    const bool picture = stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
    if (step > longest_step || (picture && step > std::max(even_step, even_steps * usual))) {
        heard.uneven = heard.length;
    }
    if (std::exchange(heard.told, false)) {
        // What was only late in its container has no gap.
        tell(index, step > longest_step ? fmt::format("gives something again, {:.1f} s later", seconds_of(step))
                                        : "gives something again");
    }
    heard.length += step >= 0 && step <= longest_step ? step : 0;
    ++heard.packets;
    for (std::size_t i = 0; i < heard_.size(); ++i) {
        if (i != index && !heard_[i].told && watch_->wants(*format().streams[i]) && is_silent(i, time)) {
            heard_[i].told = true;
            Damage loss;
            loss.fall_silent();
            tell(i, "gives nothing, while others go on", loss);
        }
    }
}

// At this time of another one. That others go on must show in their steps as well: their clock may have jumped.
bool SilentStreams::is_silent(std::size_t stream, std::int64_t now) const {
    const Heard& heard = heard_[stream];
    const std::int64_t steady = heard.uneven < 0 ? heard.length : heard.length - heard.uneven;
    if (heard.packets < 2 || steady < (heard.uneven < 0 ? patience_ : steady_again)) {
        return false;
    }
    const std::int64_t usual = heard.length / (heard.packets - 1);
    const std::int64_t enough = std::max({patience_, usual_pauses * heard.longest_pause, missed_packets * usual});
    return longest_but(stream) - heard.others > enough && av_sat_sub64(now, heard.last) > enough;
}

void SilentStreams::tell(std::size_t stream, std::string_view what, Damage loss) {
    loss.note(
        fmt::format("stream {} ({}) {}", stream, avcodec_get_name(format().streams[stream]->codecpar->codec_id), what));
    watch_->add(static_cast<int>(stream), loss);
}

}  // namespace vfilter
