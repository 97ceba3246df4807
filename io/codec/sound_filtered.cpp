// What a graph of libavfilter's makes of the sound, on its way to the encoder.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "io/codec/sound_converter.h"
#include "io/codec/sound_frames.h"
#include "io/input/packet_times.h"

namespace vfilter {

namespace {

constexpr double rounded_seconds = 0.002;  // of times in another clock than that of the samples

// Behind what goes in, of graphs that are not known to go on.
constexpr double longest_tail_seconds = 4 * 3600;

}  // namespace

void SoundConverter::open_graph(const SoundSetup& setup) {
    graph_ =
        std::make_unique<SoundGraph>(setup.how.graph, resampled_format_,
                                     SoundFormat{encoder_->sample_fmt, encoder_->sample_rate, encoder_->ch_layout});
    graph_->tell_results();
    endless_ = graph_->goes_on();
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
        given_ = true;
        sound->pts -= av_rescale_q(graph_begin_, microseconds_base, resampled_clock());
    } else if (endless_) {
        const std::int64_t told = input_.told_end();
        const std::int64_t end =
            std::min(input_.part().exact_end.value_or(INT64_MAX), told != AV_NOPTS_VALUE ? told : INT64_MAX);
        const std::int64_t heard = av_rescale_q(resampled_, resampled_clock(), time_base());
        until_ = std::max(heard, end != INT64_MAX ? av_rescale_q(end, microseconds_base, time_base()) : heard);
        // Slower than what it was given, it has some of that on its way.
        until_ = queued_to_ > *until_ ? queued_to_ + encoder_->sample_rate : *until_;
    }
    graph_->send(sound);
}

// What has come out, a frame at a time. What goes on by itself waits for what goes in.
bool SoundConverter::take_filtered() {
    const bool ahead = av_compare_ts(queued_to_, time_base(), resampled_, resampled_clock()) > 0;
    if (!given_all_ && (!given_ || (ahead && graph_->runs_ahead()))) {
        return false;
    }
    FramePtr made = graph_->receive();
    if (!made) {
        return graph_->ended();
    }
    queue_filtered(std::move(made));
    return true;
}

// False where nothing is left of it.
bool SoundConverter::cut_to_end(AVFrame& sound, std::int64_t at) {
    made_behind_ += given_all_ ? sound.nb_samples : 0;
    if (!endless_ && static_cast<double>(made_behind_) > longest_tail_seconds * encoder_->sample_rate) {
        throw Error(ExitCode::usage, fmt::format("--af {}: makes sound without end", graph_->text()));
    }
    if (!endless_ || !until_ || at + sound.nb_samples <= *until_) {
        return true;
    }
    spdlog::warn(
        "--af {}: makes sound without end: of stream {} it ends with the input, at {:.3f} s", graph_->text(),
        stream_.index,
        static_cast<double>(*until_) / encoder_->sample_rate - static_cast<double>(graph_begin_) / AV_TIME_BASE);
    cut_ = true;
    sound.nb_samples = static_cast<int>(std::max<std::int64_t>(0, *until_ - at));
    return sound.nb_samples > 0;
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
    } else if (gap < -rounded_seconds && !std::exchange(told_overlap_, true)) {
        spdlog::warn(
            "--af {}: its times stand still or go back by {:.3f} s: what it makes is heard behind what came before",
            graph_->text(), -gap);
    }
    if (!cut_to_end(*sound, queued_to_)) {
        return;
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
