#include "io/codec/sound/sound_resampler.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "io/codec/sound/sound_layouts.h"

namespace vfilter {

namespace {

bool is_identity(const ChannelPlaces& places, int channels) {
    const std::vector<int>& sources = places.sources;
    return std::cmp_equal(sources.size(), channels) && std::ranges::is_sorted(sources) && sources.front() == 0;
}

bool is_wide(AVSampleFormat format) {
    return av_get_packed_sample_fmt(format) == AV_SAMPLE_FMT_S32;
}

// Weights of `channels` for each channel that is made: each where it is the same one, to the bit.
std::vector<double> weights_of(const ChannelPlaces& places, int channels) {
    const auto stride = static_cast<std::size_t>(channels);
    std::vector<double> weights(places.sources.size() * stride);
    for (std::size_t i = 0; i < places.sources.size(); ++i) {
        if (const int source = places.sources[i]; source >= 0) {
            weights[i * stride + static_cast<std::size_t>(source)] = 1;
        }
    }
    return weights;
}

// The usual mix of channels that have an order of their own (QuickTime's, since FFmpeg 7), of which libswresample makes
// none by itself. Empty for those that it does not know either.
std::vector<double> mixed_weights(const AVChannelLayout& from, const AVChannelLayout& made, bool is_float) {
    const auto channel_at = [&](int i) {
        return av_channel_layout_channel_from_index(&from, static_cast<unsigned>(i));
    };
    constexpr int known = 64;
    std::uint64_t mask = 0;
    for (int i = 0; i < from.nb_channels; ++i) {
        const int channel = channel_at(i);
        mask |= channel >= 0 && channel < known ? std::uint64_t{1} << channel : 0;
    }
    AVChannelLayout usual{};
    if (av_channel_layout_from_mask(&usual, mask) < 0 || usual.nb_channels != from.nb_channels) {
        return {};
    }
    // libswresample goes over a matrix of as many channels as it knows, whatever there are.
    std::vector<double> weights(std::size_t{known} * known);
    constexpr double half_power = 1 / std::numbers::sqrt2;
    if (swr_build_matrix2(&usual, &made, half_power, half_power, 0, is_float ? INT_MAX : 1, 1, weights.data(), known,
                          AV_MATRIX_ENCODING_NONE, nullptr) < 0) {
        return {};
    }
    std::vector<double> placed;
    for (int to = 0; to < made.nb_channels; ++to) {
        for (int i = 0; i < from.nb_channels; ++i) {
            const int usual_place = av_channel_layout_index_from_channel(&usual, channel_at(i));
            placed.push_back(weights[static_cast<std::size_t>(to * known + usual_place)]);
        }
    }
    return placed;
}

}  // namespace

ResamplerPtr make_resampler(const AVFrame& like, const SoundFormat& taken) {
    AVChannelLayout channels = like.ch_layout;
    complete_layout(channels);
    AVChannelLayout made = taken.channels;
    const ChannelPlaces places = places_of(channels, made);
    const auto samples = static_cast<AVSampleFormat>(like.format);
    // Under other names, the same channels are not mixed.
    const bool same = is_identity(places, channels.nb_channels);
    SwrContext* raw = nullptr;
    av_check(swr_alloc_set_opts2(&raw, &made, taken.samples, taken.rate, same ? &made : &channels, samples,
                                 like.sample_rate, 0, nullptr),
             "swr_alloc_set_opts2");
    ResamplerPtr resampler(raw);
    std::vector<double> weights;
    if (!same && !places.sources.empty()) {
        weights = weights_of(places, channels.nb_channels);
        if (is_wide(samples) && is_wide(taken.samples)) {
            // Else it would reckon in floats of 24 bits.
            av_check(av_opt_set_sample_fmt(raw, "internal_sample_fmt", AV_SAMPLE_FMT_S32P, 0), "internal_sample_fmt");
        }
    } else if (!same && channels.order == AV_CHANNEL_ORDER_CUSTOM) {
        const AVSampleFormat packed = av_get_packed_sample_fmt(taken.samples);
        weights = mixed_weights(channels, made, packed == AV_SAMPLE_FMT_FLT || packed == AV_SAMPLE_FMT_DBL);
    }
    if (!weights.empty()) {
        av_check(swr_set_matrix(raw, weights.data(), channels.nb_channels), "swr_set_matrix");
    }
    av_check(swr_init(raw), "swr_init");
    return resampler;
}

}  // namespace vfilter
