#include "io/formats/picture_density.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>

namespace vfilter {

namespace {

constexpr double inch = 0.0254;
constexpr double centimetre = 0.01;

bool is_alike(const Density& density) {
    return std::abs(density.across / density.down - 1) < 1e-4;
}

// As they are read, up to what has no unit.
double leading_number(std::string_view text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

std::string density_text(Density density) {
    constexpr double least = 1;
    constexpr double most = 65535 / inch;
    const auto is_meant = [&](double dots) { return dots >= least && dots <= most; };
    return is_meant(density.across) && is_meant(density.down)
               ? fmt::format("{:.4f}x{:.4f}", density.across, density.down)
               : "";
}

std::optional<Density> density_of(const AVFrame& picture) {
    const AVDictionaryEntry* const entry = av_dict_get(picture.metadata, density_name, nullptr, 0);
    const std::string_view value = entry != nullptr ? entry->value : "";
    const std::size_t between = value.find('x');
    if (between == std::string_view::npos) {
        return std::nullopt;
    }
    const Density density{leading_number(value), leading_number(value.substr(between + 1))};
    return density_text(density).empty() ? std::nullopt : std::optional(density);
}

std::string shown_density(const AVFrame& picture) {
    constexpr double unknown = 72;
    const std::optional<Density> density = density_of(picture);
    const double across = density ? density->across * inch : unknown;
    const double down = density ? density->down * inch : unknown;
    const auto is_unknown = [](double dots) { return std::abs(dots - unknown) < 0.05; };
    return is_unknown(across) && is_unknown(down) ? ""
           : is_alike({across, down})             ? fmt::format("{:.4g} dots per inch", across)
                                      : fmt::format("{:.4g} dots per inch across and {:.4g} down", across, down);
}

bool keeps_density(const AVFrame& first, const AVCodecContext& encoder) {
    constexpr std::array codecs{AV_CODEC_ID_PNG, AV_CODEC_ID_APNG, AV_CODEC_ID_TIFF, AV_CODEC_ID_MJPEG,
                                AV_CODEC_ID_BMP};
    const std::optional<Density> density = density_of(first);
    const AVRational shape = encoder.sample_aspect_ratio;
    return density && is_alike(*density) && shape.num == (shape.num > 0 ? shape.den : 0) &&
           std::ranges::find(codecs, encoder.codec->id) != codecs.end();
}

void set_density(const OutputOptions& options, const AVFrame& first, AVCodecContext& encoder, Dictionary& settings) {
    constexpr long most_in_metres = 65536;  // of that option
    if (!keeps_density(first, encoder) || find_option(options.encoder_options, "dpi") != nullptr ||
        find_option(options.encoder_options, "dpm") != nullptr) {
        return;
    }
    const double dots = density_of(first)->across;
    const bool png = encoder.codec->id == AV_CODEC_ID_PNG || encoder.codec->id == AV_CODEC_ID_APNG;
    if (png && std::lround(dots) <= most_in_metres) {
        settings.set("dpm", fmt::format("{}", std::lround(dots)));
    } else if (png || encoder.codec->id == AV_CODEC_ID_TIFF) {
        settings.set("dpi", fmt::format("{}", std::max(1L, std::lround(dots * inch))));
    } else if (encoder.codec->id == AV_CODEC_ID_MJPEG) {
        encoder.sample_aspect_ratio = {1, 1};  // without which it writes no header of JFIF
    }
}

void put_density(Density density, AVCodecID codec, AVPacket& packet) {
    using namespace std::string_view_literals;
    constexpr std::string_view jfif = "\xFF\xD8\xFF\xE0\0\x10JFIF\0"sv;
    constexpr std::size_t jfif_unit = 13;
    constexpr std::size_t bmp_density = 38;
    const std::string_view bytes(reinterpret_cast<const char*>(packet.data), static_cast<std::size_t>(packet.size));
    const bool jpeg = codec == AV_CODEC_ID_MJPEG && bytes.size() > jfif_unit + 4 && bytes.starts_with(jfif);
    const bool bmp = codec == AV_CODEC_ID_BMP && bytes.size() >= bmp_density + 8;
    if (!jpeg && !bmp) {
        return;
    }
    if (av_packet_make_writable(&packet) < 0) {
        throw std::bad_alloc();
    }
    if (bmp) {
        for (std::size_t i = 0; i < 4; ++i) {
            packet.data[bmp_density + i] = static_cast<std::uint8_t>(std::lround(density.across) >> (8 * i) & 0xFF);
            packet.data[bmp_density + 4 + i] = static_cast<std::uint8_t>(std::lround(density.down) >> (8 * i) & 0xFF);
        }
        return;
    }
    const auto off = [&](double unit) {
        return std::abs(density.across * unit - std::round(density.across * unit)) / unit;
    };
    const bool metric = off(centimetre) < off(inch) / 2;
    std::uint8_t* to = packet.data + jfif_unit;
    *to++ = metric ? 2 : 1;
    for (const double dots : {density.across, density.down}) {
        const long count = std::clamp(std::lround(dots * (metric ? centimetre : inch)), 1L, 65535L);
        *to++ = static_cast<std::uint8_t>(count >> 8);
        *to++ = static_cast<std::uint8_t>(count & 0xFF);
    }
}

}  // namespace vfilter
