// What a graph of libavfilter's makes of the sound, on its way to the encoder.

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "io/codec/sound_choice.h"
#include "io/codec/sound_converter.h"
#include "io/codec/sound_frames.h"
#include "io/input/packet_times.h"

namespace vfilter {

namespace {

constexpr double rounded_seconds = 0.002;  // of times in another clock than that of the samples

}  // namespace

void SoundConverter::open_graph(const SoundSetup& setup) {
    graph_ =
        std::make_unique<SoundGraph>(setup.how.graph, resampled_format_,
                                     SoundFormat{encoder_->sample_fmt, encoder_->sample_rate, encoder_->ch_layout});
    graph_begin_ = input_.part().start ? input_.part().shift : input_.part().input_begin;
}

void SoundConverter::queue(const AVFrame& sound) {
    auto* const* const samples = reinterpret_cast<void* const*>(sound.extended_data);
    if (av_audio_fifo_write(queue_.get(), const_cast<void**>(samples), sound.nb_samples) < sound.nb_samples) {
        throw std::bad_alloc();
    }
}

// Samples in resampled_clock(); null for the end.
void SoundConverter::filter(FramePtr sound) {
    if (sound && sound->nb_samples == 0) {
        return;
    }
    if (sound) {
        sound->pts -= av_rescale_q(graph_begin_, microseconds_base, resampled_clock());
    }
    graph_->send(sound);
    while (FramePtr made = graph_->receive()) {
        queue_filtered(std::move(made));
    }
}

// Puts what has come out where its time says: behind a gap, if need be, and not before the output begins.
void SoundConverter::queue_filtered(FramePtr sound) {
    const std::int64_t begin = av_rescale_q(graph_begin_, microseconds_base, time_base());
    const int rate = encoder_->sample_rate;
    std::int64_t at = sound->pts == AV_NOPTS_VALUE
                          ? queued_to_
                          : av_sat_add64(av_rescale_q(sound->pts, graph_->time_base(), time_base()), begin);
    if (!filtered_ && at < queued_to_) {
        queued_to_ = filled_from_ ? queued_to_ : std::max(at, begin);  // it begins earlier than what went in
    }
    if (!filtered_ && at < queued_to_) {
        const std::int64_t before = std::min<std::int64_t>(queued_to_ - at, sound->nb_samples);
        cut_front(*sound, static_cast<int>(before));
        at += before;
        if (sound->nb_samples == 0) {
            return;
        }
    }
    const double gap = static_cast<double>(at - queued_to_) / rate;
    if (gap > (filtered_ ? usual_hole_seconds : 0) && gap < longest_step_) {
        queued_to_ = at;
    } else if (gap > usual_hole_seconds) {
        throw Error(
            ExitCode::usage,
            fmt::format("--af {}: what it makes goes on {:.3f} s later, and the output holds no gaps of its sound",
                        graph_->text(), gap));
    } else if (gap > rounded_seconds) {
        queue_silence(at - queued_to_);
    }
    filtered_ = true;
    queue(*sound);
    queued_to_ += sound->nb_samples;
}

void SoundConverter::queue_silence(std::int64_t samples) {
    while (samples > 0) {
        const int length = static_cast<int>(std::min<std::int64_t>(samples, silence_piece));
        queue(*silent_frame({encoder_->sample_fmt, encoder_->sample_rate, encoder_->ch_layout}, length));
        queued_to_ += length;
        samples -= length;
    }
}

}  // namespace vfilter
