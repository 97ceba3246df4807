#include "io/codec/sound_converter.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>

#include "io/codec/sound_choice.h"
#include "io/codec/sound_frames.h"
#include "io/codec/sound_layouts.h"
#include "io/compat.h"
#include "io/input/packet_times.h"

namespace vfilter {

namespace {

constexpr int usual_frame = 1024;  // samples at a time, for encoders that take any number

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

[[noreturn]] void fail_encoding(const AVCodecContext& encoder, int error) {
    throw Error(ExitCode::encoder,
                fmt::format("the encoder of sound {} failed: {}", encoder.codec->name, av_message(error)));
}

}  // namespace

void SoundConverter::note_damage(std::int64_t& count, const std::string& what) {
    ++count;
    const std::string at = next_ && decoder_->sample_rate > 0
                               ? fmt::format("near {:.3f} s", static_cast<double>(*next_) / decoder_->sample_rate)
                               : "at the beginning";
    damage_.note(fmt::format("sound of stream {} {}: {}", stream_.index, at, what));
    if (strict_) {
        throw Error(ExitCode::damaged,
                    fmt::format("the sound of stream {} is damaged ({}), and --strict was given", stream_.index, what));
    }
}

void SoundConverter::send(const AVPacket* packet) {
    if (graph_ && graph_->ended()) {
        return;  // whatever comes
    }
    if (packet == nullptr) {
        sent_all_ = true;
    } else if (packet->size == 0) {
        return;  // what FLAC's encoder says at its end, which is no sound
    } else {
        note_bytes(*packet);
    }
    const int sent = avcodec_send_packet(decoder_.get(), packet);
    if (sent == AVERROR(ENOMEM)) {
        throw std::bad_alloc();
    }
    // Where decoding begins within a stream, the first packets may lean on those before them.
    if (sent < 0 && sent != AVERROR_EOF && (began_ || !begin_)) {
        note_damage(damage_.packets, "a damaged packet");
    }
}

// The next decoded piece, null where there is none now.
FramePtr SoundConverter::decode() {
    for (;;) {
        FramePtr frame = make_frame();
        const int got = avcodec_receive_frame(decoder_.get(), frame.get());
        const std::int64_t complaints = complaints_.count();
        const bool complained = complaints != std::exchange(told_complaints_, complaints);
        decoded_all_ = decoded_all_ || got == AVERROR_EOF;
        if (got == AVERROR(EAGAIN) || got == AVERROR_EOF) {
            return nullptr;
        }
        if (got == AVERROR(ENOMEM)) {
            throw std::bad_alloc();
        }
        if (got < 0) {
            if (began_ || !begin_) {
                note_damage(damage_.packets, "a damaged packet");
            }
            continue;
        }
        if (complained && began_) {
            note_damage(damage_.complaints, complaints_.latest());
        }
        if (frame->nb_samples <= 0 || frame->sample_rate <= 0) {
            continue;
        }
        began_ = true;
        return frame;
    }
}

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
        // The container tells where it ends: the codec fills its last packet up.
        const std::int64_t told = av_rescale_q(frame_duration(*frame), decoder_->pkt_timebase, clock);
        const bool fine = av_q2d(decoder_->pkt_timebase) * frame->sample_rate < 2;
        if (fine && told > 0 && told < frame->nb_samples) {
            frame->nb_samples = static_cast<int>(told);
        }
    }
    const bool changed = !format_ || format_->sample_rate != frame->sample_rate || format_->format != frame->format ||
                         av_channel_layout_compare(&format_->ch_layout, &frame->ch_layout) != 0;
    if (changed && format_) {
        tell_change(*frame);
    }
    if (changed && format_ && next_) {
        next_ = av_rescale(*next_, frame->sample_rate, format_->sample_rate);
        moved_ = av_rescale(moved_, frame->sample_rate, format_->sample_rate);
    }
    std::int64_t at = frame->pts == AV_NOPTS_VALUE
                          ? next_.value_or(0)
                          : av_sat_sub64(av_rescale_q(frame->pts, decoder_->pkt_timebase, clock), moved_);
    const double back = next_ && !live_ ? static_cast<double>(*next_ - at) / frame->sample_rate : 0;
    // More than a clock does that is coarser than packets are long: Matroska's, of TrueHD.
    const bool stands =
        frame->pts != AV_NOPTS_VALUE && frame->pts == last_pts_ && (live_ || back > 2 * av_q2d(decoder_->pkt_timebase));
    last_pts_ = frame->pts;
    if (next_ && (stands || back > jump_seconds)) {
        // Files that were joined, or a container without times: it is heard behind what came before.
        if (!std::exchange(told_back_, true)) {
            spdlog::warn(
                "the times of the sound of stream {} stand still or go back by {:.3f} s: it is heard behind what "
                "came before",
                stream_.index, back);
        }
        at = *next_;
    }
    if (next_ && stretches_ && !changed) {
        // What has come out so far says where the next sample comes to lie.
        const std::int64_t out = resampled_format_.rate;
        next_ = av_rescale(resampled_ + swr_get_delay(resampler_.get(), out), frame->sample_rate, out);
    }
    if (next_) {
        const std::int64_t error = at - *next_;
        const double tick = 2 * av_q2d(decoder_->pkt_timebase) * frame->sample_rate;
        const double rounding = std::max(tick, (live_ ? drift_seconds : rounding_seconds) * frame->sample_rate);
        const bool jumps = static_cast<double>(std::abs(error - last_error_)) > rounding;
        const bool drifts = static_cast<double>(std::abs(error)) > drift_seconds * frame->sample_rate;
        last_error_ = jumps || drifts ? 0 : error;
        at = *next_ + (jumps || drifts ? mended(at, error) : 0);
        if (live_ && !changed) {
            stretch(jumps || drifts ? 0 : static_cast<double>(error) / frame->sample_rate, *frame);
        }
    }
    // Samples of the wanted part alone.
    const std::optional<std::int64_t> begin = filled_from_ ? filled_from_ : begin_;
    const std::int64_t first = std::max(
        next_.value_or(INT64_MIN), begin ? av_rescale_q_rnd(*begin, microseconds_base, clock, AV_ROUND_UP) : INT64_MIN);
    if (first > at) {
        note_left_out(at, std::min(first, at + frame->nb_samples), frame->sample_rate);
        if (first - at >= frame->nb_samples) {
            return;
        }
        cut_front(*frame, static_cast<int>(first - at));
        at = first;
    }
    const std::int64_t length = end_ ? av_rescale_q(*end_, microseconds_base, clock) - at : frame->nb_samples;
    frame->nb_samples = static_cast<int>(std::clamp<std::int64_t>(length, 0, frame->nb_samples));
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

