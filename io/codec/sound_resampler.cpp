#include "io/codec/sound_resampler.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "io/codec/sound_layouts.h"

namespace vfilter {

namespace {

bool is_identity(const ChannelPlaces& places, int channels) {
    const std::vector<int>& sources = places.sources;
    return std::cmp_equal(sources.size(), channels) && std::ranges::is_sorted(sources) && sources.front() == 0;
}

bool is_wide(AVSampleFormat format) {
    return av_get_packed_sample_fmt(format) == AV_SAMPLE_FMT_S32;
}

// Each where it is the same channel, to the bit.
void place_channels(SwrContext& resampler, const ChannelPlaces& places, int channels, bool wide) {
    const auto stride = static_cast<std::size_t>(channels);
    std::vector<double> weights(places.sources.size() * stride);
    for (std::size_t i = 0; i < places.sources.size(); ++i) {
        if (const int source = places.sources[i]; source >= 0) {
            weights[i * stride + static_cast<std::size_t>(source)] = 1;
        }
    }
    av_check(swr_set_matrix(&resampler, weights.data(), channels), "swr_set_matrix");
    if (wide) {
        // Else it would reckon in floats of 24 bits.
        av_check(av_opt_set_sample_fmt(&resampler, "internal_sample_fmt", AV_SAMPLE_FMT_S32P, 0),
                 "internal_sample_fmt");
    }
}

}  // namespace

ResamplerPtr make_resampler(const AVFrame& like, const AVCodecContext& encoder) {
    AVChannelLayout channels = like.ch_layout;
    complete_layout(channels);
    AVChannelLayout made = encoder.ch_layout;
    const ChannelPlaces places = places_of(channels, made);
    const auto samples = static_cast<AVSampleFormat>(like.format);
    // Under other names, the same channels are not mixed.
    const bool same = is_identity(places, channels.nb_channels);
    SwrContext* raw = nullptr;
    av_check(swr_alloc_set_opts2(&raw, &made, encoder.sample_fmt, encoder.sample_rate, same ? &made : &channels,
                                 samples, like.sample_rate, 0, nullptr),
             "swr_alloc_set_opts2");
    ResamplerPtr resampler(raw);
    if (!same && !places.sources.empty()) {
        place_channels(*raw, places, channels.nb_channels, is_wide(samples) && is_wide(encoder.sample_fmt));
    }
    av_check(swr_init(raw), "swr_init");
    return resampler;
}

}  // namespace vfilter
