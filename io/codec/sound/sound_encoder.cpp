#include "io/codec/sound/sound_encoder.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

#include "io/codec/sound/sound_choice.h"
#include "io/codec/sound/sound_frames.h"
#include "io/codec/sound/sound_layouts.h"
#include "io/containers.h"

namespace vfilter {

namespace {

constexpr int queue_samples = 1 << 16;  // of room to begin with
constexpr int usual_frame = 1024;       // samples at a time, for encoders that take any number

[[noreturn]] void fail_encoding(const AVCodecContext& encoder, int error) {
    throw Error(ExitCode::encoder,
                fmt::format("the encoder of sound {} failed: {}", encoder.codec->name, av_message(error)));
}

// What of the sound is another for the encoder: channels that go are a loss, but one that is heard from two places, and
// those that were to go.
void tell_difference(int stream, const SoundFormat& given, const SoundFormat& asked, const SoundFormat& taken,
                     const AVCodec& encoder) {
    const ChannelPlaces places = places_of(asked.channels, taken.channels);
    const bool mixed = !places.mixed.empty() && asked.channels.nb_channels > 1;
    if (!mixed && taken.rate == given.rate && taken.channels.nb_channels == given.channels.nb_channels) {
        return;
    }
    spdlog::log(mixed ? spdlog::level::warn : spdlog::level::info,
                "stream {}: {} at {} Hz becomes {} at {} Hz for the encoder {}{}", stream,
                name_of_layout(given.channels), given.rate, name_of_layout(taken.channels), taken.rate, encoder.name,
                mixed ? fmt::format(", which has no place for {}", fmt::join(places.mixed, ", ")) : "");
}

// Of what was asked for.
void tell_other_rates(int stream, const SoundOptions& how, const AVCodecContext& encoder) {
    const std::int64_t wanted = how.bitrate;
    if (wanted != 0 && is_lossless_sound(encoder.codec_id)) {
        spdlog::warn(
            "stream {}: the rate of {} bits a second has no effect, as {} is lossless and takes what it "
            "needs",
            stream, wanted, how.codec);
    } else if (wanted != 0 && encoder.bit_rate != wanted) {
        spdlog::warn("stream {}: the encoder {} makes {} bits a second of sound of {} Hz in {} channels, not {}",
                     stream, encoder.codec->name, encoder.bit_rate, encoder.sample_rate, encoder.ch_layout.nb_channels,
                     wanted);
    }
    if (how.rate != 0 && how.rate != encoder.sample_rate) {
        spdlog::warn("stream {}: the encoder {} makes {} samples a second, not {}", stream, encoder.codec->name,
                     encoder.sample_rate, how.rate);
    }
}

// PCM in QuickTime has samples of one duration. Others of its durations have 32 bits, of which FFmpeg takes 31.
double longest_step_of(const AVOutputFormat& container, const AVCodecContext& encoder) {
    const bool plain = av_get_bits_per_sample(encoder.codec_id) > 0;
    if (only_counts_sound(container, encoder.codec_id) || (container.flags & AVFMT_NOTIMESTAMPS) != 0 ||
        (is_quicktime(container) && plain)) {
        return 0;
    }
    return is_quicktime(container) ? static_cast<double>(INT32_MAX) / encoder.sample_rate
                                   : std::numeric_limits<double>::infinity();
}

}  // namespace

SoundEncoder::SoundEncoder(const AVStream& stream, const SoundFormat& given, const SoundSetup& setup) {
    const SoundOptions& how = setup.how;
    SoundFormat asked = given;
    asked.rate = how.rate != 0 ? how.rate : given.rate;
    if (!how.channels.empty()) {
        av_check(av_channel_layout_from_string(&asked.channels, how.channels.c_str()), "av_channel_layout_from_string");
    }
    const SoundFormat taken = nearest_taken(setup.container, setup.encoder, asked);
    encoder_.reset(avcodec_alloc_context3(&setup.encoder));
    if (!encoder_) {
        throw std::bad_alloc();
    }
    encoder_->bit_rate =
        how.bitrate != 0
            ? how.bitrate
            : usual_bitrate(setup.encoder, std::min(taken.channels.nb_channels, asked.channels.nb_channels));
    open(*stream.codecpar, taken, setup);
    tell_other_rates(stream.index, how, *encoder_);
    tell_difference(stream.index, given, asked, taken, setup.encoder);
    longest_step_ = longest_step_of(setup.container, *encoder_);
    queue_.reset(av_audio_fifo_alloc(encoder_->sample_fmt, encoder_->ch_layout.nb_channels, queue_samples));
    if (!queue_) {
        throw std::bad_alloc();
    }
}

void SoundEncoder::open(const AVCodecParameters& from, const SoundFormat& taken, const SoundSetup& setup) {
    const AVCodec& codec = setup.encoder;
    encoder_->sample_fmt = taken.samples;
    encoder_->sample_rate = taken.rate;
    encoder_->time_base = sample_clock(taken.rate);
    if (codec.id == AV_CODEC_ID_OPUS && taken.channels.nb_channels > 2) {
        // Else libopus is given FFmpeg's order of channels for its own, which are others for 5 and 7.
        av_opt_set_int(encoder_->priv_data, "mapping_family", 1, 0);
    }
    if (av_channel_layout_copy(&encoder_->ch_layout, &taken.channels) < 0) {
        throw std::bad_alloc();
    }
    if (is_lossless_sound(codec.id) && av_get_bytes_per_sample(taken.samples) > 2) {
        const int most = lossless_bits(codec);
        const int used = setup.how.graph.empty() && from.bits_per_raw_sample > 0 ? from.bits_per_raw_sample : most;
        encoder_->bits_per_raw_sample = std::min(used, most);
    }
    encoder_->strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL;
    if ((setup.container.flags & AVFMT_GLOBALHEADER) != 0) {
        encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    }
    if (setup.strip >= Strip::tags) {
        encoder_->flags |= AV_CODEC_FLAG_BITEXACT;
    }
    if (const int opened = avcodec_open2(encoder_.get(), &codec, nullptr); opened < 0) {
        throw Error(ExitCode::encoder,
                    fmt::format("the encoder of sound {} refuses {} Hz in {} channels: {}", codec.name, taken.rate,
                                taken.channels.nb_channels, av_message(opened)));
    }
}

void SoundEncoder::add(const AVFrame& sound) {
    auto* const* const samples = reinterpret_cast<void* const*>(sound.extended_data);
    if (av_audio_fifo_write(queue_.get(), const_cast<void**>(samples), sound.nb_samples) < sound.nb_samples) {
        throw std::bad_alloc();
    }
    next_ += sound.nb_samples;
}

void SoundEncoder::add_silence(std::int64_t samples) {
    while (samples > 0) {
        const int length = static_cast<int>(std::min<std::int64_t>(samples, silence_piece));
        add(*silent_frame(format(), length));
        samples -= length;
    }
}

PacketPtr SoundEncoder::receive() {
    PacketPtr packet = make_packet();
    for (;;) {
        const int got = avcodec_receive_packet(encoder_.get(), packet.get());
        if (got >= 0) {
            return packet;
        }
        encoded_all_ = got == AVERROR_EOF;
        if (!encoded_all_ && got != AVERROR(EAGAIN)) {
            fail_encoding(*encoder_, got);
        }
        if (encoded_all_ || !encode_next()) {
            return nullptr;
        }
    }
}

// False where more has to be added first.
bool SoundEncoder::encode_next() {
    const int whole = encoder_->frame_size > 0 ? encoder_->frame_size : usual_frame;
    const int queued = av_audio_fifo_size(queue_.get());
    if (queued < whole && !queued_all_) {
        return false;
    }
    if (queued == 0) {
        send(nullptr);
        return true;
    }
    const FramePtr frame = sound_frame(format(), std::min(queued, whole));
    frame->pts = next_ - queued;
    if (av_audio_fifo_read(queue_.get(), reinterpret_cast<void**>(frame->extended_data), frame->nb_samples) <
        frame->nb_samples) {
        throw std::bad_alloc();
    }
    send(frame.get());
    return true;
}

// Null for the end.
void SoundEncoder::send(const AVFrame* frame) {
    const int sent = avcodec_send_frame(encoder_.get(), frame);
    if (sent < 0 && (frame != nullptr || sent != AVERROR_EOF)) {
        fail_encoding(*encoder_, sent);
    }
}

}  // namespace vfilter