void SoundConverter::set_up_resampler(const AVFrame& like) {
    if (resampler_) {
        resample(nullptr);
    }
    format_ = sound_frame({static_cast<AVSampleFormat>(like.format), like.sample_rate, like.ch_layout}, 0);
    resampler_ = make_resampler(like, resampled_format_);
}

// What one stream of the output cannot have.
void SoundConverter::tell_change(const AVFrame& frame) {
    const bool mixed = av_channel_layout_compare(&format_->ch_layout, &frame.ch_layout) != 0;
    if ((mixed || format_->sample_rate != frame.sample_rate) && !std::exchange(told_change_, true)) {
        const double at = frame.pts != AV_NOPTS_VALUE ? static_cast<double>(frame.pts) * av_q2d(decoder_->pkt_timebase)
                                                      : static_cast<double>(next_.value_or(0)) / format_->sample_rate;
        spdlog::warn("the sound is {} at {} Hz from {:.3f} s on, and was {} at {} Hz: it becomes {} at {} Hz",
                     name_of_layout(frame.ch_layout), frame.sample_rate, at, name_of_layout(format_->ch_layout),
                     format_->sample_rate, name_of_layout(encoder_->ch_layout), encoder_->sample_rate);
    }
}

// Null for what is still inside.
void SoundConverter::resample(const AVFrame* frame) {
    const int length = frame != nullptr ? frame->nb_samples : 0;
    const int room = swr_get_out_samples(resampler_.get(), length) + 1;
    FramePtr out = sound_frame(resampled_format_, room);
    const std::uint8_t* const* const in =
        frame != nullptr ? const_cast<const std::uint8_t* const*>(frame->extended_data) : nullptr;
    const int made =
        av_check(swr_convert(resampler_.get(), out->extended_data, room, const_cast<const std::uint8_t**>(in), length),
                 "swr_convert");
    out->nb_samples = made;
    out->pts = resampled_;
    resampled_ += made;
    if (graph_) {
        filter(std::move(out));
    } else {
        queue(*out);
        queued_to_ = resampled_;
    }
}

