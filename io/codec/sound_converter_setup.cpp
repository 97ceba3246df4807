// What a SoundConverter opens before the first packet.

#include <fmt/format.h>
#include <spdlog/spdlog.h>

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <string_view>
#include <vector>

#include "io/codec/sound_choice.h"
#include "io/codec/sound_converter.h"
#include "io/codec/sound_layouts.h"
#include "io/compat.h"
#include "io/input/lavfi_graph.h"
#include "io/output/container_rules.h"

namespace vfilter {

namespace {

constexpr int queue_samples = 1 << 16;  // of room to begin with

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

// What a graph makes. loudnorm has 192 kHz, for which nobody has asked who does not resample.
SoundFormat format_behind(const std::string& graph, const SoundFormat& given) {
    constexpr std::array<std::string_view, 3> resampling{"aresample", "aformat", "asetrate"};
    SoundFormat made = SoundGraph(graph, given, std::nullopt).made();
    complete_layout(made.channels);
    const std::vector<std::string> filters = filters_of(graph);
    const bool asked = std::ranges::any_of(
        resampling, [&](std::string_view name) { return std::ranges::find(filters, name) != filters.end(); });
    made.rate = asked ? made.rate : std::min(made.rate, given.rate);
    return made;
}

// Of what was asked for.
void tell_other_rates(int stream, const SoundOptions& how, const AVCodecContext& encoder) {
    const std::int64_t wanted = how.bitrate;
    if (wanted != 0 && is_lossless_sound(encoder.codec_id)) {
        spdlog::warn("stream {}: the {} bits a second change nothing: {} is without loss, and as large as it gets",
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

}  // namespace

SoundConverter::SoundConverter(const Demuxer& input, int stream, const SoundSetup& setup)
    : input_(input),
      stream_(*input.format().streams[stream]),
      strict_(input.strict()),
      live_(input.live()),
      end_(input.part().exact_end) {
    if (input.part().start || input.live()) {
        begin_ = input.part().shift;
    } else {
        begin_ = input.begin_of(stream);
    }
    const AVOutputFormat& container = setup.container;
    const AVCodec& encoder = setup.encoder;
    if (is_ogg(container) && only_counts_sound(container, encoder.id) && !input.live()) {
        filled_from_ = input.part().start ? input.part().shift : input.part().input_begin;  // where the output begins
    } else if (only_counts_sound(container, encoder.id) && !input.live()) {
        // AVI begins with whatever comes first, the others with the first picture.
        const bool avi = is_avi(container);
        filled_from_ = avi && !input.part().start ? input.part().input_begin : setup.pictures_begin;
        const std::int64_t end = input.told_end();
        if (!avi && end != AV_NOPTS_VALUE) {
            // MXF drops pictures at the end for which there is no sound, and what sound there is too much.
            filled_to_ = std::min(input.part().exact_end.value_or(INT64_MAX), end) + AV_TIME_BASE;
        }
    }
    complaints_.listen(this);
    open_decoder(*stream_.codecpar);
    open_encoder(setup);
    longest_step_ = longest_step(container);
    if (AVIOContext* const bytes = input.bytes_of(stream);
        input.clips() == 1 && bytes != nullptr && (bytes->seekable & AVIO_SEEKABLE_NORMAL) != 0) {
        bytes_ = std::max<std::int64_t>(0, avio_size(bytes));
    }
    queue_.reset(av_audio_fifo_alloc(encoder_->sample_fmt, encoder_->ch_layout.nb_channels, queue_samples));
    if (!queue_) {
        throw std::bad_alloc();
    }
}

// PCM in QuickTime has samples of one duration. Others of its durations have 32 bits, of which FFmpeg takes 31.
double SoundConverter::longest_step(const AVOutputFormat& container) const {
    const bool plain = av_get_bits_per_sample(encoder_->codec_id) > 0;
    if (only_counts_sound(container, encoder_->codec_id) || (container.flags & AVFMT_NOTIMESTAMPS) != 0 ||
        (is_quicktime(container) && plain)) {
        return 0;
    }
    return is_quicktime(container) ? static_cast<double>(INT32_MAX) / encoder_->sample_rate
                                   : std::numeric_limits<double>::infinity();
}

void SoundConverter::open_decoder(const AVCodecParameters& parameters) {
    const AVCodec* const codec = avcodec_find_decoder(parameters.codec_id);
    if (codec == nullptr) {
        throw Error(ExitCode::input,
                    fmt::format("this FFmpeg has no decoder for {}", avcodec_get_name(parameters.codec_id)));
    }
    decoder_.reset(avcodec_alloc_context3(codec));
    if (!decoder_) {
        throw std::bad_alloc();
    }
    av_check(avcodec_parameters_to_context(decoder_.get(), &parameters), "avcodec_parameters_to_context",
             ExitCode::input);
    decoder_->pkt_timebase = stream_.time_base;
    decoder_->err_recognition |= AV_EF_CRCCHECK;
    decoder_->thread_count = 1;
    decoder_->opaque = this;
    if (const int opened = avcodec_open2(decoder_.get(), codec, nullptr); opened < 0) {
        throw Error(ExitCode::input, fmt::format("the decoder {} refuses the sound of stream {}: {}", codec->name,
                                                 stream_.index, av_message(opened)));
    }
}

void SoundConverter::open_encoder(const SoundSetup& setup) {
    const AVCodec& codec = setup.encoder;
    const SoundOptions& how = setup.how;
    encoder_.reset(avcodec_alloc_context3(&codec));
    if (!encoder_) {
        throw std::bad_alloc();
    }
    const AVCodecParameters& from = *stream_.codecpar;
    SoundFormat given{static_cast<AVSampleFormat>(from.format), from.sample_rate, from.ch_layout};
    complete_layout(given.channels);
    if (given.samples == AV_SAMPLE_FMT_NONE) {
        given.samples = decoder_->sample_fmt != AV_SAMPLE_FMT_NONE ? decoder_->sample_fmt : AV_SAMPLE_FMT_FLTP;
    }
    if (!how.graph.empty()) {
        resampled_format_ = given;
        given = format_behind(how.graph, given);
    }
    SoundFormat asked = given;
    asked.rate = how.rate != 0 ? how.rate : given.rate;
    if (!how.channels.empty()) {
        av_check(av_channel_layout_from_string(&asked.channels, how.channels.c_str()), "av_channel_layout_from_string");
    }
    const SoundFormat taken = nearest_taken(setup.container, codec, asked);
    encoder_->sample_fmt = taken.samples;
    encoder_->sample_rate = taken.rate;
    encoder_->time_base = sample_clock(taken.rate);
    encoder_->bit_rate = how.bitrate != 0
                             ? how.bitrate
                             : usual_bitrate(codec, std::min(taken.channels.nb_channels, asked.channels.nb_channels));
    if (codec.id == AV_CODEC_ID_OPUS && taken.channels.nb_channels > 2) {
        // Else libopus is given FFmpeg's order of channels for its own, which are others for 5 and 7.
        av_opt_set_int(encoder_->priv_data, "mapping_family", 1, 0);
    }
    if (av_channel_layout_copy(&encoder_->ch_layout, &taken.channels) < 0) {
        throw std::bad_alloc();
    }
    if (is_lossless_sound(codec.id) && av_get_bytes_per_sample(taken.samples) > 2) {
        const int most = lossless_bits(codec);
        const int used = how.graph.empty() && from.bits_per_raw_sample > 0 ? from.bits_per_raw_sample : most;
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
    tell_other_rates(stream_.index, how, *encoder_);
    tell_difference(stream_.index, given, asked, taken, codec);
    if (how.graph.empty()) {
        resampled_format_ = {encoder_->sample_fmt, encoder_->sample_rate, encoder_->ch_layout};
    } else {
        open_graph(setup);
    }
}

}  // namespace vfilter
