#include "io/codec/sound/sound_maker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "io/codec/sound/sound_frames.h"
#include "io/codec/sound/sound_layouts.h"

namespace vfilter {

namespace {

SoundFormat decoded_format(const AVCodecParameters& told, AVSampleFormat decoded) {
    SoundFormat format{static_cast<AVSampleFormat>(told.format), told.sample_rate, told.ch_layout};
    complete_layout(format.channels);
    if (format.samples == AV_SAMPLE_FMT_NONE) {
        format.samples = decoded != AV_SAMPLE_FMT_NONE ? decoded : AV_SAMPLE_FMT_FLTP;
    }
    return format;
}

SoundEncoder encoder_for(const AVStream& stream, const SoundFormat& decoded, const SoundSetup& setup) {
    const std::string& graph = setup.how.graph;
    return {stream, graph.empty() ? decoded : format_behind(graph, decoded), setup};
}

}  // namespace

SoundMaker::SoundMaker(const Demuxer& input, int stream, AVSampleFormat decoded, const SoundSetup& setup)
    : made_(decoded_format(*input.format().streams[stream]->codecpar, decoded)),
      encoder_(encoder_for(*input.format().streams[stream], made_, setup)) {
    if (setup.how.graph.empty()) {
        made_ = encoder_.format();
    } else {
        filtered_.emplace(input, stream, setup, made_, encoder_);
    }
}

std::optional<std::int64_t> SoundMaker::made_to(const AVFrame& piece) const {
    if (!like_ || like_->sample_rate != piece.sample_rate || like_->format != piece.format ||
        av_channel_layout_compare(&like_->ch_layout, &piece.ch_layout) != 0) {
        return std::nullopt;
    }
    return av_rescale(made_to_ + swr_get_delay(resampler_.get(), made_.rate), piece.sample_rate, made_.rate);
}

void SoundMaker::tell_change(const AVFrame& piece, double at) {
    if (!like_ || told_change_) {
        return;
    }
    const AVChannelLayout& before = like_->ch_layout;
    const bool named = before.order != AV_CHANNEL_ORDER_UNSPEC && piece.ch_layout.order != AV_CHANNEL_ORDER_UNSPEC;
    const bool mixed = before.nb_channels != piece.ch_layout.nb_channels ||
                       (named && av_channel_layout_compare(&before, &piece.ch_layout) != 0);
    if (mixed || like_->sample_rate != piece.sample_rate) {
        const SoundFormat encoded = encoder_.format();
        told_change_ = true;
        spdlog::warn("the sound is {} at {} Hz from {:.3f} s on, and was {} at {} Hz: it becomes {} at {} Hz",
                     name_of_layout(piece.ch_layout), piece.sample_rate, at, name_of_layout(before), like_->sample_rate,
                     name_of_layout(encoded.channels), encoded.rate);
    }
}

void SoundMaker::add(FramePtr piece, const SoundPlace& place) {
    if (place.stretch) {
        stretch(*place.stretch);
    }
    if (place.samples == 0) {
        return;
    }
    cut_front(*piece, place.cut);
    piece->nb_samples = place.samples;
    const bool first = !resampler_;
    if (!made_to(*piece)) {
        set_up_resampler(*piece);
    }
    if (first) {
        const AVRational clock = sample_clock(piece->sample_rate);
        made_to_ = av_rescale_q(place.from, clock, sample_clock(made_.rate));
        encoder_.go_on_at(av_rescale_q(place.from, clock, encoder_.time_base()));
    }
    silence_ = place.silence;
    leap_ = place.leap;
    waiting_ = std::move(piece);
}

void SoundMaker::end(std::int64_t silence) {
    silence_ = silence;
    ends_ = true;
}

PacketPtr SoundMaker::receive() {
    for (;;) {
        if (filtered_ && filtered_->ended()) {
            encoder_.end();
        }
        PacketPtr packet = encoder_.receive();
        if (packet || encoder_.ended() || !make_progress()) {
            return packet;
        }
    }
}

// One step on the way to the encoder. False if there is nothing to do.
bool SoundMaker::make_progress() {
    if (filtered_ && filtered_->make_progress(made_to_)) {
        return true;
    }
    if (silence_ > 0) {
        add_silence();
    } else if (waiting_) {
        resample(std::exchange(waiting_, nullptr).get());
    } else if (std::exchange(ends_, false)) {
        if (resampler_) {
            resample(nullptr);
        }
        if (filtered_) {
            filtered_->end(made_to_);
        } else {
            encoder_.end();
        }
    } else {
        return false;
    }
    return true;
}

// Lets the resampler make more or fewer samples of those to come.
void SoundMaker::stretch(const SoundStretch& how) {
    const double distance = how.seconds * made_.rate;
    av_check(swr_set_compensation(resampler_.get(), static_cast<int>(std::lround(how.share * distance)),
                                  static_cast<int>(distance)),
             "swr_set_compensation");
}

void SoundMaker::set_up_resampler(const AVFrame& like) {
    if (resampler_) {
        resample(nullptr);
    }
    like_ = sound_frame(format_of(like), 0);
    resampler_ = make_resampler(like, made_);
}

// Null for what is still inside.
void SoundMaker::resample(const AVFrame* frame) {
    const int length = frame != nullptr ? frame->nb_samples : 0;
    const int room = swr_get_out_samples(resampler_.get(), length) + 1;
    FramePtr out = sound_frame(made_, room);
    const std::uint8_t* const* const in =
        frame != nullptr ? const_cast<const std::uint8_t* const*>(frame->extended_data) : nullptr;
    out->nb_samples =
        av_check(swr_convert(resampler_.get(), out->extended_data, room, const_cast<const std::uint8_t**>(in), length),
                 "swr_convert");
    out->pts = made_to_;
    made_to_ += out->nb_samples;
    if (filtered_) {
        filtered_->add(std::move(out));
    } else {
        encoder_.add(*out);
    }
}

void SoundMaker::add_silence() {
    const int length = static_cast<int>(std::min<std::int64_t>(silence_, silence_piece));
    resample(silent_frame(format_of(*like_), length).get());
    silence_ -= length;
    if (leap_ > 0 && silence_ <= like_->sample_rate) {
        made_to_ += std::exchange(leap_, 0) * made_.rate;
        if (!filtered_) {
            encoder_.go_on_at(made_to_);
        }
    }
}

}  // namespace vfilter
