#include "io/stills.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "config/encoder_facts.h"

namespace vfilter {

namespace {

bool is_named(const AVOutputFormat* format, std::string_view name) {
    return format != nullptr && name == format->name;
}

// The first encoder of a codec is what libavcodec prefers, which of WebP is the one of animations. FFmpeg's own of
// JPEG 2000 has wrong samples at 16 bits, and is lossy.
const AVCodec* still_encoder(AVCodecID id) {
    const bool other = id == AV_CODEC_ID_WEBP || id == AV_CODEC_ID_JPEG2000;
    const AVCodec* const of_stills =
        other ? avcodec_find_encoder_by_name(std::string(usual_encoder(avcodec_get_name(id))).c_str()) : nullptr;
    return of_stills != nullptr ? of_stills : avcodec_find_encoder(id);
}

}  // namespace

std::optional<Stills> stills_of(const OutputOptions& options) {
    // FFmpeg's container of picture files says nothing that a picture's name does not.
    const std::string format = options.format == "image2" ? "" : options.format;
    const std::size_t dot = options.path.rfind('.');
    const std::string ending = !format.empty() ? format
                               : dot != std::string::npos && options.path.find('/', dot) == std::string::npos
                                   ? options.path.substr(dot + 1)
                                   : "";
    // A name of a file, so that nothing but its ending counts.
    const std::string name = fmt::format("picture.{}", ending);
    if (ending.empty() || name.find_first_of("%*?/") != std::string::npos) {
        return std::nullopt;
    }
    const bool muxer = !format.empty() && av_guess_format(format.c_str(), nullptr, nullptr) != nullptr;
    const AVOutputFormat* const guess =
        av_guess_format(muxer ? format.c_str() : nullptr, muxer ? nullptr : name.c_str(), nullptr);
    std::optional<PictureNames> names = PictureNames::parse(options.path);
    const bool pictures = is_named(guess, "image2") && !muxer;
    const bool each = names && !muxer && (is_named(guess, "webp") || is_named(guess, "avif"));
    const AVOutputFormat* const pipe = av_guess_format("image2pipe", nullptr, nullptr);
    if ((!pictures && !each) || pipe == nullptr) {
        return std::nullopt;
    }
    const AVCodecID id = av_guess_codec(pictures || is_named(guess, "webp") ? pipe : guess, nullptr, name.c_str(),
                                        nullptr, AVMEDIA_TYPE_VIDEO);
    return Stills{still_encoder(id), is_named(guess, "avif") ? guess : pipe, std::move(names)};
}

bool is_full_range_still(const OutputOptions& options) {
    const std::optional<Stills> stills = stills_of(options);
    return stills && stills->codec != nullptr && stills->codec->id == AV_CODEC_ID_MJPEG;
}

}  // namespace vfilter
