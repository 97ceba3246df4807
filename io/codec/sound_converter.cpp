#include "io/codec/sound_converter.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "io/codec/sound_choice.h"
#include "io/codec/sound_frames.h"
#include "io/input/layers/with_appended.h"
#include "io/input/packet_times.h"

namespace vfilter {

namespace {

constexpr int usual_frame = 1024;  // samples at a time, for encoders that take any number

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

Damage SoundConverter::damage() const {
    Damage own = damage_;
    const std::string file = clip_ > 0 ? input_.appended_file(clip_) : input_.added_file(stream_.index);
    Damage all = earlier_damage_;
    all += file.empty() ? own : own.give_to(file);
    return all;
}

void SoundConverter::send(const AVPacket* packet) {
    if (packet != nullptr && clip_of(*packet) != clip_) {
        begin_clip(clip_of(*packet));
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

// Sound of another file: its decoder knows nothing of the one before, whose last piece is cut as at an end.
void SoundConverter::begin_clip(int clip) {
    avcodec_send_packet(decoder_.get(), nullptr);
    while (FramePtr frame = receive_decoded()) {
        clip_ends_.push_back(std::move(frame));
    }
    if (const FramePtr& last = clip_ends_.empty() ? held_ : clip_ends_.back()) {
        cut_filling(*last);
    }
    earlier_damage_ = damage();
    damage_ = {};
    clip_ = clip;
    decoded_all_ = false;
    clip_begins_ = true;
    open_decoder(*input_.stream_of_clip(stream_.index, clip).value().stream.codecpar);
}

// The next decoded piece, null where there is none now.
FramePtr SoundConverter::decode() {
    if (!clip_ends_.empty()) {
        FramePtr frame = std::move(clip_ends_.front());
        clip_ends_.pop_front();
        return frame;
    }
    return receive_decoded();
}

FramePtr SoundConverter::receive_decoded() {
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
        frame->opaque = std::exchange(clip_begins_, false) ? this : nullptr;
        return frame;
    }
}

void SoundConverter::set_up_resampler(const AVFrame& like) {
    if (resampler_) {
        resample(nullptr);
    }
    format_ = sound_frame({static_cast<AVSampleFormat>(like.format), like.sample_rate, like.ch_layout}, 0);
    resampler_ = make_resampler(like, resampled_format_);
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
    queued_all_ = queued_all_ || graph_ended();
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
        return graph_ && !decoded_all_ && decode();  // which nobody hears, but damage in it is told
    }
    if (graph_ && take_filtered()) {
        return true;
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
    if (graph_ && given_all_) {
        return false;  // until the graph says that it has ended
    }
    if (resampler_) {
        resample(nullptr);
    }
    if (graph_) {
        filter(nullptr);
        given_all_ = true;
    } else {
        queued_all_ = true;
    }
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
            while (graph_ && !decoded_all_ && decode()) {
            }
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
