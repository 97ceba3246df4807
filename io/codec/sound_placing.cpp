// Where a decoded piece of sound comes to lie: what its time says, as far as that can be true.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "io/codec/sound_choice.h"
#include "io/codec/sound_converter.h"
#include "io/codec/sound_frames.h"
#include "io/codec/sound_layouts.h"
#include "io/compat.h"
#include "io/input/packet_times.h"

namespace vfilter {

namespace {

// By how much timestamps may miss what the number of samples says before they are taken at their word: containers round
// them, and clocks drift, which is mended in larger steps.
constexpr double rounding_seconds = 0.002;
constexpr double drift_seconds = 0.04;
constexpr double jump_seconds = 0.5;  // back, by which the clock is another one
// Live, clocks of two devices: from this error on, as a mean over some time, the sound is stretched, so that the error
// is gone after a while, and by no more than nobody hears.
constexpr double stretched_seconds = 0.004;
constexpr double averaging_seconds = 1;
constexpr double mending_seconds = 3;
constexpr double max_stretch = 0.005;

}  // namespace

// The length of a gap of `length` samples at `at`: as timestamps are rounded, but packets are not, it is a whole number
// of packets where it nearly is.
std::int64_t SoundConverter::mended(std::int64_t at, std::int64_t length) {
    const std::int64_t whole = decoder_->frame_size;
    if (whole > 0) {
        const std::int64_t nearest = std::llround(static_cast<double>(length) / static_cast<double>(whole)) * whole;
        if (nearest != 0 &&
            static_cast<double>(std::abs(nearest - length)) <= rounding_seconds * decoder_->sample_rate) {
            length = nearest;
        }
    }
    spdlog::debug("stream {}: {} samples {} at {:.3f} s", stream_.index, std::abs(length),
                  length > 0 ? "of silence for a gap" : "that come twice are cut",
                  static_cast<double>(at) / decoder_->sample_rate);
    return length;
}

// Puts a piece where its time says.
void SoundConverter::place(FramePtr frame, bool last) {
    const AVRational clock = sample_clock(frame->sample_rate);
    if (last) {
        cut_filling(*frame);
    }
    const bool changed = !format_ || format_->sample_rate != frame->sample_rate || format_->format != frame->format ||
                         av_channel_layout_compare(&format_->ch_layout, &frame->ch_layout) != 0;
    if (changed && format_) {
        tell_change(*frame);
        if (next_) {
            next_ = av_rescale(*next_, frame->sample_rate, format_->sample_rate);
            moved_ = av_rescale(moved_, frame->sample_rate, format_->sample_rate);
        }
    }
    std::int64_t at = told_place(*frame);
    if (next_ && stretches_ && !changed) {
        // What has come out so far says where the next sample comes to lie.
        const std::int64_t out = resampled_format_.rate;
        next_ = av_rescale(resampled_ + swr_get_delay(resampler_.get(), out), frame->sample_rate, out);
    }
    if (next_) {
        at = steadied(at, *frame, changed);
    }
    const std::optional<std::int64_t> begin = filled_from_ ? filled_from_ : begin_;
    const std::int64_t first = std::max(
        next_.value_or(INT64_MIN), begin ? av_rescale_q_rnd(*begin, microseconds_base, clock, AV_ROUND_UP) : INT64_MIN);
    at = cut_to_part(*frame, at, first);
    if (frame->nb_samples == 0) {
        return;
    }
    if (changed) {
        set_up_resampler(*frame);
    }
    if (!next_) {
        next_ = filled_from_ ? first : at;
        resampled_ = av_rescale_q(*next_, clock, resampled_clock());
        queued_to_ = av_rescale_q(*next_, clock, time_base());
    }
    silence_ = at - *next_;
    at = limit_silence(at, frame->sample_rate);
    next_ = at + frame->nb_samples;
    waiting_ = std::move(frame);
}

// The container tells where the last piece ends: the codec fills its last packet up.
void SoundConverter::cut_filling(AVFrame& frame) const {
    const std::int64_t told =
        av_rescale_q(frame_duration(frame), decoder_->pkt_timebase, sample_clock(frame.sample_rate));
    const bool fine = av_q2d(decoder_->pkt_timebase) * frame.sample_rate < 2;
    if (fine && told > 0 && told < frame.nb_samples) {
        frame.nb_samples = static_cast<int>(told);
    }
}

// By its time, or behind what came before.
std::int64_t SoundConverter::told_place(const AVFrame& frame) {
    const std::int64_t at =
        frame.pts == AV_NOPTS_VALUE
            ? next_.value_or(0)
            : av_sat_sub64(av_rescale_q(frame.pts, decoder_->pkt_timebase, sample_clock(frame.sample_rate)), moved_);
    const double back = next_ && !live_ ? static_cast<double>(*next_ - at) / frame.sample_rate : 0;
    // More than a clock does that is coarser than packets are long: Matroska's, of TrueHD.
    const bool stands =
        frame.pts != AV_NOPTS_VALUE && frame.pts == last_pts_ && (live_ || back > 2 * av_q2d(decoder_->pkt_timebase));
    last_pts_ = frame.pts;
    if (!next_ || (!stands && back <= jump_seconds)) {
        return at;
    }
    // Files that were joined, or a container without times.
    if (!std::exchange(told_back_, true)) {
        spdlog::warn(
            "the times of the sound of stream {} stand still or go back by {:.3f} s: it is heard behind what "
            "came before",
            stream_.index, back);
    }
    return *next_;
}

// Right behind what came before, unless its time says more than what clocks round and drift by.
std::int64_t SoundConverter::steadied(std::int64_t at, const AVFrame& frame, bool changed) {
    const std::int64_t error = at - *next_;
    const double tick = 2 * av_q2d(decoder_->pkt_timebase) * frame.sample_rate;
    const double rounding = std::max(tick, (live_ ? drift_seconds : rounding_seconds) * frame.sample_rate);
    // Each file of several begins where it is to, whatever the sound of the one before lacked or had too much.
    if (frame.opaque != nullptr) {
        last_error_ = 0;
        const double rounded = error < 0 ? rounding_seconds * frame.sample_rate : std::max(tick, 1.0);
        return static_cast<double>(std::abs(error)) <= rounded ? *next_ : at;
    }
    const bool jumps = static_cast<double>(std::abs(error - last_error_)) > rounding;
    const bool drifts = static_cast<double>(std::abs(error)) > drift_seconds * frame.sample_rate;
    last_error_ = jumps || drifts ? 0 : error;
    const std::int64_t place = *next_ + (jumps || drifts ? mended(at, error) : 0);
    if (live_ && !changed) {
        stretch(jumps || drifts ? 0 : static_cast<double>(error) / frame.sample_rate, frame);
    }
    return place;
}

// Samples from `first` to the end of the wanted part alone, none where there are none. Returns where they lie.
std::int64_t SoundConverter::cut_to_part(AVFrame& frame, std::int64_t at, std::int64_t first) {
    if (first > at) {
        note_left_out(at, std::min(first, at + frame.nb_samples), frame.sample_rate);
        if (first - at >= frame.nb_samples) {
            frame.nb_samples = 0;
            return first;
        }
        cut_front(frame, static_cast<int>(first - at));
        at = first;
    }
    if (end_) {
        const std::int64_t length = av_rescale_q(*end_, microseconds_base, sample_clock(frame.sample_rate)) - at;
        frame.nb_samples = static_cast<int>(std::clamp<std::int64_t>(length, 0, frame.nb_samples));
    }
    return at;
}

// Lets the resampler make a little more or fewer samples of those to come. `error` is how many seconds later the
// frame's time says it is than where it comes to lie.
void SoundConverter::stretch(double error, const AVFrame& frame) {
    const double seconds = static_cast<double>(frame.nb_samples) / frame.sample_rate;
    mean_error_ += (error - mean_error_) * std::min(1.0, seconds / averaging_seconds);
    stretches_ = stretches_ || std::abs(mean_error_) > stretched_seconds;
    if (!stretches_) {
        return;
    }
    const double speed = std::clamp(mean_error_ / mending_seconds, -max_stretch, max_stretch);
    const double distance = std::max(1.0, 2 * seconds) * resampled_format_.rate;
    av_check(swr_set_compensation(resampler_.get(), static_cast<int>(std::lround(speed * distance)),
                                  static_cast<int>(distance)),
             "swr_set_compensation");
}

// What one stream of the output cannot have.
void SoundConverter::tell_change(const AVFrame& frame) {
    const bool named =
        format_->ch_layout.order != AV_CHANNEL_ORDER_UNSPEC && frame.ch_layout.order != AV_CHANNEL_ORDER_UNSPEC;
    const bool mixed = format_->ch_layout.nb_channels != frame.ch_layout.nb_channels ||
                       (named && av_channel_layout_compare(&format_->ch_layout, &frame.ch_layout) != 0);
    if ((mixed || format_->sample_rate != frame.sample_rate) && !std::exchange(told_change_, true)) {
        const double at = frame.pts != AV_NOPTS_VALUE ? static_cast<double>(frame.pts) * av_q2d(decoder_->pkt_timebase)
                                                      : static_cast<double>(next_.value_or(0)) / format_->sample_rate;
        spdlog::warn("the sound is {} at {} Hz from {:.3f} s on, and was {} at {} Hz: it becomes {} at {} Hz",
                     name_of_layout(frame.ch_layout), frame.sample_rate, at, name_of_layout(format_->ch_layout),
                     format_->sample_rate, name_of_layout(encoder_->ch_layout), encoder_->sample_rate);
    }
}

}  // namespace vfilter