void SoundConverter::add_silence() {
    const int length = static_cast<int>(std::min<std::int64_t>(silence_, silence_piece));
    const FramePtr silent =
        silent_frame({static_cast<AVSampleFormat>(format_->format), format_->sample_rate, format_->ch_layout}, length);
    resample(silent.get());
    silence_ -= length;
    if (leapt_ > 0 && silence_ <= format_->sample_rate) {
        resampled_ += std::exchange(leapt_, 0) * resampled_format_.rate;
        queued_to_ = graph_ ? queued_to_ : resampled_;
    }
}

void SoundConverter::encode_next(int samples) {
    const FramePtr frame = sound_frame({encoder_->sample_fmt, encoder_->sample_rate, encoder_->ch_layout}, samples);
    frame->pts = queued_to_ - av_audio_fifo_size(queue_.get());
    if (av_audio_fifo_read(queue_.get(), reinterpret_cast<void**>(frame->extended_data), samples) < samples) {
        throw std::bad_alloc();
    }
    if (const int sent = avcodec_send_frame(encoder_.get(), frame.get()); sent < 0) {
        fail_encoding(*encoder_, sent);
    }
}

// One step of the way from decoder to encoder. False if there is nothing to do.
bool SoundConverter::make_progress() {
    queued_all_ = queued_all_ || (graph_ && graph_->ended());
    const int whole = encoder_->frame_size > 0 ? encoder_->frame_size : usual_frame;
    const int queued = av_audio_fifo_size(queue_.get());
    if (queued >= whole || (queued_all_ && queued > 0)) {
        encode_next(std::min(queued, whole));
        return true;
    }
    if (queued_all_) {
        if (!encoded_all_) {
            encoded_all_ = true;
            if (const int sent = avcodec_send_frame(encoder_.get(), nullptr); sent < 0 && sent != AVERROR_EOF) {
                fail_encoding(*encoder_, sent);
            }
            return true;
        }
        return false;
    }
    if (waiting_ && silence_ > 0) {
        add_silence();
        return true;
    }
    if (waiting_) {
        resample(std::exchange(waiting_, nullptr).get());
        return true;
    }
    if (FramePtr frame = decoded_all_ ? nullptr : decode()) {
        std::swap(frame, held_);
        if (frame) {
            place(std::move(frame), false);
        }
        return true;
    }
    if (!decoded_all_) {
        return false;
    }
    if (held_) {
        place(std::move(held_), true);
        return true;
    }
    if (filled_to_ && format_ && next_) {
        silence_ = av_rescale_q(*std::exchange(filled_to_, std::nullopt), microseconds_base,
                                sample_clock(format_->sample_rate)) -
                   *next_;
        limit_silence_behind();
        silence_behind_ = static_cast<double>(std::max<std::int64_t>(silence_, 0)) / format_->sample_rate;
    }
    if (silence_ > 0) {
        add_silence();
        return true;
    }
    if (resampler_) {
        resample(nullptr);
    }
    if (graph_) {
        filter(nullptr);
    }
    queued_all_ = true;
    return true;
}

PacketPtr SoundConverter::receive() {
    PacketPtr packet = make_packet();
    for (;;) {
        const int got = avcodec_receive_packet(encoder_.get(), packet.get());
        if (got >= 0) {
            return packet;
        }
        if (got == AVERROR_EOF) {
            return nullptr;
        }
        if (got != AVERROR(EAGAIN)) {
            fail_encoding(*encoder_, got);
        }
        if (!make_progress()) {
            return nullptr;
        }
    }
}

}  // namespace vfilter
