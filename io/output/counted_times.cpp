#include "io/output/counted_times.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "io/packet_times.h"

namespace vfilter {

namespace {

constexpr std::size_t most_behind = 64;

}  // namespace

CountedTimes::CountedTimes(AVRational rate, AVRational time_base, Places places)
    : rate_(rate), time_base_(time_base), places_(places) {}

void CountedTimes::add(std::int64_t pts) {
    waiting_.push(pts);
    if (waiting_.size() > most_behind) {
        count_first();
    }
}

void CountedTimes::finish() {
    while (!waiting_.empty()) {
        count_first();
    }
}

std::optional<std::int64_t> CountedTimes::begin() const {
    return begin_ ? std::optional(microseconds(*begin_, time_base_)) : std::nullopt;
}

void CountedTimes::count_first() {
    const std::int64_t pts = waiting_.top();
    waiting_.pop();
    begin_ = begin_.value_or(pts);
    const double own = static_cast<double>(pts - *begin_) * av_q2d(time_base_);
    if (places_ == Places::some_empty) {
        next_ = std::max<std::int64_t>(next_, std::llround(own * av_q2d(rate_)));
    }
    const double apart = std::abs(static_cast<double>(next_) / av_q2d(rate_) - own);
    ++next_;
    ++pictures_;
    constexpr double rounded = 0.501;  // of a place
    if (apart > rounded / av_q2d(rate_)) {
        ++displaced_;
        farthest_ = std::max(farthest_, apart);
    }
}

CountedSound::CountedSound(const AVStream& stream, bool from_zero) : stream_(&stream) {
    if (from_zero) {
        next_ = 0;
    }
}

void CountedSound::add(const AVPacket& packet) {
    if (packet.pts == AV_NOPTS_VALUE || packet.size == 0) {
        return;
    }
    const double at = static_cast<double>(packet.pts) * av_q2d(stream_->time_base);
    next_ = next_.value_or(at);
    farthest_ = std::max(farthest_, std::abs(at - *next_));
    *next_ += length_of(packet);
}

// By samples, as containers round durations.
double CountedSound::length_of(const AVPacket& packet) const {
    const AVCodecParameters& codec = *stream_->codecpar;
    const int bits = av_get_bits_per_sample(codec.codec_id) * codec.ch_layout.nb_channels;
    if (codec.sample_rate > 0 && bits > 0) {
        return static_cast<double>(packet.size) * 8 / bits / codec.sample_rate;
    }
    // Of Vorbis it is what the encoder takes at a time, and packets have two lengths.
    if (codec.sample_rate > 0 && codec.frame_size > 0 && codec.codec_id != AV_CODEC_ID_VORBIS) {
        return static_cast<double>(codec.frame_size) / codec.sample_rate;
    }
    return static_cast<double>(packet.duration) * av_q2d(stream_->time_base);
}

}  // namespace vfilter
