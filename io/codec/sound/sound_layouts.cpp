#include "io/codec/sound/sound_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "io/compat.h"
#include "io/containers.h"

namespace vfilter {

namespace {

constexpr std::uint64_t centre_behind = AV_CH_LAYOUT_6POINT1;

// The one order that Vorbis and Opus have for each number of channels (Vorbis I specification, 4.3.9; RFC
// 7845, 5.1.1.2), and FLAC where nothing but its own header says more (RFC 9639, 9.1.3).
constexpr std::array<std::uint64_t, 8> vorbis_layouts{
    AV_CH_LAYOUT_MONO,         AV_CH_LAYOUT_STEREO,       AV_CH_LAYOUT_SURROUND, AV_CH_LAYOUT_QUAD,
    AV_CH_LAYOUT_5POINT0_BACK, AV_CH_LAYOUT_5POINT1_BACK, centre_behind,         AV_CH_LAYOUT_7POINT1};

// The channel configurations of AAC (ISO/IEC 14496-3, table 1.19) as FFmpeg writes and reads them. Its encoder
// describes others by a program_config_element, which browsers, phones and televisions do not read, and FFmpeg's
// decoder as "unknown".
constexpr std::array<std::uint64_t, 7> aac_layouts{
    AV_CH_LAYOUT_MONO,         AV_CH_LAYOUT_STEREO,       AV_CH_LAYOUT_SURROUND, AV_CH_LAYOUT_4POINT0,
    AV_CH_LAYOUT_5POINT0_BACK, AV_CH_LAYOUT_5POINT1_BACK, AV_CH_LAYOUT_7POINT1};

// Of an encoder that does not say so itself, or says more than can be read. Empty for those that take any.
std::span<const std::uint64_t> known_layouts(const AVOutputFormat& container, AVCodecID codec) {
    switch (codec) {
        case AV_CODEC_ID_AAC:
            return aac_layouts;
        case AV_CODEC_ID_OPUS:
        case AV_CODEC_ID_VORBIS:
            return vorbis_layouts;
        case AV_CODEC_ID_FLAC:
            // FFmpeg's muxers of the others leave out the comment that names the channels.
            return is_matroska(container) ? std::span<const std::uint64_t>{} : vorbis_layouts;
        case AV_CODEC_ID_WMAV1:
        case AV_CODEC_ID_WMAV2:
            return std::span(vorbis_layouts).first(2);
        case AV_CODEC_ID_ADPCM_G726:
        case AV_CODEC_ID_NELLYMOSER:
        case AV_CODEC_ID_RA_144:
            return std::span(vorbis_layouts).first(1);
        default:
            return {};
    }
}

std::vector<AVChannelLayout> taken_layouts(const AVOutputFormat& container, const AVCodec& encoder) {
    std::vector<AVChannelLayout> taken;
    for (const std::uint64_t mask : known_layouts(container, encoder.id)) {
        av_channel_layout_from_mask(&taken.emplace_back(), mask);
    }
    const AVChannelLayout* own = taken.empty() ? encoder_channel_layouts(encoder) : nullptr;
    for (; own != nullptr && own->nb_channels != 0; ++own) {
        taken.push_back(*own);
    }
    return taken;
}

// The place that is as good where a layout has only one of both.
AVChannel twin_of(AVChannel channel) {
    constexpr std::array<std::array<AVChannel, 2>, 2> twins{
        {{AV_CHAN_SIDE_LEFT, AV_CHAN_BACK_LEFT}, {AV_CHAN_SIDE_RIGHT, AV_CHAN_BACK_RIGHT}}};
    for (const auto& [side, back] : twins) {
        if (channel == side || channel == back) {
            return channel == side ? back : side;
        }
    }
    return AV_CHAN_NONE;
}

bool has_places(const AVChannelLayout& layout) {
    return layout.order == AV_CHANNEL_ORDER_NATIVE || layout.order == AV_CHANNEL_ORDER_CUSTOM;
}

std::string name_of_channel(AVChannel channel) {
    constexpr std::size_t longest = 64;
    std::array<char, longest> name{};
    av_channel_name(name.data(), name.size(), channel);
    return name.data();
}

}  // namespace

ChannelPlaces places_of(const AVChannelLayout& from, const AVChannelLayout& to) {
    ChannelPlaces places;
    places.sources.assign(static_cast<std::size_t>(to.nb_channels), -1);
    // Of which nobody says where they are: in their order.
    const bool placed = has_places(from) && has_places(to);
    std::vector<int> left;
    const auto put = [&](int channel, int at) {
        const bool free = at >= 0 && at < to.nb_channels && places.sources[static_cast<std::size_t>(at)] < 0;
        if (free) {
            places.sources[static_cast<std::size_t>(at)] = channel;
        }
        return free;
    };
    const auto place_in = [&](AVChannel channel) {
        return channel == AV_CHAN_NONE ? -1 : av_channel_layout_index_from_channel(&to, channel);
    };
    const auto channel_at = [&](int i) {
        return av_channel_layout_channel_from_index(&from, static_cast<unsigned>(i));
    };
    for (int i = 0; i < from.nb_channels; ++i) {
        if (!put(i, placed ? place_in(channel_at(i)) : i)) {
            left.push_back(i);
        }
    }
    for (const int i : left) {
        const AVChannel channel = channel_at(i);
        if (!placed || !put(i, place_in(twin_of(channel)))) {
            places.mixed.push_back(placed ? name_of_channel(channel) : fmt::format("{}", i + 1));
        }
    }
    if (!places.mixed.empty()) {
        places.sources.clear();
    }
    return places;
}

AVChannelLayout nearest_layout(const AVOutputFormat& container, const AVCodec& encoder, const AVChannelLayout& given) {
    const std::vector<AVChannelLayout> taken = taken_layouts(container, encoder);
    if (taken.empty()) {
        AVChannelLayout usual{};
        av_channel_layout_default(&usual, given.nb_channels);
        return given.order == AV_CHANNEL_ORDER_NATIVE ? given : usual;
    }
    const auto cost = [&](const AVChannelLayout& layout) {
        const std::vector<std::string> mixed = places_of(given, layout).mixed;
        const bool same = av_channel_layout_compare(&layout, &given) == 0;
        // Others are heard from beside their place; of LFE the resampler leaves nothing.
        const auto silent = std::ranges::count(mixed, name_of_channel(AV_CHAN_LOW_FREQUENCY));
        return std::tuple(mixed.size(), silent, layout.nb_channels, same ? 0 : 1);
    };
    return *std::ranges::min_element(taken, {}, cost);
}

std::string name_of_layout(const AVChannelLayout& layout) {
    constexpr std::size_t longest = 256;
    std::array<char, longest> name{};
    return av_channel_layout_describe(&layout, name.data(), name.size()) > 0
               ? name.data()
               : fmt::format("{} channels", layout.nb_channels);
}

void complete_layout(AVChannelLayout& channels) {
    if (channels.order == AV_CHANNEL_ORDER_UNSPEC) {
        const int count = channels.nb_channels;
        av_channel_layout_default(&channels, count);
    }
}

}  // namespace vfilter
